import { z } from "zod";
import { ActClass } from "./settings/autonomy.ts";
import { CallEffects, UndoConflict } from "./call-effects.ts";
import { Form } from "./form.ts";
import { AgentId, AskId, CallId, DialogId, QuestionId, RootId } from "./ids.ts";
import { Image } from "./image.ts";
import { Part, Usage } from "./message-parts.ts";
import { Phase } from "./phase.ts";
import { Choice, LimitName, OfferedChoice, QuestionKind, QuestionSource, QuestionTopic } from "./question.ts";
import { StopReason } from "./stop-reason.ts";
import { TaskId, TaskKind, TaskRef } from "./task.ts";

/** Every event of a tree says in which dialog it happened, and in which course of that dialog. */
const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.object({ type: z.literal(type), dialog: DialogId, course: z.number().int().positive(), ...fields });

/** A turn is named by the `seq` of the event that opened it, a step by its number within the turn. */
const turn = z.number().int().positive();
const step = { agent: AgentId, turn, step: z.number().int().positive() };

/** Fingerprints of documents by path; "" where there is none. */
const Docs = z.record(z.string(), z.string());

/** How a side dialog came to be. */
export const Side = z.object({
  /** The dialog that it hangs under: the first asker's. It never changes. */
  asker: DialogId,
  session: z.string().optional(),
  phase: Phase.optional(),
  branch: z.string().optional(),
  /** Reasoning with fresh boots: no tools, no history, no memory. */
  fresh: z.boolean().optional(),
});
export type Side = z.infer<typeof Side>;

export const AskKind = z.enum(["tellaskBack", "tellask", "tellaskSessionless", "freshBootsReasoning", "delegate"]);
export type AskKind = z.infer<typeof AskKind>;

/** Absent where the runtime did it. The sender's `msgId` makes a repetition known, and the hash of its command that it is one. */
/** What a call gave back. */
const callOutput = {
  output: z.string(),
  /** The whole output, kept beside the log when it was cut for the model. */
  blob: z.object({ name: z.string(), bytes: z.number().int().nonnegative() }).optional(),
  /** What came with it and is no text, kept beside the log. */
  files: z.array(z.object({ name: z.string(), bytes: z.number().int().nonnegative(), mediaType: z.string() })).optional(),
  ms: z.number().int().nonnegative().optional(),
};

const byPerson = { by: z.string().optional(), msgId: z.string().optional(), hash: z.string().optional() };

/**
 * Everything that can ever have happened in a tree. Past tense, and never edited once released.
 * Whatever is decided is written down (`ends`, `opens`), so that folding repeats no decision.
 */
