import { z } from "zod";
import { ActClass } from "./settings/autonomy.ts";
import { AgentId, DialogId, QuestionId, RootId } from "./ids.ts";
import { NostrEvent } from "./nostr-event.ts";
import { QuestionSource, QuestionView } from "./question.ts";
import { TaskId, TaskKind } from "./task.ts";

/** A repeated command is recognised by its sender's `msgId`; a different one under the same id, by `hash`. */
const receipt = { msgId: z.string().optional(), hash: z.string().optional() };

/** Events of the project as a whole. */
export const ProjectEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("tree.created"), rootId: RootId, by: z.string(), ...receipt }),
  /** The tree's log, blobs and snapshots are gone with this commit. `questions`: those that outlive it, with their answers. */
  z.object({ type: z.literal("tree.deleted"), rootId: RootId, by: z.string(), questions: z.array(QuestionView).optional(), ...receipt }),
  /** Calls like this may run without asking, in the whole project, in one tree, or in one of its dialogs. */
  z.object({
    type: z.literal("grant.given"),
    grant: z.string(),
    pattern: z.string(),
    until: z.number().int().optional(),
    by: z.string(),
    rootId: RootId.optional(),
    dialog: DialogId.optional(),
  }),
  z.object({ type: z.literal("grant.revoked"), grant: z.string(), by: z.string(), ...receipt }),
  /** Created by a person, or by an agent that works on `from`, a feedback or a plan. */
  z.object({
    type: z.literal("task.created"),
    task: TaskId,
    kind: TaskKind,
    title: z.string(),
    description: z.string(),
    key: z.string().optional(),
    dependsOn: z.array(TaskId),
    from: TaskId.optional(),
    by: z.string(),
    ...receipt,
  }),
  z.object({
    type: z.literal("task.changed"),
    task: TaskId,
    title: z.string().optional(),
    description: z.string().optional(),
    dependsOn: z.array(TaskId).optional(),
    by: z.string(),
    ...receipt,
  }),
  z.object({ type: z.literal("task.taken"), task: TaskId, agent: AgentId, dialog: RootId }),
  /** Nobody works on it any more. `failed`: this counts as a failure. */
  z.object({ type: z.literal("task.released"), task: TaskId, why: z.string(), failed: z.boolean().optional() }),
  z.object({ type: z.literal("task.closed"), task: TaskId, summary: z.string(), by: z.string().optional(), ...receipt }),
  /** A person has decided to retry it, so failures are counted from zero. */
  z.object({ type: z.literal("task.retried"), task: TaskId, by: z.string() }),
  /** A person is asked about a section of the requirements, in one of the trees that work on it. */
  z.object({
    type: z.literal("section.asked"),
    section: z.string(),
    rootId: RootId,
    question: QuestionId,
    /** The hash of its words, if other trees may wait for its answer. */
    words: z.string().optional(),
    /** The question in another tree that closes this one with it. */
    shares: QuestionId.optional(),
  }),
  /**
   * That question has closed. `answer`: what other trees that ask the same are told; `words` is the question's hash, `dismissed` means that
   * nobody will answer. `why`: why it was withdrawn or expired.
   */
  z.object({
    type: z.literal("section.settled"),
    section: z.string(),
    question: QuestionId,
    answer: z
      .object({
        words: z.string(),
        content: z.string(),
        choice: z.array(z.string()).optional(),
        by: z.string().optional(),
        dismissed: z.boolean().optional(),
      })
      .optional(),
    why: z.string().optional(),
  }),
  /** A tree's notice, listed where people look for it. The tree has its full text. */
  z.object({
    type: z.literal("notice.given"),
    notice: z.string(),
    rootId: RootId,
    dialog: DialogId,
    agent: AgentId,
    class: ActClass,
    headline: z.string(),
    text: z.string(),
    source: QuestionSource,
    sourceId: z.string(),
  }),
  z.object({ type: z.literal("notice.resolved"), notice: z.string(), by: z.string(), ...receipt }),
  /**
   * A signed event that goes to the relays. Registered before any of them gets it. `cause`: the tree's event that it makes public.
   */
  z.object({
    type: z.literal("nostr.signed"),
    rootId: RootId,
    cause: z.number().int().positive(),
    is: z.enum(["reply", "partial", "busy", "question"]),
    /** The question, and the version that it shows. */
    question: QuestionId.optional(),
    shown: z.string().optional(),
    event: NostrEvent,
  }),
  /** The cost of a step. Counted only if the daily cost is limited. `date` is in UTC. */
  z.object({ type: z.literal("day.spent"), date: z.string(), cost: z.number().nonnegative() }),
  /** The daily limit is reached, and a person is asked in one tree on behalf of all. */
  z.object({ type: z.literal("day.asked"), date: z.string(), rootId: RootId, question: QuestionId }),
  /** The decision: this much more, no more today, or (with neither) no answer. */
  z.object({
    type: z.literal("day.decided"),
    date: z.string(),
    question: QuestionId,
    more: z.number().optional(),
    isOver: z.boolean().optional(),
  }),
]);
export type ProjectEvent = z.infer<typeof ProjectEvent>;
