import { z } from "zod";

/** How far agents may go without asking. */
export const AutonomyLevel = z.enum(["automated", "notify_and_proceed", "requires_approval"]);
export type AutonomyLevel = z.infer<typeof AutonomyLevel>;

/** The levels for classes of calls. */
export const AutonomyConfig = z.strictObject({
  scopeChanges: AutonomyLevel.default("notify_and_proceed"),
  architectureDecisions: AutonomyLevel.default("notify_and_proceed"),
  dependencyModifications: AutonomyLevel.default("notify_and_proceed"),
});
export type AutonomyConfig = z.infer<typeof AutonomyConfig>;

/** The classes of calls. The last one has no level: it always needs approval. */
export const ActClass = z.enum(["scopeChanges", "architectureDecisions", "dependencyModifications", "destructive"]);
export type ActClass = z.infer<typeof ActClass>;

export const Permission = z.enum(["allow", "ask", "deny"]);
export type Permission = z.infer<typeof Permission>;
