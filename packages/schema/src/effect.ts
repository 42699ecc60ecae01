import { z } from "zod";
import { AgentId, CallId, DialogId, RootId } from "./ids.ts";

/** How a call with an unknown outcome ended, according to a person: it took effect, or it did not. */
export const SettledAs = z.enum(["done", "failed"]);
export type SettledAs = z.infer<typeof SettledAs>;

export const EffectOutcome = z.enum(["running", "done", "failed", "unknown"]);

/** A call whose outcome nobody knows yet, as an inbox shows it. */
export const UnsettledCall = z.object({
  call: CallId,
  dialog: DialogId,
  agent: AgentId,
  tool: z.string(),
  at: z.string(),
  /** Nobody knows whether it was undone. */
  undo: z.literal(true).optional(),
});
export interface UnsettledCall extends z.infer<typeof UnsettledCall> {}

const byAt = { by: z.string(), at: z.string() };

/** A call that may have had an effect. */
export const EffectView = z
  .strictObject({
    call: CallId,
    rootId: RootId,
    selfId: DialogId,
    agentId: AgentId,
    tool: z.string(),
    /** What it was asked to do, on one line. */
    what: z.string(),
    /** When it started. */
    at: z.string(),
    endedAt: z.string().optional(),
    outcome: EffectOutcome,
    /** The person who approved it; `grant`: by a standing approval. Absent if none was needed. */
    approved: z.strictObject({ ...byAt, by: z.string().optional(), grant: z.string().optional() }).optional(),
    /** The beginning of its result, on one line. */
    receipt: z.string().optional(),
    /** What it changed in the project, as numbers: `+2 ~1`. */
    changes: z.string().optional(),
    /** Its outcome was unknown until a person settled it. */
    settled: z.strictObject({ ...byAt, by: z.string().optional(), as: SettledAs, note: z.string().optional() }).optional(),
    /** It can be undone, as far as the ledger knows. */
    undoable: z.literal(true).optional(),
    /** A person undid it, or tried to. */
    undo: z
      .strictObject({
        by: z.string().optional(),
        at: z.string(),
        state: z.enum(["asked", "undone", "refused", "unknown"]),
        /** What its tool said. */
        receipt: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: "Effect" });
export interface EffectView extends z.infer<typeof EffectView> {}
