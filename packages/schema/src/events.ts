import { z } from "zod";
import { ActClass } from "./settings/autonomy.ts";
import { CallEffects, UndoConflict } from "./call-effects.ts";
import { Definition, DefinitionPart } from "./definition.ts";
import { SettledAs } from "./effect.ts";
import { Form } from "./form.ts";
import { AgentId, AskId, CallId, DialogId, QuestionId, RootId } from "./ids.ts";
import { Image } from "./image.ts";
import { Part, Usage } from "./message-parts.ts";
import { NostrEvent } from "./nostr-event.ts";
import { Phase } from "./phase.ts";
import { Choice, LimitName, OfferedChoice, QuestionKind, QuestionSource, QuestionTopic } from "./question.ts";
import type { ProjectEvent } from "./project-events.ts";
import { StopReason } from "./stop-reason.ts";
import { TaskRef } from "./task.ts";

/** Every event of a tree names its dialog and that dialog's course. */
const event = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.object({ type: z.literal(type), dialog: DialogId, course: z.number().int().positive(), ...fields });

/** A turn's id is the `seq` of the event that opened it. A step is numbered within its turn. */
const turn = z.number().int().positive();
const step = { agent: AgentId, turn, step: z.number().int().positive() };

/** Fingerprints of documents by path; "" for a document that does not exist. */
const Docs = z.record(z.string(), z.string());

