import { z } from "zod";

/** What a dialog is at. Names are the contract's; which may follow which is decided in the core. */
export const PHASES = ["chat", "brainstorm", "plan", "execute", "verification", "chores", "reflection"] as const;
export const Phase = z.enum(PHASES);
export type Phase = z.infer<typeof Phase>;
