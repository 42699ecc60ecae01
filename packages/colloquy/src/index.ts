export { defineTool, type Tool, type ToolContext } from "@colloquy/runtime";
export type { LiveEvent } from "@colloquy/runtime";
export { Fault, Refused } from "@colloquy/schema";
export * from "./define-agent.ts";
export type { DialogView } from "./dialog-view.ts";
export * from "./find-project.ts";
export * from "./open-project.ts";
export * from "./project.ts";
export * from "./project-team.ts";
