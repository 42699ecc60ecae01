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
  type UndoneCall,
} from "@colloquy/runtime";
export {
  type Choice,
  type Comparison,
  type DialogAddress,
  type DialogId,
  type DialogView,
  type EffectView,
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
  type WireErrorCode as ErrorCode,
} from "@colloquy/schema";
export * from "./team/define-agent.ts";
export { type CommandsDescription, describeCommands } from "./team/describe-commands.ts";
export * from "./team/describe-models.ts";
export * from "./team/describe-servers.ts";
export { signInToServer, signOutOfServer } from "./team/server-sign-in.ts";
export * from "./team/describe-team.ts";
export * from "./open/inspect-and-repair.ts";
export * from "./open/find-project.ts";
export * from "./open/folder-reach.ts";
export { readLastWords } from "./dialogs/last-words.ts";
export type { Located } from "./open/locate.ts";
export type { MemoryDocument } from "./open/memory.ts";
export { isStoreInSettings, storeUrl } from "./open/store-setting.ts";
export { addToBackup, type BackedUp } from "./backup/backup-folder.ts";
export { restoreProject, type Restored } from "./backup/restore-project.ts";
export type { BackupQuery } from "./backup/write-backup.ts";
export { moveProject, type Moved } from "./open/move-project.ts";
export * from "./open/open-project.ts";
export type { ChangeMindInput, ClearMindInput, PhaseInput, StopInput } from "./dialogs/dialog-commands.ts";
export { DialogHandle } from "./dialogs/dialog-handle.ts";
export type { NotificationQuery } from "./questions/notifications.ts";
export type { Message, NewDialog } from "./dialogs/message.ts";
export type { Page, PageQuery } from "./dialogs/page.ts";
export type { DialogReference } from "./open/dialog-reference.ts";
export { Project } from "./project/project.ts";
export type { ProjectLog } from "./project/project-log.ts";
export { addNostrKeys, nostrIn, NOSTR_KEYS_FILE } from "./open/nostr-keys.ts";
export type { AskedPeople, AskInput } from "./questions/ask-people.ts";
export type { AnswerInput, ApproveInput, DenyInput, DismissInput } from "./questions/question-commands.ts";
export type { Receipt, Signed } from "./dialogs/signed.ts";
export type { ImportedDialog, ImportSource } from "./transfer/import-file.ts";
export type { EffectPage, EffectQuery, SettleInput, UnsettledInTree } from "./effects/effects.ts";
export type { HealthReport } from "./health/health-watch.ts";
export type { ForkAnswer, ForkInput } from "./copies/fork-dialog.ts";
export type { UndoReceipt } from "./dialogs/undo.ts";
export type { Listening, TreeListener } from "./dialogs/subscribe.ts";
export type { TaskdocView } from "./dialogs/taskdoc.ts";
export * from "./team/project-team.ts";
export * from "./project/usage.ts";
export type { SearchResult } from "./search/find-words.ts";
export * from "./team/users.ts";
export type { Figure } from "./tracing/send-metrics.ts";
export { version } from "./version.ts";
export type { Cluster, Committed, NodeInfo } from "@colloquy/store";
