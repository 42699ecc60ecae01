import type { Project, QuestionId } from "@colloquy/library";
import { mayAct, type NotificationQuestion, type queries, Refused, type requests, type RootId } from "@colloquy/schema";
import type { z } from "zod";
import { problemOf } from "../http/problem.ts";
import type { Caller } from "../access/caller.ts";
import { type Asked, demand, projectOf } from "./context.ts";
import { signedBy } from "./dialogs.ts";

type Body<Name extends keyof typeof requests> = (typeof requests)[Name] extends z.ZodType ? z.output<(typeof requests)[Name]> : never;
type Query<Name extends keyof typeof queries> = z.output<(typeof queries)[Name]>;

export async function questions(asked: Asked<Query<"QuestionsQuery">>) {
  const { project } = projectOf(asked);
  const { status, dialog, after, limit } = asked.query;
  if (dialog !== undefined) {
    const { rootId } = await project.dialogs.address(dialog);
    const { items, next } = await project.questions.inTree(rootId, {
      limit,
      ...(status && { status }),
      ...(after !== undefined && { after: after as QuestionId }),
    });
    return { questions: items, ...(next !== undefined && { next }) };
  }
  if (status === "open") {
    const all = await project.questions.list();
    const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const page = all.slice(from, from + limit);
    const last = from + limit < all.length ? page.at(-1)?.id : undefined;
    return { questions: page, ...(last !== undefined && { next: last }) };
  }
  const { items, next } = await project.questions.page({
    limit,
    ...(status && { status }),
    ...(after !== undefined && { after: after as RootId }),
  });
  return { questions: items, ...(next !== undefined && { next }) };
}

export async function askPeople(asked: Asked<unknown, Body<"AskPeople">>) {
  const { project, id } = projectOf(asked);
  const made = await project.questions.ask({ ...asked.body, by: asked.caller.nameIn(id) });
  const page = asked.context.pageUrl?.();
  return { ...made, ...(page !== undefined && { url: `${page}/p/${encodeURIComponent(id)}/q/${made.questionId}` }) };
}

const idOf = ({ params }: Asked): QuestionId => (params.qid ?? "") as QuestionId;

export const question = (asked: Asked) => projectOf(asked).project.questions.get(idOf(asked));

type Signed = { readonly by: string; readonly msgId?: string };
type Unsigned<Name extends "Answering" | "Dismissing" | "AskingBack" | "Approving" | "Denying"> = Omit<Body<Name>, "msgId">;

/** Actions on questions, for both routes and packets. A refusal for a closed question includes the question. */
export const toQuestion = {
  answer: (project: Project, id: QuestionId, { content, choice, shown }: Unsigned<"Answering">, signed: Signed) =>
    explained(project, id, () =>
      project.questions.answer(id, {
        ...signed,
        ...(content !== undefined && { content }),
        ...(choice !== undefined && { choice: Array.isArray(choice) ? choice : [choice] }),
        ...(shown !== undefined && { shown }),
      }),
    ),
  dismiss: (project: Project, id: QuestionId, { why }: Unsigned<"Dismissing">, signed: Signed) =>
    explained(project, id, () => project.questions.dismiss(id, { ...signed, ...(why !== undefined && { why }) })),
  askBack: (project: Project, id: QuestionId, { content }: Unsigned<"AskingBack">, signed: Signed) =>
    explained(project, id, () => project.questions.askBack(id, content, signed)),
  approve: (project: Project, id: QuestionId, { until, scope, pattern, shown, ...how }: Unsigned<"Approving">, signed: Signed) =>
    explained(project, id, () =>
      project.questions.approve(id, {
        ...signed,
        shown,
        ...(scope !== undefined && { scope }),
        ...(pattern !== undefined && { pattern }),
        ...("arguments" in how && { arguments: how.arguments }),
        ...(until !== undefined && { until: typeof until === "number" ? until : Date.parse(until) }),
      }),
    ),
  deny: (project: Project, id: QuestionId, { why, shown }: Unsigned<"Denying">, signed: Signed) =>
    explained(project, id, () => project.questions.deny(id, { ...signed, shown, ...(why !== undefined && { why }) })),
};

/** Approving more than one call creates a grant. */
export function demandScope(caller: Caller, projectId: string, { scope = "once", pattern }: Unsigned<"Approving">): void {
  if (scope !== "once" || pattern !== undefined) demand(caller, projectId, "owner", mayAct);
}