export const TreeEvent = z
  .discriminatedUnion("type", [
    event("dialog.created", {
      agent: AgentId,
      title: z.string(),
      taskDocPath: z.string(),
      by: z.string().optional(),
      side: Side.optional(),
      /** The task that it is the main dialog of. */ task: TaskRef.optional(),
    }),
    event("dialog.renamed", {
      title: z.string(),
      ...byPerson,
      /** Where a model made the title up. */
      model: z.string().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
    }),

    /** What a model wrote of the conversation so far. A hand-off (`phase.set`) goes before it. */
    event("dialog.summarised", {
      summary: z.string(),
      model: z.string().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
    }),

    /** A person's words. `opens` names the agents for whom they open a turn; for the others in `to` they join the one that is open. */
    event("message.added", {
      by: z.string(),
      msgId: z.string().optional(),
      hash: z.string().optional(),
      content: z.string(),
      to: z.array(AgentId),
      opens: z.array(AgentId).optional(),
      images: z.array(Image).optional(),
      /** A turn that waits reads it at once; what it waits for stays open. */
      now: z.boolean().optional(),
      /** As `now`, and what the addressed agents are doing is broken off first. */
      interrupt: z.boolean().optional(),
      /** The agent is given the task: the turn that this opens is its run. */
      task: z.boolean().optional(),
      sessionId: z.string().optional(),
    }),
    /** What the sender was told at once, because the agent was busy. For people: no agent is shown it. `message` is that event. */
    event("message.acknowledged", {
      agent: AgentId,
      message: turn,
      text: z.string(),
      /** A model wrote it, and wanted the agent's step broken off. */
      stops: z.boolean().optional(),
      model: z.string().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
    }),
    /** What the dialog is at, from now on; the same phase again is a hand-off. By its own agent, or by a person. */
    event("phase.set", {
      agent: AgentId.optional(),
      phase: Phase,
      why: z.string().optional(),
      summary: z.string().optional(),
      ...byPerson,
    }),
    /** The system's words to one turn. */
    event("note.added", {
      agent: AgentId,
      turn,
      code: z.enum([
        "repeated_call",
        "empty_end",
        "cut_short",
        "limit_raised",
        "document_changed",
        "context_filling",
        "situation_changed",
        "unreadable_questions",
        "no_status",
        "bad_output",
        "side_stopped",
        "side_resumed",
        "still_open",
        "busy",
        "tools_missing",
        "question_closed",
      ]),
      /** What somebody else's standing still, or going on, is news about. */
      ask: AskId.optional(),
      text: z.string(),
      /** Stands directly before this message. */
      before: turn.optional(),
      docs: Docs.optional(),
      /** Where the agent stands, as it is told here. */
      stands: z.string().optional(),
    }),

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
      /** What others had written meanwhile stood in a block before its trigger. */
      away: z.boolean().optional(),
      /** Why the provider ended it, where that was not the model's wish: `length`, its output limit. */
      finish: z.enum(["length"]).optional(),
      /** The whole reply, where this step went on with one that had been cut off at the output limit. */
      whole: z.string().optional(),
      /** The turn had come to its end, and goes on only because a message had come in. */
      reached: z.boolean().optional(),
      model: z.string().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
      ms: z.number().int().nonnegative(),
      sessionId: z.string().optional(),
      /** Documents that it was shown anew, by path and fingerprint. */
      docs: Docs.optional(),
      /** Where the agent stood, as its head said, if that was new to it. */
      stands: z.string().optional(),
      /** In the run of a task: how it went so far, by these words. */
      status: z.enum(["success", "failed"]).optional(),
    }),
    /** What was streamed before somebody stopped it. Kept for people; no model is shown it. */
    event("step.cut", { ...step, gen: z.number().int().positive(), parts: z.array(Part), ms: z.number().int().nonnegative() }),
    /** A step that a crash had interrupted is about to be driven again; `alone`: with nothing else in flight. */
    event("step.attempted", { ...step, alone: z.boolean().optional() }),

    /** Recorded before the effect of a tool that may not be repeated. */
    event("call.started", {
      agent: AgentId,
      turn,
      call: CallId,
      /** It runs on a layer and can touch nothing else: what it does has no effect before it is applied. */
      staged: z.literal(true).optional(),
    }),
    /** It has run on a layer. What it did is judged by now and not applied yet: that, or a person's approval, comes next. */
    event("call.ran", { agent: AgentId, turn, call: CallId, ...callOutput, effects: CallEffects }),
    /** A person wants what a command changed to be undone. It is undone next, or refused: `call.undone` says which. */
    event("call.undo_asked", { agent: AgentId, call: CallId, ...byPerson }),
    /** What a command changed is as it was before; or, with `refused`, nothing was changed. */
    event("call.undone", {
      agent: AgentId,
      call: CallId,
      tool: z.string(),
      by: z.string().optional(),
      /** The first of the paths that the command had changed, and how many more there are. */
      paths: z.array(z.string()),
      more: z.number().int().nonnegative(),
      /** What people should know besides. */
      notes: z.array(z.string()).optional(),
      /** `conflict`: some of it was changed since. `gone`: what it replaced is no longer kept. */
      refused: z.enum(["conflict", "gone"]).optional(),
      conflicts: z.array(UndoConflict).optional(),
    }),
    /** A call, or (without one) a whole turn, waits for the same question as another. */
    event("call.held", {
      agent: AgentId,
      turn,
      call: CallId.optional(),
      question: QuestionId,
      /** How much of the limit it needs: see `question.asked`. */
      needs: z.number().optional(),
    }),
    /** A limit has room for this call or turn again: it waits for that question no more, while others still do. */
    event("call.released", { agent: AgentId, turn, call: CallId.optional(), question: QuestionId, needs: z.number().optional() }),
    event("call.ended", {
      agent: AgentId,
      turn,
      call: CallId,
      ...callOutput,
      /** `error`: it ran and failed. `refused`: it has no effect. `unknown`: nobody knows whether it took effect. */
      outcome: z.enum(["error", "refused", "unknown"]).optional(),
      /** Documents that the result shows. */
      docs: Docs.optional(),
      /** Its turn was over already: it had been given up, and came to its end after all. */
      late: z.boolean().optional(),
    }),

    /**
     * A document is about to be changed from one version to another: by a call, whose input has the words, or by a person, whose
     * words are here. The file is written after this is durable; `document.written` or the call's end says that it is.
     */
    event("document.changed", {
      agent: AgentId.optional(),
      turn: turn.optional(),
      call: CallId.optional(),
      path: z.string(),
      from: z.string(),
      to: z.string(),
      content: z.string().optional(),
      ...byPerson,
    }),
    event("document.written", {
      path: z.string(),
      to: z.string(),
      /** Somebody else had changed the file meanwhile: theirs stayed. */
      taken: z.boolean().optional(),
    }),

    /** A turn that will not go on: its assignment was cancelled, or a person closed the dialog. */
    event("turn.ended", { agent: AgentId, turn }),

    /**
     * A turn asks: the side dialog `to`, or, in an ask-back, the turn that issued the assignment `about`. Named by its call, and
     * it opens a turn there, unless the session is busy (`queued`).
     */
    event("ask.opened", {
      agent: AgentId,
      turn,
      ask: AskId,
      call: CallId.optional(),
      kind: AskKind,
      to: DialogId,
      recipient: AgentId,
      content: z.string(),
      depth: z.number().int().positive(),
      wait: z.enum(["each", "all"]).optional(),
      deadline: z.number().int().optional(),
      about: AskId.optional(),
      queued: z.boolean().optional(),
    }),
    /** A session takes up the next assignment that had been waiting. */
    event("assignment.begun", { agent: AgentId, ask: AskId }),
    /** The one answer to an ask, in the dialog of the asker. `quote` says what it answers, for an asker who has cleared its mind. */
    event("ask.answered", {
      agent: AgentId,
      turn,
      ask: AskId,
      content: z.string(),
      quote: z.string(),
      marker: z.enum(["final", "fresh", "freshReasoning"]).optional(),
      outcome: z.enum(["failed", "cancelled", "expired", "dead"]).optional(),
    }),

    /** Something that a person must decide. Those of one step share a notification. */
    event("question.asked", {
      agent: AgentId,
      turn: turn.optional(),
      question: QuestionId,
      notification: z.string(),
      kind: QuestionKind,
      call: CallId.optional(),
      headline: z.string(),
      text: z.string(),
      options: z.array(OfferedChoice).optional(),
      multiple: z.boolean().optional(),
      allowOther: z.boolean().optional(),
      deadline: z.number().int().optional(),
      otherwise: z.string().optional(),
      source: QuestionSource,
      sourceId: z.string(),
      limit: LimitName.optional(),
      /** How much of the limit is needed to go on: the depth of the call, the asks that it opens, the steps of the turn. */
      needs: z.number().optional(),
      /** The system raised it, about something that is none of the kinds. */
      topic: QuestionTopic.optional(),
      /** The same words were answered before: this is the question whose answer it takes. */
      reuses: QuestionId.optional(),
      /** Another tree asks the same about the same section: this question is closed with that one, and people see only that one. */
      shares: QuestionId.optional(),
      /** Of an approval: the tool, what its call is, and the versions of the files that it was shown with. */
      tool: z.string().optional(),
      classes: z.array(ActClass).optional(),
      basis: Docs.optional(),
      /** What the agent called it, and when it says it wrote it. */
      given: z.object({ id: z.string().optional(), createdAt: z.string().optional() }).optional(),
      /** A tool asks, while its call is open: the call waits for the answer and is not ended by it. */
      form: Form.optional(),
    }),
    event("question.revised", {
      agent: AgentId,
      question: QuestionId,
      headline: z.string(),
      text: z.string(),
      options: z.array(Choice).optional(),
    }),
    /** A person asks back; the question stays open. */
    event("question.discussed", { agent: AgentId, question: QuestionId, content: z.string(), ...byPerson }),
    event("question.replied", { agent: AgentId, question: QuestionId, content: z.string() }),
    /** `verdict` is given to approvals, `more` to limits. */
    event("question.closed", {
      agent: AgentId,
      question: QuestionId,
      as: z.enum(["answered", "dismissed", "withdrawn", "expired"]),
      content: z.string().optional(),
      choice: z.array(z.string()).optional(),
      verdict: z.enum(["approved", "denied"]).optional(),
      arguments: z.unknown().optional(),
      /** What else may run without asking, by tool and input. */
      grant: z.object({ pattern: z.string(), scope: z.enum(["dialog", "task", "project"]), until: z.number().int().optional() }).optional(),
      /** The grant that approved it: somebody had approved the like. */
      byGrant: z.string().optional(),
      more: z.number().optional(),
      /** What a form was filled in with, by the names of its fields. */
      values: z.record(z.string(), z.unknown()).optional(),
      ...byPerson,
    }),

    /** A call of this class goes on without asking, and people are told what it does. */
    event("notice.added", {
      agent: AgentId,
      turn,
      call: CallId,
      notice: z.string(),
      class: ActClass,
      headline: z.string(),
      text: z.string(),
      source: QuestionSource,
      sourceId: z.string(),
    }),
    event("decision.recorded", {
      agent: AgentId,
      turn,
      title: z.string(),
      decision: z.string(),
      alternatives: z.array(z.string()).optional(),
    }),

    /** How the run of a task went, by its last words; `asks`: with questions. */
    event("task.reported", {
      agent: AgentId,
      turn,
      status: z.enum(["success", "failed"]),
      summary: z.string(),
      asks: z.boolean().optional(),
    }),

    event("reminder.added", {
      reminder: z.number().int().positive(),
      content: z.string(),
      /** Of the courses before, written when the context was full. */
      summary: z.boolean().optional(),
      ...byPerson,
    }),
    event("reminder.updated", { reminder: z.number().int().positive(), content: z.string(), ...byPerson }),
    event("reminder.deleted", { reminder: z.number().int().positive(), ...byPerson }),
    /** The dialog's mind is clear: nothing before this is shown to any model. `course` is the new one. */
    event("course.started", {
      ...byPerson,
      /** The context was full: the runtime did it, with a summary that a model was asked for. */
      full: z.boolean().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
    }),

    /** `cause`: the stop that this one came with; resuming that one resumes this. `tree`: whoever works for it is stopped with it. */
    event("dialog.stopped", { reason: StopReason, cause: turn.optional(), tree: z.boolean().optional(), ...byPerson }),
    event("dialog.resumed", byPerson),
    event("dialog.completed", byPerson),
    event("dialog.reopened", byPerson),
    event("dialog.archived", byPerson),
    event("dialog.died", byPerson),
    /** Its agent has left the team, and another one takes the dialog over. */
    event("dialog.reassigned", { agent: AgentId }),
    /** Its asker needs it no more: it is completed for good, and the name of its session is free. */
    event("dialog.ended", { endedBy: z.object({ dialog: DialogId, agent: AgentId }) }),
  ])
  .meta({ id: "Event" });
