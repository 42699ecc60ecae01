export * from "./calls/define-tool.ts";
export * from "./engine/deps.ts";
export type { DocumentDisk } from "./documents/document-disk.ts";
export { type Documents, fileDocuments, fingerprint, memoryDocuments } from "./documents/documents.ts";
export * from "./engine/engine.ts";
export { atWorkIn } from "./engine/rulebook.ts";
export type { Outcome } from "./engine/commit.ts";
export { retryPolicy, type RetryPolicy } from "./engine/lane.ts";
export type { LiveEvent } from "./watch/live.ts";
export { activeMs, foldTree, Unfoldable } from "./engine/live-tree.ts";
export { changeMind } from "./documents/persons-document.ts";
export { type PromisedOutput, readPromised } from "./step/promised-output.ts";
export * from "./engine/runner.ts";
export { readSayings } from "./step/sayings.ts";
export { jsonSchemaOf, type OutputOf, type StandardSchema } from "./calls/standard-schema.ts";
export * from "./team/team.ts";
export * from "./calls/tool.ts";
export { secretsIn } from "./step/masked.ts";
export { layers } from "./layers/layers.ts";
export { toolGroups } from "./tools/shell/groups.ts";
export { projectFiles } from "./tools/files/project-files.ts";
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
export * from "./engine/orchestrator.ts";
