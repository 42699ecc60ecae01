import { z } from "zod";

/** How far agents go by themselves. */
export const AutonomyLevel = z.enum(["automated", "notify_and_proceed", "requires_approval"]);
export type AutonomyLevel = z.infer<typeof AutonomyLevel>;

/** For which kinds of acts a level is set. */
export const AutonomyConfig = z.strictObject({
  scopeChanges: AutonomyLevel.default("notify_and_proceed"),
  architectureDecisions: AutonomyLevel.default("notify_and_proceed"),
  dependencyModifications: AutonomyLevel.default("notify_and_proceed"),
});
export type AutonomyConfig = z.infer<typeof AutonomyConfig>;

/** What a call is. The last one has no level: it asks. */
export const ActClass = z.enum(["scopeChanges", "architectureDecisions", "dependencyModifications", "destructive"]);
export type ActClass = z.infer<typeof ActClass>;

export const Permission = z.enum(["allow", "ask", "deny"]);
export type Permission = z.infer<typeof Permission>;