export type TreeEvent = z.infer<typeof TreeEvent>;
export type TreeEventOf<Type extends TreeEvent["type"]> = Extract<TreeEvent, { type: Type }>;

/** A command from outside is known again by its sender's `msgId`; `hash` tells another one under the same id. */
const receipt = { msgId: z.string().optional(), hash: z.string().optional() };

/** What happened to the project as a whole. */
export const ProjectEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("tree.created"), rootId: RootId, by: z.string(), ...receipt }),
  /** Calls like this may run without asking: in the whole project, in one tree, or in one dialog of it. */
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
  /** By a person, or by an agent within `from`: feedback or a plan. */
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
  /** Nobody has it any more; `failed`: it counts as a failure. */
  z.object({ type: z.literal("task.released"), task: TaskId, why: z.string(), failed: z.boolean().optional() }),
  z.object({ type: z.literal("task.closed"), task: TaskId, summary: z.string(), by: z.string().optional(), ...receipt }),
  /** A person has decided that it is tried again: failures count anew. */
  z.object({ type: z.literal("task.retried"), task: TaskId, by: z.string() }),
  /** A person is asked about a section of the requirements, in one of the trees that work on it. */
  z.object({
    type: z.literal("section.asked"),
    section: z.string(),
    rootId: RootId,
    question: QuestionId,
    /** The hash of its words, where other trees may wait for its answer. */
    words: z.string().optional(),
    /** The question of another tree with which it is closed. */
    shares: QuestionId.optional(),
  }),
  /**
   * That question is closed. `answer`: what is told to other trees that ask the same; `words` is the question's hash, `dismissed`
   * says that nobody will answer. `why`: why it was withdrawn or has expired.
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
  /** A notice of a tree, where people find it; its whole text is in the tree. */
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
  /** What a step cost. Counted only where the cost of a day is limited. `date` is UTC's. */
  z.object({ type: z.literal("day.spent"), date: z.string(), cost: z.number().nonnegative() }),
  /** The day's limit is reached, and a person is asked: in one tree, for all. */
  z.object({ type: z.literal("day.asked"), date: z.string(), rootId: RootId, question: QuestionId }),
  /** So much more, no more today, or (neither) the question went without an answer. */
  z.object({
    type: z.literal("day.decided"),
    date: z.string(),
    question: QuestionId,
    more: z.number().optional(),
    isOver: z.boolean().optional(),
  }),
]);
export type ProjectEvent = z.infer<typeof ProjectEvent>;

export type AnyEvent = TreeEvent | ProjectEvent;
