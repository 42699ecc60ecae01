export { ClientDoor } from "./client-door.ts";
export * from "./door.ts";
export { DoorProvider, useConnection, useDoor } from "./provider.ts";
export * from "./use-dialog.ts";
export * from "./use-dialogs.ts";
export { type ProjectRow, type ProjectState, projectPath, type Settings, useProject, useProjects } from "./use-project.ts";
export { type ProjectQuestion, type Questions, readQuestion, useQuestions } from "./use-questions.ts";
