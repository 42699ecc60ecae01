import { z } from "zod";
import { ProjectRow, Recorded } from "../answers.ts";
import { DialogRow } from "./dialog-view.ts";
import { DialogAddress, RootId } from "../ids.ts";
import { LiveEvent } from "./live.ts";
import { Notification, NotificationQuestion } from "../notification.ts";
import { TaskView } from "../task.ts";
import { QuestionSource, QuestionView } from "../question.ts";
import * as requests from "./requests.ts";
import { WireErrorCode } from "./wire-error.ts";

/** The version of the socket's protocol. */
export const PROTOCOL = 1;

/** A dialog by its tree's id. `selfId` names another dialog of that tree. An unknown id is `not_found`, never a bad packet. */
export const DialogRef = z.strictObject({ rootId: z.string(), selfId: z.string().optional() });
export interface DialogRef extends z.infer<typeof DialogRef> {}
const cursor = z.number().int().nonnegative();

const packet = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({
    type: z.literal(type),
    /** The client's id for this packet. The answer carries it. */
    requestId: z.string().min(1).max(200),
    /** Needed only if the server serves several projects and the packet names no dialog or question. */
    project: z.string().optional(),
    ...fields,
  });
const toDialog = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  packet(type, { dialog: DialogRef, ...fields });
/** `dialog`, if given, must contain the question: `rootId` names its tree, `selfId` the dialog itself. */
const toQuestion = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  packet(type, { dialog: DialogRef.optional(), questionId: z.string(), ...fields });

export const ClientPacket = z.discriminatedUnion("type", [
  /**
   * With `dialog`: events of its tree after the given `seq` (from now on if absent), and live output; `selfId` limits live output to that
   * dialog. Without: events of the whole project after the given `pos`. `only: "live"`: live output or presence, without recorded events.
   */
  packet("subscribe", { dialog: DialogRef.optional(), after: cursor.optional(), only: z.literal("live").optional() }),
  packet("unsubscribe", { dialog: DialogRef.optional() }),
  packet("create_dialog", requests.CreateDialog.shape),
  toDialog("drive_dlg_by_user_msg", requests.SendMessage.shape),
  toQuestion("drive_dialog_by_user_answer", { ...requests.Answering.shape, continuationType: z.literal("answer") }),
  toQuestion("dismiss_question", requests.Dismissing.shape),
  toQuestion("ask_back_question", requests.AskingBack.shape),
  toQuestion("approve", requests.Approving.shape),
  toQuestion("deny", requests.Denying.shape),
  /** `tree`: also stops the dialogs that work for it. */
  toDialog("interrupt_dialog", { scope: z.enum(["dialog", "tree"]).optional(), msgId: requests.MsgId.optional() }),
  toDialog("resume_dialog", requests.Plain.shape),
  toDialog("declare_subdialog_dead", requests.Plain.shape),
  toDialog("clear_mind", requests.ClearMind.shape),
  toDialog("change_mind", requests.ChangeMind.shape),
  toDialog("set_phase", requests.SetPhase.shape),
  toDialog("mark_done", requests.Plain.shape),
  toDialog("archive", requests.Plain.shape),
  /** What this person has open. Sent to others, never stored. */
  packet("presence", { questionId: z.string().optional(), writing: z.boolean().optional() }),
]);
export type ClientPacket = z.infer<typeof ClientPacket>;

const told = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields });
const dialog = DialogAddress;
/** For project events. `subscribe` with `after: pos` resumes after this one. */
const ofProject = { projectId: z.string(), pos: cursor };

export const ServerPacket = z.discriminatedUnion("type", [
  told("welcome", {
    protocol: z.literal(PROTOCOL),
    version: z.string(),
    user: z.string(),
    role: z.string(),
    projects: z.array(ProjectRow.extend({ pos: cursor })),
  }),
  /** The command is durable. `dialog`: the one that `create_dialog` created. `pos`: where a subscription to a project starts. */
  told("accepted", {
    requestId: z.string(),
    msgId: z.string().optional(),
    seq: cursor,
    dialog: dialog.optional(),
    pos: cursor.optional(),
    ack: z.string().optional(),
  }),
  told("refused", { requestId: z.string().optional(), code: WireErrorCode, message: z.string(), question: QuestionView.optional() }),
  told("recorded", Recorded.shape),
  ...LiveEvent.options,
  told("questions_count_update", {
    ...ofProject,
    dialog,
    course: z.number().int(),
    previousCount: z.number().int(),
    questionCount: z.number().int(),
  }),
  told("notification.added", { ...ofProject, notification: Notification }),
  /** None of its questions is open any more. Each comes with its answer. */
  told("notification.resolved", {
    ...ofProject,
    notificationId: z.string(),
    source: QuestionSource,
    sourceId: z.string(),
    questions: z.array(NotificationQuestion),
  }),
  /** The question was asked, revised, discussed, replied to or closed. */
  told("question.updated", { ...ofProject, question: QuestionView }),
  told("task.updated", { ...ofProject, task: TaskView }),
  /** The numbers of its row have changed: open questions, and trees at work. */
  told("project.updated", { ...ofProject, questions: z.number().int(), running: z.number().int() }),
  told("dialog.updated", { ...ofProject, dialog: DialogRow }),
  /** With its questions, notices and side dialogs. */
  told("dialog.deleted", { ...ofProject, rootId: RootId }),
  /** What another person has open. `gone`: they left. */
  told("presence", {
    projectId: z.string(),
    user: z.string(),
    client: z.string(),
    questionId: z.string().optional(),
    writing: z.boolean().optional(),
    gone: z.boolean().optional(),
  }),
]);
export type ServerPacket = z.infer<typeof ServerPacket>;
export type ServerPacketOf<Type extends ServerPacket["type"]> = Extract<ServerPacket, { type: Type }>;

/** Why a server closes a socket. After all but the first, a client may reconnect and resume from its cursor. */
export const CLOSE_CODES = {
  /** Wrong token or origin: reconnecting with the same does not help. */
  refused: 4001,
  /** The server is stopping. Reconnect in a moment. */
  stopping: 1012,
  /** The client read too slowly. Reconnect and resume from the cursor. */
  tooSlow: 4008,
  /** Packets kept coming far above the rate limit. Reconnect later, and resume from the cursor. */
  tooFast: 4029,
} as const;