async function explained<T>(project: Project, id: QuestionId, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refused) || (error.code !== "question_not_open" && error.code !== "question_changed")) throw error;
    throw new Refused({ code: error.code, message: error.message, question: await project.questions.get(id) });
  }
}

type Act = keyof typeof toQuestion;
const acting =
  <Name extends Act>(act: Name) =>
  (asked: Asked) => {
    const { id, project } = projectOf(asked);
    const body = asked.body as Parameters<(typeof toQuestion)[Name]>[2];
    if (act === "approve") demandScope(asked.caller, id, body as Unsigned<"Approving">);
    return (toQuestion[act] as (...all: readonly unknown[]) => Promise<{ seq: number }>)(project, idOf(asked), body, signedBy(asked));
  };

export const answer = acting("answer");
export const dismiss = acting("dismiss");
export const askBack = acting("askBack");
export const approve = acting("approve");
export const deny = acting("deny");

export async function notifications(asked: Asked<Query<"NotificationsQuery">>) {
  const { project } = projectOf(asked);
  const { status, kind, after, limit } = asked.query;
  const { items, next } = await project.notifications.list({
    limit,
    ...(status && { status }),
    ...(kind && { kind }),
    ...(after !== undefined && { after }),
  });
  return { notifications: items, ...(next !== undefined && { next }) };
}

/** A question of this notification, by its id or its agent's name for it. */
function namedIn(notification: string, all: readonly NotificationQuestion[], typed: string): QuestionId {
  const [known] = all.filter(({ id }) => id === typed);
  const [named, another] = all.filter(({ given }) => given?.id === typed);
  if (!known && another)
    throw new Refused({ code: "ambiguous", message: `Notification ${notification} has several questions "${typed}". Use the id of one.` });
  const found = known ?? named;
  if (!found) throw new Refused({ code: "question_not_found", message: `Notification ${notification} has no question ${typed}.` });
  return found.id;
}

/** Each question has its own outcome; one refusal does not affect the others. */
export async function patchNotification(asked: Asked<unknown, requests.NotificationPatch>) {
  const { project } = projectOf(asked);
  const id = asked.params.nid ?? "";
  const { questions: all, kind, status } = await project.notifications.get(id);
  const { body } = asked;
  const { by, msgId } = signedBy(asked);
  if (kind === "notice") {
    if (!("dismissed" in body))
      throw new Refused({ code: "bad_request", message: "A notice cannot be answered. Send {dismissed: true} to dismiss it." });
    if (status === "open") await project.notices.dismiss(id, signedBy(asked));
    return { outcomes: [], notification: await project.notifications.get(id) };
  }
  const signed = (questionId: string): Signed => ({ by, ...(msgId !== undefined && { msgId: `${msgId.slice(0, 160)}/${questionId}` }) });
  const open = all.filter((one) => one.status === "open");
  // If the notification is resolved, each question reports its outcome, or that this verdict repeats it.
  const meant = (open.length > 0 ? open : all).map((one) => one.id);
  const shownOf = async (questionId: QuestionId) => (await project.questions.get(questionId)).shown;
  const why = "reason" in body && body.reason !== undefined ? { why: body.reason } : {};
  const acts: readonly (readonly [string, (questionId: QuestionId) => Promise<{ readonly seq: number }>])[] =
    "responses" in body
      ? body.responses.map(({ questionId, answer: given }) => [
          questionId,
          (typed) => {
            const one = namedIn(id, all, typed);
            return toQuestion.answer(project, one, typeof given === "string" ? { content: given } : given, signed(one));
          },
        ])
      : meant.map((questionId) => [
          questionId,
          async (one) =>
            "dismissed" in body
              ? toQuestion.dismiss(project, one, why, signed(one))
              : body.approved
                ? toQuestion.approve(project, one, { shown: await shownOf(one) }, signed(one))
                : toQuestion.deny(project, one, { shown: await shownOf(one), ...why }, signed(one)),
        ]);
  const outcomes = [];
  const failures: Refused[] = [];
  for (const [questionId, act] of acts) {
    try {
      const { seq } = await act(questionId as QuestionId);
      outcomes.push({ questionId, seq });
    } catch (error) {
      const problem = problemOf(error, asked.context.report);
      failures.push(problem);
      outcomes.push({ questionId, error: { code: problem.code, message: problem.message } });
    }
  }
  // A verdict that is too late for every question is refused.
  const [first] = failures;
  if (!("responses" in body) && open.length === 0 && first && failures.length === outcomes.length) throw first;
  return { outcomes, notification: await project.notifications.get(id) };
}