/** How a side dialog was created. */
export const Side = z.object({
  /** The dialog it belongs under: the first asker's. It never changes. */
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

/** The result of a call. */
const callOutput = {
  output: z.string(),
  /** The full output, stored beside the log if it was cut for the model. */
  blob: z.object({ name: z.string(), bytes: z.number().int().nonnegative() }).optional(),
  /** Attachments that are not text, stored beside the log. */
  files: z.array(z.object({ name: z.string(), bytes: z.number().int().nonnegative(), mediaType: z.string() })).optional(),
  ms: z.number().int().nonnegative().optional(),
};

/** Absent if the runtime did it. `msgId` and the hash of the command identify repetitions. */
const byPerson = { by: z.string().optional(), msgId: z.string().optional(), hash: z.string().optional() };

/**
 * Every event that a tree can have. Past tense, and never edited once released. Decisions are recorded (`ends`, `opens`), so that folding
 * repeats none of them.
 */
export const TreeEvent = z
  .discriminatedUnion("type", [
    event("dialog.created", {
      agent: AgentId,
      title: z.string(),
      taskDocPath: z.string(),
      by: z.string().optional(),
      side: Side.optional(),
      /** The task whose main dialog this is. */
      task: TaskRef.optional(),
      /** The outside program whose question it holds. No agent works here; it is completed when the question is closed. */
      program: z.string().optional(),
    }),
    /**
     * All of the tree before this event is a copy of another tree: a fork of one in this project, cut after its event `at`, or an import from
     * a file. `holds`: calls with effects wait for approval, whatever the settings say.
     */
    event("dialog.copied", {
      as: z.enum(["fork", "import"]),
      from: RootId,
      at: z.number().int().positive(),
      holds: z.boolean().optional(),
      ...byPerson,
    }),
    event("dialog.renamed", {
      title: z.string(),
      ...byPerson,
      /** The model that wrote the title, if one did. */
      model: z.string().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
    }),

    /** A model's summary of the conversation so far. A hand-off (`phase.set`) takes precedence. */
    event("dialog.summarised", {
      summary: z.string(),
      model: z.string().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
    }),

    /** A person's message. `opens`: agents for which it opens a turn. For the others in `to`, it joins the open turn. */
    event("message.added", {
      by: z.string(),
      msgId: z.string().optional(),
      hash: z.string().optional(),
      content: z.string(),
      to: z.array(AgentId),
      opens: z.array(AgentId).optional(),
      images: z.array(Image).optional(),
      /** A waiting turn reads it at once. What the turn waits for stays open. */
      now: z.boolean().optional(),
      /** Like `now`, and the addressed agents' current work is broken off first. */
      interrupt: z.boolean().optional(),
      /** The agent is given the task. The turn that this opens is the task's run. */
      task: z.boolean().optional(),
      sessionId: z.string().optional(),
      /** The `traceparent` of the request that brought it. */
      trace: z.string().optional(),
    }),
    /** The reply that the sender got at once because the agent was busy. No agent is shown it. `message` is the sender's event. */
    event("message.acknowledged", {
      agent: AgentId,
      message: turn,
      text: z.string(),
      /** A model wrote the reply and wanted the agent's step to be aborted. */
      stops: z.boolean().optional(),
      model: z.string().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
    }),
    /** Sets the dialog's phase. The same phase again is a hand-off. Done by the dialog's own agent or by a person. */
    event("phase.set", {
      agent: AgentId.optional(),
      phase: Phase,
      why: z.string().optional(),
      summary: z.string().optional(),
      ...byPerson,
    }),
    /** The system's note to one turn. */
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
      /** The ask whose dialog was stopped or resumed. */
      ask: AskId.optional(),
      text: z.string(),
      /** The message that this note introduces. */
      before: turn.optional(),
      docs: Docs.optional(),
      /** The mark of the situation that this note describes. */
      stands: z.string().optional(),
    }),

    /**
     * A model's output, with the last `seq` it was shown. `gen` numbers the generations of the course. `ends`: the turn ends with this
     * step.
     */
    event("step.ended", {
      ...step,
      seen: z.number().int().nonnegative(),
      /** The number of messages in the dialog at that time: the agent's `lastProcessedMessageIndex`. */
      index: z.number().int().nonnegative(),
      gen: z.number().int().positive(),
      parts: z.array(Part),
      ends: z.boolean().optional(),
      /** What others had written in the meantime was shown in a block before its trigger. */
      away: z.boolean().optional(),
      /** Why the provider ended the reply, if the model did not: `length` is its output limit. */
      finish: z.enum(["length"]).optional(),
      /** The complete reply, if this step continued one that the output limit had cut off. */
      whole: z.string().optional(),
      /** The turn would have ended here, and continues only because a message had arrived. */
      reached: z.boolean().optional(),
      model: z.string().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
      ms: z.number().int().nonnegative(),
      sessionId: z.string().optional(),
      /** Documents that it was shown for the first time in this version, by path and fingerprint. */
      docs: Docs.optional(),
      /** The mark of the situation in its prompt, if that was new to the turn. */
      stands: z.string().optional(),
      /** What its agent was defined as, unless that is as in the step before it in its turn. */
      definition: Definition.optional(),
      /** The status of a task's run that this text reports. */
      status: z.enum(["success", "failed"]).optional(),
    }),
    /** What was streamed before somebody stopped the step. Kept for people; no model is shown it. */
    event("step.cut", { ...step, gen: z.number().int().positive(), parts: z.array(Part), ms: z.number().int().nonnegative() }),
    /** A step interrupted by a crash is about to be retried. `alone`: with nothing else in flight. */
    event("step.attempted", { ...step, alone: z.boolean().optional() }),

    /** A turn continues under another definition of its agent. `parts`: what differs. No model is shown it. */
    event("definition.changed", { agent: AgentId, turn, parts: z.array(DefinitionPart), definition: Definition }),

    /** Recorded before the effect of a tool that may not be repeated. */
    event("call.started", {
      agent: AgentId,
      turn,
      call: CallId,
      /** It runs on a layer and can touch nothing else, so it has no effect until the layer is applied. */
      staged: z.literal(true).optional(),
    }),
    /** It has run on a layer. Its effects have been judged but not applied; that, or a person's approval, comes next. */
    event("call.ran", { agent: AgentId, turn, call: CallId, ...callOutput, effects: CallEffects }),
    /** A person wants a command's changes undone. `call.undone` records whether that succeeded. */
    event("call.undo_asked", { agent: AgentId, call: CallId, ...byPerson }),
    /** A command's changes were undone; or, with `refused`, nothing was changed. */
    event("call.undone", {
      agent: AgentId,
      call: CallId,
      tool: z.string(),
      by: z.string().optional(),
      /** The first paths that the command had changed, and the number of further ones. */
      paths: z.array(z.string()),
      more: z.number().int().nonnegative(),
      /** Further remarks for people. */
      notes: z.array(z.string()).optional(),
      /** What the tool's `undo` said, or why it failed. Absent if a layer was undone. */
      output: z.string().optional(),
      /**
       * `conflict`: some of the files have changed since. `gone`: what the command replaced is no longer stored, or its tool is not here.
       * `failed`: its tool could not undo it. `unknown`: nobody knows whether it did.
       */
      refused: z.enum(["conflict", "gone", "failed", "unknown"]).optional(),
      conflicts: z.array(UndoConflict).optional(),
    }),
    /** A person says how a call with an unknown outcome ended. */
    event("call.settled", {
      agent: AgentId,
      call: CallId,
      tool: z.string(),
      as: SettledAs,
      /** Not the call, but its undo. */
      undo: z.literal(true).optional(),
      note: z.string().optional(),
      ...byPerson,
    }),
    /** A call, or a whole turn if `call` is absent, waits for a question that is already open. */
    event("call.held", {
      agent: AgentId,
      turn,
      call: CallId.optional(),
      question: QuestionId,
      /** How much of the limit it needs; see `question.asked`. */
      needs: z.number().optional(),
    }),
    /** The limit has room for this call or turn again, so it no longer waits for the question. Others may still wait. */
    event("call.released", { agent: AgentId, turn, call: CallId.optional(), question: QuestionId, needs: z.number().optional() }),
    event("call.ended", {
      agent: AgentId,
      turn,
      call: CallId,
      ...callOutput,
      /** `error`: it ran and failed. `refused`: it had no effect. `unknown`: nobody knows whether it took effect. */
      outcome: z.enum(["error", "refused", "unknown"]).optional(),
      /** Documents shown in the result. */
      docs: Docs.optional(),
      /** Its turn had been given up and was already over. */
      late: z.boolean().optional(),
      /** Its tool can undo it. */
      undoable: z.literal(true).optional(),
      /** It ran in the tree that this one is a copy of. */
      copied: z.literal(true).optional(),
    }),

    /**
     * A document is about to change from one version to another: by a call, whose input holds the text, or by a person, whose text is here.
     * The file is written after this event is durable; `document.written` or the call's end confirms it.
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
      /** Somebody else had changed the file in the meantime, and their version was kept. */
      taken: z.boolean().optional(),
    }),

    /** A turn that will not continue: its assignment was cancelled, or a person closed the dialog. */
    event("turn.ended", { agent: AgentId, turn }),

    /**
     * A turn asks the side dialog `to` or, in an ask-back, the turn that gave the assignment `about`. Its id is derived from the call. It
     * opens a turn there, unless the session is busy (`queued`).
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
    /** A session starts its next queued assignment. */
    event("assignment.begun", { agent: AgentId, ask: AskId }),
    /** The one answer to an ask, in the asker's dialog. `quote` says what it answers, in case the asker has cleared its mind. */
    event("ask.answered", {
      agent: AgentId,
      turn,
      ask: AskId,
      content: z.string(),
      quote: z.string(),
      marker: z.enum(["final", "fresh", "freshReasoning"]).optional(),
      outcome: z.enum(["failed", "cancelled", "expired", "dead"]).optional(),
    }),

    /** Something a person must decide. Questions of one step share a notification. */
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
      /** How much of the limit is needed to continue: the call's depth, the asks it opens, or the turn's steps. */
      needs: z.number().optional(),
      /** Set for questions the system asks that are of none of the kinds. */
      topic: QuestionTopic.optional(),
      /** The earlier question with the same words whose answer it reuses. */
      reuses: QuestionId.optional(),
      /** A question in another tree about the same section. This one closes with it, and people see only that one. */
      shares: QuestionId.optional(),
      /** For approvals: the tool, the call's classes, and the file versions it was shown with. */
      tool: z.string().optional(),
      classes: z.array(ActClass).optional(),
      basis: Docs.optional(),
      /** The agent's own id for it, and when the agent says it wrote it. */
      given: z.object({ id: z.string().optional(), createdAt: z.string().optional() }).optional(),
      /** A tool's form, asked during its call. The call waits for the answer and is not ended by it. */
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
    /** Approvals have a `verdict`, limits have `more`. */
    event("question.closed", {
      agent: AgentId,
      question: QuestionId,
      as: z.enum(["answered", "dismissed", "withdrawn", "expired"]),
      content: z.string().optional(),
      choice: z.array(z.string()).optional(),
      verdict: z.enum(["approved", "denied"]).optional(),
      arguments: z.unknown().optional(),
      /** Further calls that may run without asking, by tool and input. */
      grant: z.object({ pattern: z.string(), scope: z.enum(["dialog", "task", "project"]), until: z.number().int().optional() }).optional(),
      /** The grant that approved it. */
      byGrant: z.string().optional(),
      more: z.number().optional(),
      /** The values entered in a form, by field name. */
      values: z.record(z.string(), z.unknown()).optional(),
      /** The person's own signed event, so that anybody can verify who decided. */
      proof: NostrEvent.optional(),
      ...byPerson,
    }),

    /** A call of this class continues without asking, and people are told what it does. */
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

    /** The result of a task's run, according to its last text. `asks`: it ended with questions. */
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
      /** A summary of earlier courses, written when the context was full. */
      summary: z.boolean().optional(),
      ...byPerson,
    }),
    event("reminder.updated", { reminder: z.number().int().positive(), content: z.string(), ...byPerson }),
    event("reminder.deleted", { reminder: z.number().int().positive(), ...byPerson }),
    /** The dialog's mind was cleared: no model is shown anything before this event. `course` is the new one. */
    event("course.started", {
      ...byPerson,
      /** The context was full, so the runtime started the course with a summary written by a model. */
      full: z.boolean().optional(),
      usage: Usage.optional(),
      cost: z.number().nonnegative().optional(),
    }),

    /**
     * `cause`: the stop that caused this one; resuming that dialog resumes this one. `tree`: dialogs that work for it are stopped with it.
     */
    event("dialog.stopped", { reason: StopReason, cause: turn.optional(), tree: z.boolean().optional(), ...byPerson }),
    event("dialog.resumed", byPerson),
    event("dialog.completed", byPerson),
    event("dialog.reopened", byPerson),
    event("dialog.archived", byPerson),
    event("dialog.died", byPerson),
    /** Its agent has left the team, and another one takes over the dialog. */
    event("dialog.reassigned", { agent: AgentId }),
    /** Its asker no longer needs it. It is completed for good, and the name of its session becomes free. */
    event("dialog.ended", { endedBy: z.object({ dialog: DialogId, agent: AgentId }) }),
  ])
  .meta({ id: "Event" });
export type TreeEvent = z.infer<typeof TreeEvent>;
export type TreeEventOf<Type extends TreeEvent["type"]> = Extract<TreeEvent, { type: Type }>;

export type AnyEvent = TreeEvent | ProjectEvent;
