import { type CallPart, derivedId, type DialogId, QuestionId, type TreeEventOf } from "@colloquy/schema";
import { ASKED_BEFORE, wordsHash } from "../apply-question.ts";
import type { Draft } from "../draft.ts";
import type { HouseRules } from "../house-rules.ts";
import { headlineOf } from "../title.ts";
import type { Sections, Settled } from "../task/section.ts";
import { taskSource } from "../task/task.ts";
import type { Question, Tree, Turn, TurnRef } from "../tree.ts";
import type { StructuredOutput, WrittenQuestion } from "./structured-output.ts";

/** Where a question comes from, as notifications name it. */
export type Source = Pick<TreeEventOf<"question.asked">, "source" | "sourceId">;

export const sourceOf = (tree: Tree, dialog: DialogId): Source =>
  tree.task ? taskSource(tree.task) : { source: "dialog", sourceId: dialog };

/** What is to be done about the questions of an output. */
export interface QuestionPlan {
  /** To be asked. */
  readonly fresh: readonly WrittenQuestion[];
  /** Answered before, in the same words and for the same thing. */
  readonly known: readonly { readonly written: WrittenQuestion; readonly first: Settled }[];
  /** Being asked in the same words and for the same thing: whoever asks waits with those who wait already. */
  readonly open: readonly Question[];
  /** A second confirmation, which is not asked. */
  readonly confirmed: readonly WrittenQuestion[];
  /** What a person is shown, because the agent could not put it right. */
  readonly unreadable: string | undefined;
  /** The agent is told that it cannot be read, and tries again. */
  readonly tellsAgent: boolean;
}

const NO_PLAN: QuestionPlan = { fresh: [], known: [], open: [], confirmed: [], unreadable: undefined, tellsAgent: false };

/** Decides which questions of an output are put to people. */
export function planQuestions(tree: Tree, turn: Turn, source: Source, output: StructuredOutput, sections: Sections): QuestionPlan {
  if (output.unreadable !== undefined && !turn.told.includes("unreadable_questions")) return { ...NO_PLAN, tellsAgent: true };
  if (output.questions.length === 0 && output.unreadable === undefined) return NO_PLAN;
  const before = [...tree.questions.values()].filter(
    (one) => one.source === source.source && one.sourceId === source.sourceId && one.call === undefined && one.topic === undefined,
  );
  // Several dialogs may work on one section of the requirements.
  const elsewhere = source.source === "prd" ? (sections.get(source.sourceId)?.answers ?? {}) : {};
  const known: { written: WrittenQuestion; first: Settled }[] = [];
  const open: Question[] = [];
  const confirmed: WrittenQuestion[] = [];
  const fresh: WrittenQuestion[] = [];
  let confirmations = before.filter((one) => one.kind === "confirmation").length;
  for (const written of output.questions) {
    const words = wordsHash(cardOf(written.text));
    const same = before.filter((one) => one.hash === words && one.reuses === undefined);
    const answered = same.find((one) => one.status === "answered");
    const first = answered ? settledBy(answered) : elsewhere[words];
    const asked = same.find((one) => one.status === "open");
    if (first) known.push({ written, first });
    else if (asked) open.push(asked);
    else if (written.kind === "confirmation" && source.source === "eval" && ++confirmations > 1) confirmed.push(written);
    else fresh.push(written);
  }
  return { fresh, known, open, confirmed, unreadable: output.unreadable, tellsAgent: false };
}

const settledBy = ({ id, closed }: Question): Settled => ({ id, content: closed?.content ?? "", choice: closed?.choice, by: closed?.by });

export const asksPeople = (plan: QuestionPlan): boolean => plan.fresh.length > 0 || plan.open.length > 0 || plan.unreadable !== undefined;

/** The agent hears of what was settled before and goes on; a second time in the same turn its word is taken as it is. */
export const goesOn = (plan: QuestionPlan, turn: Turn): boolean =>
  plan.tellsAgent || (plan.known.length + plan.confirmed.length > 0 && !asksPeople(plan) && !turn.told.includes(ASKED_BEFORE));

/** The headline apart from the rest, as people see it. */
function cardOf(words: string): { readonly headline: string; readonly text: string } {
  const [first = "", ...rest] = words.trim().split("\n");
  const headline = headlineOf(words);
  return { headline, text: headline === first.trim() ? rest.join("\n").trim() : words.trim() };
}

/** Puts them to people. `turn` is absent where nobody waits for the answer: the dialog reads it when it is driven next. */
export function raiseQuestions(
  draft: Draft,
  ref: TurnRef,
  plan: QuestionPlan,
  source: Source,
  turn: number | undefined,
  newId: () => string,
  rules: HouseRules,
): void {
  const here = draft.here(ref.dialog);
  if (plan.tellsAgent) {
    draft.add({
      type: "note.added",
      ...here,
      agent: ref.agent,
      turn: ref.turn,
      code: "unreadable_questions",
      text: rules.texts.unreadableQuestions,
    });
    return;
  }
  const first = newId();
  let nth = 0;
  // Those of one output are one notification.
  const ask = (more: Partial<TreeEventOf<"question.asked">> & { headline: string; text: string }): QuestionId => {
    const question = QuestionId.parse(nth === 0 ? first : derivedId(first, nth));
    nth += 1;
    draft.add({
      type: "question.asked",
      ...here,
      agent: ref.agent,
      ...(turn !== undefined && { turn }),
      question,
      notification: first,
      kind: "question",
      ...source,
      ...more,
    });
    return question;
  };
  const written = ({ text, kind, options, id, createdAt }: WrittenQuestion) => ({
    ...cardOf(text),
    kind,
    ...(options.length > 0 && { options: [...options] }),
    ...((id !== undefined || createdAt !== undefined) && {
      given: { ...(id !== undefined && { id }), ...(createdAt !== undefined && { createdAt }) },
    }),
  });
  for (const question of plan.fresh) ask(written(question));
  if (plan.unreadable !== undefined) {
    ask({ headline: rules.texts.unreadableHeadline(rules.team.nameOf(ref.agent)), text: plan.unreadable, topic: "unreadable" });
  }
  if (turn !== undefined) {
    for (const { id } of plan.open) draft.add({ type: "call.held", ...here, agent: ref.agent, turn, question: id });
  }
  for (const { written: question, first: answered } of plan.known) {
    const id = ask({ ...written(question), reuses: answered.id });
    const { content, choice, by } = answered;
    draft.add({
      type: "question.closed",
      ...here,
      agent: ref.agent,
      question: id,
      as: "answered",
      content,
      ...(choice && { choice: [...choice] }),
      ...(by !== undefined && { by }),
    });
  }
  for (const question of plan.confirmed) {
    const id = ask({ ...written(question), topic: "confirmed" });
    draft.add({ type: "question.closed", ...here, agent: ref.agent, question: id, as: "withdrawn", content: rules.texts.confirmedBefore });
  }
}

/** Tools that bring something new into the project: not in one output with questions. */
const CREATES: readonly string[] = ["create_task", "create_plan", "update_prd"];

export const createsSomething = ({ tool }: Pick<CallPart, "tool">): boolean => CREATES.includes(tool);
