export { defineTool, type ToolDefinition } from "./calls/define-tool.ts";
export { jsonSchemaOf, type OutputOf, type StandardSchema } from "./calls/standard-schema.ts";
export {
  type Applied,
  type LayerStore,
  type OpenCall,
  OutcomeUnknown,
  type UndoneCall,
  type ParsedInput,
  StagedOutput,
  type Staging,
  type Tool,
  type ToolContext,
  type ToolQuestion,
  type Undone,
} from "./calls/tool.ts";
export type { DocumentDisk } from "./documents/document-disk.ts";
export { agreementIn, newAgreement } from "./documents/agreement.ts";
export { type Documents, fileDocuments, fingerprint, memoryDocuments } from "./documents/documents.ts";
export { mirroredDocuments } from "./documents/mirrored-documents.ts";
export { changeMind } from "./documents/persons-document.ts";
export type { Commands, Picture } from "./engine/commands.ts";
export type { CopySource } from "./copies/copy-tree.ts";
export type { TreeContent, TreeInFile } from "./copies/import-trees.ts";
export { type Clock, type Deps, realClock } from "./engine/deps.ts";
export { Engine } from "./engine/engine.ts";
export { retryPolicy, type RetryPolicy } from "./engine/lane.ts";
export type { WorkSpans } from "./step/work-spans.ts";
export { activeMs, foldTree, Unfoldable } from "./engine/live-tree.ts";
export type { ProjectContext } from "./engine/project-context.ts";
export { atWorkIn, type Rulebook } from "./engine/rulebook.ts";
export { modelRunner, type Runner } from "./engine/runner.ts";
export { layers } from "./layers/layers.ts";
export { readPromised } from "./step/promised-output.ts";
export { readSayings } from "./step/sayings.ts";
export { Orchestrator } from "./team/orchestrator.ts";
export type { Team, TeamMember } from "./team/team.ts";
export { projectFiles } from "./tools/files/project-files.ts";
export { installedPackages } from "./tools/protected/package-places.ts";
export { toolGroups } from "./tools/shell/groups.ts";
export { networkProblem } from "./tools/shell/pasta.ts";
export {
  type CommandNetwork,
  commandNetwork,
  findOutSandbox,
  type SandboxStatus,
  sandboxStatus,
  type SpawnPlan,
} from "./tools/shell/sandbox.ts";
export { spawnPlan } from "./tools/shell/spawn-plan.ts";
export type { LiveEvent } from "./watch/live.ts";
export { ModelChoice } from "./step/model-choice.ts";
