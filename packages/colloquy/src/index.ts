export { byUrgency, type ProjectGrant, type TreeNode } from "@colloquy/core";
export type { ServerStatus } from "@colloquy/mcp";
export type { ListedModel, ModelList, ModelTest } from "@colloquy/models";
export {
  defineTool,
  type LiveEvent,
  type OutputOf,
  type SandboxStatus,
  sandboxStatus,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolDefinition,
} from "@colloquy/runtime";
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
  type Refusal,
  type RefusalCode,
  Refused,
  type RootId,
  type TreeEvent,
} from "@colloquy/schema";
export * from "./define-agent.ts";
export { type CommandsDescription, describeCommands } from "./describe-commands.ts";
export * from "./describe-models.ts";
export * from "./describe-servers.ts";
export * from "./describe-team.ts";
export * from "./care.ts";
export * from "./find-project.ts";
export * from "./folder-reach.ts";
export { readLastWords } from "./last-words.ts";
export type { Located } from "./locate.ts";
export type { MemoryDocument } from "./memory.ts";
export * from "./open-project.ts";
export type { ChangeMindInput, ClearMindInput, PhaseInput, StopInput } from "./dialog-commands.ts";
export { DialogHandle } from "./dialog-handle.ts";
export type { NotificationQuery } from "./inbox.ts";
export type { Message, NewDialog } from "./message.ts";
export type { Page, PageQuery } from "./page.ts";
export type { Place, Where } from "./place.ts";
export { Project } from "./project.ts";
export type { AnswerInput, ApproveInput, DenyInput, DismissInput } from "./question-commands.ts";
export type { Receipt, Signed } from "./signed.ts";
export type { Listening, TreeListener } from "./subscribe.ts";
export type { TaskdocView } from "./taskdoc.ts";
export * from "./project-team.ts";
export * from "./usage.ts";
export type { Found } from "./search/find-words.ts";
export * from "./users.ts";
export { version } from "./version.ts";
export type { Committed } from "@colloquy/store";
