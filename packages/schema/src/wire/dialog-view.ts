import { z } from "zod";
import { DialogState } from "../dialog-state.ts";
import { UnsettledCall } from "../effect.ts";
import { DialogId, RootId } from "../ids.ts";
import { Phase } from "../phase.ts";
import { QuestionView } from "../question.ts";
import { QuestionSummary, Status } from "../records.ts";
import { Copied } from "./copied.ts";

/** A main dialog in a list. */
export const DialogRow = z
  .strictObject({
    rootId: RootId,
    selfId: DialogId,
    agentId: z.string(),
    title: z.string(),
    status: Status,
    state: DialogState,
    /** A turn in its tree may step, or a call may run. */
    needsDrive: z.boolean(),
    /** Why it is stopped. */
    stopped: z.string().optional(),
    createdAt: z.string(),
    lastModified: z.string(),
    cost: z.number().optional(),
    tokens: z.number().optional(),
    /** Open questions of its whole tree, oldest first. */
    questions: z.array(QuestionSummary),
    /** Calls of its tree whose outcome nobody knows. */
    unsettled: z.array(UnsettledCall).optional(),
    /** The nearest deadline. */
    due: z.string().optional(),
    copied: Copied.optional(),
    /** Why its log cannot be read: the file, the line, and the command that repairs it. */
    damaged: z.string().optional(),
  })
  .meta({ id: "DialogRow" });
export interface DialogRow extends z.infer<typeof DialogRow> {}

const delegation = { callId: z.string(), dialogId: DialogId, recipient: z.string() };

const Participant = z.strictObject({
  lastProcessedMessageIndex: z.number().int(),
  sessionId: z.string().optional(),
  /** Tokens in its last request. */
  contextTokens: z.number(),
  /** Time with a step in flight. */
  workedMs: z.number(),
  run: z.strictObject({
    id: z.string(),
    status: z.enum(["executing", "paused", "done"]),
    pendingDelegations: z.array(z.strictObject({ ...delegation, prompt: z.string() })),
    completedDelegations: z.array(z.strictObject({ ...delegation, response: z.string(), completedAt: z.string() })),
    queuedInjections: z.number().int(),
    currentTool: z.string().optional(),
    toolStartedAt: z.string().optional(),
    createdAt: z.string(),
    lastActivityAt: z.string(),
  }),
});

export const Reminder = z.strictObject({ id: z.number().int(), content: z.string() }).meta({ id: "Reminder" });

const Session = z.strictObject({
  agentId: z.string(),
  slug: z.string(),
  dialogId: DialogId,
  /** It has a current assignment. */
  locked: z.boolean(),
  createdAt: z.string(),
  lastAccessed: z.string(),
});

/** A dialog as people and programs see it. */
export const DialogView = z
  .strictObject({
    rootId: RootId,
    selfId: DialogId,
    agentId: z.string(),
    title: z.string(),
    taskDocPath: z.string(),
    createdAt: z.string(),
    lastModified: z.string(),
    status: Status,
    runState: z.enum(["stopped", "dead"]).optional(),
    state: DialogState,
    needsDrive: z.boolean(),
    /** A model is being called for it. */
    generating: z.boolean(),
    /** Side dialogs only: the dialog it belongs under, its session, its branch, and its current asker. */
    supdialogId: DialogId.optional(),
    session: z.string().optional(),
    branch: z.string().optional(),
    askedBy: z.string().optional(),
    stopped: z.strictObject({ code: z.string(), message: z.string(), by: z.string().optional(), at: z.string() }).optional(),
    copied: Copied.optional(),
    course: z.number().int(),
    currentCourse: z.number().int(),
    phase: Phase,
    /** The number of messages so far. */
    messages: z.number().int(),
    /** The last event of its tree. */
    seq: z.number().int(),
    participants: z.record(z.string(), Participant),
    /** How full the context of its own agent is. */
    context: z.strictObject({
      tokens: z.number(),
      /** The model's window. If it is unknown, no share can be given. */
      window: z.number().optional(),
      share: z.number().optional(),
      soft: z.number(),
      hard: z.number(),
    }),
    /** For the whole tree. */
    usage: z.strictObject({ tokens: z.number(), cost: z.number().optional() }),
    /** Time with a step in flight. */
    workedMs: z.number(),
    currentTool: z.string().optional(),
    pending: z.array(
      z.strictObject({
        agentId: z.string(),
        dialogId: DialogId,
        headline: z.string(),
        askedAt: z.string(),
        /** The session it asks is busy. */
        queued: z.boolean(),
      }),
    ),
    questions: z.array(QuestionView),
    reminders: z.array(Reminder),
    queuedMessages: z.number().int(),
    /** Messages that one of their addressees has not read, by `seq`. */
    unread: z.array(z.number().int()),
    /** Main dialogs only. */
    sessions: z.array(Session),
    /** What it is about: the latest hand-off, else a model's summary, else the first request and the last answer, shortened. */
    summary: z.string().optional(),
    /** Files that its agents read or wrote, the latest last. */
    references: z.array(z.string()),
  })
  .meta({ id: "Dialog" });
export interface DialogView extends z.infer<typeof DialogView> {}

/** Who waits for whom. */
export const TreeNode = z
  .strictObject({
    selfId: DialogId,
    agentId: z.string(),
    title: z.string(),
    session: z.string().optional(),
    branch: z.string().optional(),
    state: DialogState,
    createdAt: z.string(),
    /** Agents by id, people as "person". */
    waitsFor: z.array(z.string()),
    questions: z.array(QuestionView.pick({ id: true, headline: true, kind: true, askedAt: true, deadline: true }).strict()),
    get children() {
      return z.array(TreeNode);
    },
  })
  .meta({ id: "TreeNode" });
