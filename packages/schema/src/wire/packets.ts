import { z } from "zod";
import { ProjectRow, Recorded } from "../answers.ts";
import { DialogRow } from "./dialog-view.ts";
import { DialogId, RootId } from "../ids.ts";
import { LiveEvent } from "./live.ts";
import { Notification, NotificationQuestion } from "../notification.ts";
import { TaskView } from "../task.ts";
import { QuestionSource, QuestionView } from "../question.ts";
import * as requests from "./requests.ts";
import { WireErrorCode } from "./wire-error.ts";

/** The version of what is said over the socket. */
export const PROTOCOL = 1;

/** A dialog by its tree's id; `selfId` names another one of that tree. An unknown id is not found, never a bad packet. */
export const DialogRef = z.strictObject({ rootId: z.string(), selfId: z.string().optional() });
const cursor = z.number().int().nonnegative();

const packet = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({
    type: z.literal(type),
    /** The client's name for this packet; the answer carries it. */
    requestId: z.string().min(1).max(200),
    /** Needed only where a server serves several and the packet names no dialog or question. */
    project: z.string().optional(),
    ...fields,
  });
const toDialog = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  packet(type, { dialog: DialogRef, ...fields });
/** `dialog`, if given, must hold the question: its tree by `rootId`, and the very dialog by `selfId`. */
const toQuestion = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  packet(type, { dialog: DialogRef.optional(), questionId: z.string(), ...fields });

export const ClientPacket = z.discriminatedUnion("type", [
  /**
   * With `dialog`: the events of its tree after the `seq` given (absent: from now on), and what is said there; `selfId` limits
   * what is said live to that dialog. Without: what concerns the whole project, after the `pos` given.
   */
  packet("subscribe", { dialog: DialogRef.optional(), after: cursor.optional() }),
  packet("unsubscribe", { dialog: DialogRef.optional() }),
  packet("create_dialog", requests.CreateDialog.shape),
  toDialog("drive_dlg_by_user_msg", requests.SendMessage.shape),
  toQuestion("drive_dialog_by_user_answer", { ...requests.Answering.shape, continuationType: z.literal("answer") }),
  toQuestion("dismiss_question", requests.Dismissing.shape),
  toQuestion("ask_back_question", requests.AskingBack.shape),
  toQuestion("approve", requests.Approving.shape),
  toQuestion("deny", requests.Denying.shape),
  /** `tree`: and whoever works for it. */
  toDialog("interrupt_dialog", { scope: z.enum(["dialog", "tree"]).optional(), msgId: requests.MsgId.optional() }),
  toDialog("resume_dialog", requests.Plain.shape),
  toDialog("declare_subdialog_dead", requests.Plain.shape),
  toDialog("clear_mind", requests.ClearMind.shape),
  toDialog("change_mind", requests.ChangeMind.shape),
  toDialog("set_phase", requests.SetPhase.shape),
  toDialog("mark_done", requests.Plain.shape),
  toDialog("archive", requests.Plain.shape),
  /** What this person has open; told to the others, never stored. */
  packet("presence", { questionId: z.string().optional(), writing: z.boolean().optional() }),
]);
export type ClientPacket = z.infer<typeof ClientPacket>;
export type ClientPacketOf<Type extends ClientPacket["type"]> = Extract<ClientPacket, { type: Type }>;

const told = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields });
const dialog = z.strictObject({ rootId: RootId, selfId: DialogId });
/** Of the whole project: `subscribe` with `after: pos` resumes behind it. */
const ofProject = { projectId: z.string(), pos: cursor };

export const ServerPacket = z.discriminatedUnion("type", [
  told("welcome", {
    protocol: z.literal(PROTOCOL),
    version: z.string(),
    user: z.string(),
    role: z.string(),
    projects: z.array(ProjectRow.extend({ pos: cursor })),
  }),
  /** It is durable. `dialog` is that of a `create_dialog`; `pos` is where a subscription to a project begins. */
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
  /** None of its questions is open any more; each is there with its answer. */
  told("notification.resolved", {
    ...ofProject,
    notificationId: z.string(),
    source: QuestionSource,
    sourceId: z.string(),
    questions: z.array(NotificationQuestion),
  }),
  told("task.updated", { ...ofProject, task: TaskView }),
  told("dialog.updated", { ...ofProject, dialog: DialogRow }),
  /** What somebody else has open; `gone`: they left. */
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

/** Why a server closes a socket. After each of them but the first one may come back, and resumes from one's cursor. */
export const CLOSE_CODES = {
  /** Wrong token or origin: coming back with the same changes nothing. */
  refused: 4001,
  /** The server stops; come back in a moment. */
  stopping: 1012,
  /** What was sent was not read fast enough: come back and resume from your cursor. */
  tooSlow: 4008,
  /** Packets came faster than the rate limit allows. */
  tooFast: 4029,
} as const;
