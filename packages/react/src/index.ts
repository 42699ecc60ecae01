export {
  type Actions,
  Disconnected,
  type DialogMessage,
  type DialogState,
  type LiveRun,
  isNotice,
  type LiveTool,
  type ProjectRow,
  Refused,
  type Settings,
} from "@colloquy/client";
export { type ColloquyPlace, ColloquyProvider, type HttpPlace, type ServerPlace, useClient } from "./provider.ts";
export { useApi, useApis } from "./use-api.ts";
export { useActions, useActionsIn } from "./use-actions.ts";
export { type Connection, useConnection } from "./use-connection.ts";
export { useDialog } from "./use-dialog.ts";
export { useDialogs } from "./use-dialogs.ts";
export { type ProjectNotice, useNotices } from "./use-notices.ts";
export { usePresence } from "./use-presence.ts";
export { type ProjectState, useProject, useProjects } from "./use-project.ts";
export { type ProjectQuestion, useQuestions } from "./use-questions.ts";
export { type ProjectTask, useAllTasks, useTasks } from "./use-tasks.ts";
