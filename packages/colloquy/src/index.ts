export { byUrgency, type ProjectGrant, type TreeNode } from "@colloquy/core";
export type { ServerStatus } from "@colloquy/mcp";
export type { ListedModel, ModelList, ModelTest } from "@colloquy/models";
export {
  defineTool,
  type OutputOf,
  type SandboxStatus,
  sandboxStatus,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolQuestion,
} from "@colloquy/runtime";
export type { LiveEvent } from "@colloquy/runtime";
export {
  type Choice,
  type DialogId,
  type DialogView,
  type Entry,
  type FormField,
  Fault,
  type Line,
  type Phase,
  PHASES,
  type QuestionId,
  type QuestionView,
  type TaskAutonomy,
  type NewTask,
  type TaskView,
  Refused,
  type RootId,
  type TreeEvent,
} from "@colloquy/schema";
export * from "./define-agent.ts";
export * from "./describe-models.ts";
export * from "./describe-servers.ts";
export * from "./describe-team.ts";
export * from "./care.ts";
export * from "./find-project.ts";
export { readLastWords } from "./last-words.ts";
export type { Located } from "./locate.ts";
export type { MemoryDocument } from "./memory.ts";
export * from "./open-project.ts";
export * from "./project.ts";
export * from "./project-team.ts";
export * from "./usage.ts";
export * from "./users.ts";
export type { Committed } from "@colloquy/store";
