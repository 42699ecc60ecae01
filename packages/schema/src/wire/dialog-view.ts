import { z } from "zod";
import { DialogId, QuestionId, RootId } from "../ids.ts";
import { Phase } from "../phase.ts";
import { QuestionView } from "../question.ts";
import { QuestionSummary, Status } from "../records.ts";

/** How a dialog looks from outside, in one word. `interrupted`: it would be at work, but no process drives it. */
export const DialogState = z.enum(["working", "asking", "waiting", "stopped", "done", "archived", "dead", "resting", "interrupted"]);

/** A main dialog in a list. */
export const DialogRow = z
  .strictObject({
    rootId: RootId,
    selfId: DialogId,
    agentId: z.string(),
    title: z.string(),
    status: Status,
    state: DialogState,
    /** Somebody in its tree may go on, or a call may run. */
    needsDrive: z.boolean(),
    /** Why it stands still. */
    stopped: z.string().optional(),
    createdAt: z.string(),
    lastModified: z.string(),
    cost: z.number().optional(),
    tokens: z.number().optional(),
    /** Open questions of its whole tree, oldest first. */
    questions: z.array(QuestionSummary),
    /** The nearest deadline. */
    due: z.string().optional(),
    /** Why its log cannot be read: the file, the line, and the command that repairs it. */
    damaged: z.string().optional(),
  })
  .meta({ id: "DialogRow" });
export interface DialogRow extends z.infer<typeof DialogRow> {}

const delegation = { callId: z.string(), dialogId: DialogId, recipient: z.string() };

const Participant = z.strictObject({
  lastProcessedMessageIndex: z.number().int(),
  sessionId: z.string().optional(),
  /** Tokens that its last request took. */
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
    /** Side dialogs only: what it hangs under, the session that it is, the branch that it was given, who asks it now. */
    supdialogId: DialogId.optional(),
    session: z.string().optional(),
    branch: z.string().optional(),
    askedBy: z.string().optional(),
    stopped: z.strictObject({ code: z.string(), message: z.string(), by: z.string().optional(), at: z.string() }).optional(),
    course: z.number().int(),
    currentCourse: z.number().int(),
    phase: Phase,
    /** How many messages it has had. */
    messages: z.number().int(),
    /** The last event of its tree. */
    seq: z.number().int(),
    participants: z.record(z.string(), Participant),
    /** How full the mind of its own agent is. */
    context: z.strictObject({
      tokens: z.number(),
      /** What its model reads at once; absent where that is not known, and then there is no share. */
      window: z.number().optional(),
      share: z.number().optional(),
      soft: z.number(),
      hard: z.number(),
    }),
    /** Of the whole tree. */
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
        /** The session that it asks is busy. */
        queued: z.boolean(),
      }),
    ),
    questions: z.array(QuestionView),
    reminders: z.array(Reminder),
    queuedMessages: z.number().int(),
    /** The messages that somebody whom they address has not read, by `seq`. */
    unread: z.array(z.number().int()),
    /** Main dialogs only. */
    sessions: z.array(Session),
    /** What it is about: the newest hand-off, else what a model wrote, else its first request and last answer in short. */
    summary: z.string().optional(),
    /** Files that its agents read or wrote, the last one last. */
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
    /** In words: agents by id, people as "person". */
    waitsFor: z.array(z.string()),
    questions: z.array(
      z.strictObject({
        id: QuestionId,
        headline: z.string(),
        kind: z.string(),
        askedAt: z.string(),
        deadline: z.string().optional(),
      }),
    ),
    get children() {
      return z.array(TreeNode);
    },
  })
  .meta({ id: "TreeNode" });
