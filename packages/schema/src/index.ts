export * as answers from "./answers.ts";
export type { DialogSnapshot, Recorded, SearchHit } from "./answers.ts";
export * from "./settings/autonomy.ts";
export * from "./call-effects.ts";
export { Definition, DefinitionPart } from "./definition.ts";
export { EffectView, SettledAs, UnsettledCall } from "./effect.ts";
export * from "./commands.ts";
export {
  TOOL_GROUPS,
  NOT_BUILT_YET,
  ModelConfig,
  type ModelNames,
  AgentConfig,
  type A2aConfig,
  a2aAddress,
  LimitsConfig,
  ContextConfig,
  UserConfig,
  ServerConfig,
  Config,
  type ConfigInput,
} from "./settings/config.ts";
export { RecordedState } from "./dialog-state.ts";
export { ComparedSide, Comparison, StoryRow } from "./wire/comparison.ts";
export { DialogRow, DialogView, TreeNode } from "./wire/dialog-view.ts";
export * from "./errors.ts";
export * from "./text/escape-sequences.ts";
export * from "./text/msg-id.ts";
export * from "./text/read-duration.ts";
export * from "./events.ts";
export { ProjectEvent } from "./project-events.ts";
export * from "./form.ts";
export {
  inputHints,
  builtinInputs,
  type BuiltinTool,
  type BuiltinInput,
  isBuiltinTool,
  isDocumentTool,
  readsDocument,
  isTaskTool,
  isLastTool,
} from "./builtin-tools.ts";
export * from "./outside-question.ts";
export {
  RootId,
  DialogId,
  DialogAddress,
  CallId,
  QuestionId,
  AskId,
  askIdOf,
  derivedId,
  AgentId,
  type StreamId,
  PROJECT_STREAM,
  mainDialogOf,
  mainAddress,
  isMain,
  timeOrderedId,
  shortId,
  type RunKey,
  runKey,
} from "./ids.ts";
export * from "./image.ts";
export * from "./wire/live.ts";
export { isKeyName, VARIABLE, type McpServerConfig, secretVariables, McpConfig } from "./settings/mcp-config.ts";
export * from "./model-message.ts";
export { NostrEvent } from "./nostr-event.ts";
export { NotificationQuestion, Notification } from "./notification.ts";
export { type DialogRef, PROTOCOL, ClientPacket, ServerPacket, type ServerPacketOf, CLOSE_CODES } from "./wire/packets.ts";
export { CallKind, CallPart, Part, isCall, isSaying, isThinking, textOf, rawTextOf, Usage } from "./message-parts.ts";
export * from "./phase.ts";
export * as queries from "./wire/queries.ts";
export {
  Choice,
  ChoiceCode,
  OfferedChoice,
  QuestionKind,
  QuestionStatus,
  QuestionTopic,
  LimitName,
  ApprovalVerdict,
  Answer,
  QuestionView,
} from "./question.ts";
export * from "./records.ts";
export * from "./refused.ts";
export * as requests from "./wire/requests.ts";
export * from "./settings/role.ts";
export * from "./wire/routes.ts";
export * from "./settings/script.ts";
export * from "./settings/retention-config.ts";
export * from "./settings/tracing-config.ts";
export type { NostrView } from "./answers.ts";
export { NostrConfig } from "./settings/nostr-config.ts";
export { npubOf, nsecOf, publicKeyIn, secretKeyIn } from "./text/nostr-key.ts";
export * from "./stop-reason.ts";
export { exactPattern } from "./text/exact-pattern.ts";
export * from "./text/visible-controls.ts";
export * from "./wire/wire-error.ts";
export { TaskId, TaskKind, TaskStatus, TaskOrder, TaskView, TaskAutonomy, NewTask, TaskChange } from "./task.ts";
