import { z } from "zod";
import { AgentId, CallId, DialogId, RootId } from "./ids.ts";
import { Part, Usage } from "./parts.ts";
import { StopReason } from "./stop-reason.ts";

/** Every event of a tree says in which dialog it happened, and in which course of that dialog. */
const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.object({ type: z.literal(type), dialog: DialogId, course: z.number().int().positive(), ...fields });

/** A turn is named by the `seq` of the event that opened it, a step by its number within the turn. */
const turn = z.number().int().positive();
const step = { agent: AgentId, turn, step: z.number().int().positive() };

/** Absent where the runtime did it. The sender's `msgId` makes a repetition known. */
const byPerson = { by: z.string().optional(), msgId: z.string().optional() };

/**
 * Everything that can ever have happened in a tree. Past tense, and never edited once released.
 * Whatever is decided is written down (`ends`, `opens`), so that folding repeats no decision.
 */
export const TreeEvent = z.discriminatedUnion("type", [
  event("dialog.created", { agent: AgentId, title: z.string(), taskDocPath: z.string(), by: z.string() }),
  event("dialog.renamed", { title: z.string(), ...byPerson }),

  /** A person's words. `opens` names the agents for whom they open a turn; for the others in `to` they join the one that is open. */
  event("message.added", {
    by: z.string(),
    msgId: z.string().optional(),
    content: z.string(),
    to: z.array(AgentId),
    opens: z.array(AgentId).optional(),
    sessionId: z.string().optional(),
  }),
  /** The system's words to one turn. */
  event("note.added", { agent: AgentId, turn, code: z.enum(["repeated_call", "empty_end"]), text: z.string() }),

  /**
   * What a model put out, with the last `seq` that it was shown. `gen` numbers the generations of the course.
   * `ends`: with this step the turn is over.
   */
  event("step.ended", {
    ...step,
    seen: z.number().int().nonnegative(),
    /** How many messages the dialog had then: the agent's `lastProcessedMessageIndex`. */
    index: z.number().int().nonnegative(),
    gen: z.number().int().positive(),
    parts: z.array(Part),
    ends: z.boolean().optional(),
    model: z.string().optional(),
    usage: Usage.optional(),
    cost: z.number().nonnegative().optional(),
    ms: z.number().int().nonnegative(),
    sessionId: z.string().optional(),
  }),
  /** What was streamed before somebody stopped it. Kept for people; no model is shown it. */
  event("step.cut", { ...step, gen: z.number().int().positive(), parts: z.array(Part), ms: z.number().int().nonnegative() }),
  /** A step that a crash had interrupted is about to be driven again; `alone`: with nothing else in flight. */
  event("step.attempted", { ...step, alone: z.boolean().optional() }),

  /** Recorded before the effect of a tool that may not be repeated. */
  event("call.started", { agent: AgentId, turn, call: CallId }),
  event("call.ended", {
    agent: AgentId,
    turn,
    call: CallId,
    output: z.string(),
    /** `error`: it ran and failed. `refused`: it was never run. `unknown`: nobody knows whether it took effect. */
    outcome: z.enum(["error", "refused", "unknown"]).optional(),
    /** The whole output, kept beside the log when it was cut for the model. */
    blob: z.object({ name: z.string(), bytes: z.number().int().nonnegative() }).optional(),
    ms: z.number().int().nonnegative().optional(),
  }),

  event("dialog.stopped", { reason: StopReason, ...byPerson }),
  event("dialog.resumed", byPerson),
  event("dialog.completed", byPerson),
  event("dialog.reopened", byPerson),
  event("dialog.archived", byPerson),
]);
export type TreeEvent = z.infer<typeof TreeEvent>;
export type TreeEventOf<Type extends TreeEvent["type"]> = Extract<TreeEvent, { type: Type }>;

/** What happened to the project as a whole. */
export const ProjectEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("tree.created"), rootId: RootId, by: z.string(), msgId: z.string().optional(), hash: z.string().optional() }),
]);
export type ProjectEvent = z.infer<typeof ProjectEvent>;

export type AnyEvent = TreeEvent | ProjectEvent;
