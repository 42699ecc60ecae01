import { z } from "zod";

/** What a dialog is doing. The core decides which phase may follow which. */
export const PHASES = ["chat", "brainstorm", "plan", "execute", "verification", "chores", "reflection"] as const;
export const Phase = z.enum(PHASES);
export type Phase = z.infer<typeof Phase>;
