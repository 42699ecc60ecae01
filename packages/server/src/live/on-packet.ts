import type { Project, QuestionId } from "@colloquy/library";
import { type ClientPacket, type DialogAddress, type DialogId, mayAct, type Role, type RootId, Refused } from "@colloquy/schema";
import { create, messageOf } from "../api/dialogs.ts";
import { type Context, demand } from "../api/context.ts";
import { demandScope, toQuestion } from "../api/questions.ts";
import type { Caller } from "../access/caller.ts";
import { notFound } from "../http/problem.ts";
import type { ServedProject } from "../served-project.ts";

/** The reply to the sender once the command is durable. */
export interface Acceptance {
  readonly seq: number;
  readonly ack?: string;
  readonly dialog?: DialogAddress;
}

export type CommandPacket = Exclude<ClientPacket, { type: "subscribe" | "unsubscribe" | "presence" }>;

const NEEDS: Partial<Record<CommandPacket["type"], Role>> = { archive: "owner", declare_subdialog_dead: "owner" };

/** Runs a command packet through the same code as its HTTP route. */
export async function onPacket(packet: CommandPacket, caller: Caller, context: Context): Promise<Acceptance> {
  if (context.isStopping()) throw new Refused({ code: "unavailable", message: "The server is about to stop. Try again in a moment." });
  if (packet.type === "create_dialog") {
    const served = theProject(packet.project, caller, context);
    demand(caller, served.id, "member", mayAct);
    const { type: _, requestId: __, project: ___, ...body } = packet;
    const { seq, rootId, selfId } = await create(served.project, caller.nameIn(served.id), body as Parameters<typeof create>[2]);
    return { seq, dialog: { rootId, selfId: selfId as string as DialogId } };
  }
  const signedIn = ({ id }: ServedProject) => ({ by: caller.nameIn(id), ...(packet.msgId !== undefined && { msgId: packet.msgId }) });
  if ("questionId" in packet) {
    const { served, question } = await findQuestion(packet, caller, context);
    demand(caller, served.id, "member", mayAct);
    if (packet.type === "approve") demandScope(caller, served.id, packet);
    return actOnQuestion(served.project, { ...packet, questionId: question }, signedIn(served));
  }
  const { served, place } = await whereIs(packet.dialog, packet.project, caller, context);
  demand(caller, served.id, NEEDS[packet.type] ?? "member", mayAct);
  return actOnDialog(served.project, place, packet, signedIn(served));
}

type QuestionPacket = Extract<CommandPacket, { questionId: string }>;
type DialogPacket = Exclude<CommandPacket, { questionId: string } | { type: "create_dialog" }>;
type Signed = { readonly by: string; readonly msgId?: string };

function actOnQuestion(project: Project, packet: QuestionPacket, signed: Signed): Promise<Acceptance> {
  const id = packet.questionId as QuestionId;
  switch (packet.type) {
    case "drive_dialog_by_user_answer":
      return toQuestion.answer(project, id, packet, signed);
    case "dismiss_question":
      return toQuestion.dismiss(project, id, packet, signed);
    case "ask_back_question":
      return toQuestion.askBack(project, id, packet, signed);
    case "approve": {
      const { scope, pattern, until, shown } = packet;
      const how = { shown, scope, pattern, until, ...("arguments" in packet && { arguments: packet.arguments }) };
      return toQuestion.approve(project, id, how, signed);
    }
    case "deny":
      return toQuestion.deny(project, id, packet, signed);
  }
}

function actOnDialog(project: Project, place: DialogAddress, packet: DialogPacket, signed: Signed): Promise<Acceptance> {
  switch (packet.type) {
    case "drive_dlg_by_user_msg":
      return project.dialogs.send(place, { ...messageOf(packet), ...signed });
    case "interrupt_dialog":
      return project.dialogs.stop(place, { ...signed, tree: packet.scope === "tree" });
    case "resume_dialog":
      return project.dialogs.resume(place, signed);
    case "declare_subdialog_dead":
      return project.dialogs.dead(place, signed);
    case "clear_mind":
      return project.dialogs.clearMind(place, { ...signed, ...(packet.reminder !== undefined && { reminder: packet.reminder }) });
    case "change_mind": {
      const { selector, content, shown } = packet;
      return project.dialogs.changeMind(place, selector, content, { ...signed, ...(shown !== undefined && { shown }) });
    }
    case "set_phase": {
      const { phase, summary, why } = packet;
      return project.dialogs.setPhase(place, phase, {
        ...signed,
        ...(summary !== undefined && { summary }),
        ...(why !== undefined && { why }),
      });
    }
    case "mark_done":
      return project.dialogs.done(place, signed);
    case "archive":
      return project.dialogs.archive(place, signed);
  }
}

/** The projects that the caller may use, or only the one that is named. */
export function projectsFor(named: string | undefined, caller: Caller, context: Context): readonly ServedProject[] {
  const known = context.projects().filter(({ id }) => caller.roleIn(id) !== undefined);
  const chosen = named === undefined ? known : known.filter(({ id }) => id === named);
  if (chosen.length === 0) throw notFound(named === undefined ? "There is no project here." : `There is no project "${named}" here.`);
  return chosen;
}

export function theProject(named: string | undefined, caller: Caller, context: Context): ServedProject {
  const [only, ...others] = projectsFor(named, caller, context);
  if (!only || others.length > 0) throw new Refused({ code: "bad_request", message: "project: several projects are served; name one." });
  return only;
}

/** Ids are unique across projects, so a dialog's id identifies its project. */
export async function whereIs(
  { rootId, selfId = rootId }: { readonly rootId: string; readonly selfId?: string | undefined },
  named: string | undefined,
  caller: Caller,
  context: Context,
): Promise<{ readonly served: ServedProject; readonly place: DialogAddress }> {
  for (const served of projectsFor(named, caller, context)) {
    const place = await orNot(served.project.dialogs.address(selfId));
    if (place && place.rootId === rootId) return { served, place };
  }
  throw notFound(`There is no dialog ${selfId}.`);
}

/** A packet with a dialog id accepts only a question of that dialog or, without `selfId`, of that tree. */
async function findQuestion(
  { questionId, dialog, project: named }: QuestionPacket,
  caller: Caller,
  context: Context,
): Promise<{ readonly served: ServedProject; readonly question: QuestionId }> {
  const found: { readonly served: ServedProject; readonly question: QuestionId }[] = [];
  for (const served of projectsFor(named, caller, context)) {
    const question = await orNot(served.project.questions.get(questionId, dialog?.rootId as RootId | undefined));
    if (!question) continue;
    const isThere =
      dialog === undefined ||
      (dialog.rootId === question.dialog.rootId && (dialog.selfId === undefined || dialog.selfId === question.dialog.selfId));
    if (!isThere)
      throw new Refused({
        code: "question_not_found",
        message: `Question ${questionId} is not in dialog ${dialog.selfId ?? dialog.rootId}.`,
      });
    found.push({ served, question: question.id });
    // An id belongs to one project. An agent's name for its question may exist in several.
    if (question.id === questionId) break;
  }
  const [only, another] = found;
  if (another) throw new Refused({ code: "ambiguous", message: `"${questionId}" names questions of several projects. Use the id of one.` });
  if (!only) throw new Refused({ code: "question_not_found", message: `There is no question ${questionId}.` });
  return only;
}

/** Not found here: the next project is tried. */
const orNot = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    const { code } = error as { code?: unknown };
    if (code === "not_found" || code === "question_not_found") return undefined;
    throw error;
  });
