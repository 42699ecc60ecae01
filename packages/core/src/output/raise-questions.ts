import { derivedId, type QuestionId, type TreeEventOf } from "@colloquy/schema";
import { ASKED_BEFORE } from "../state/apply-question.ts";
import { headlineOf } from "../commands/title.ts";
import type { Sections, Settled } from "../tasks/section.ts";
import { type Question, type Tree, type Turn, turnAt } from "../state/tree.ts";
import type { StepDecision } from "../step/step-decision.ts";
import { askedBefore, isComparable } from "./asked-before.ts";
import type { Source } from "./question-source.ts";
import type { StructuredOutput, WrittenQuestion } from "./structured-output.ts";

/** What to do about the questions of an output. */
export interface QuestionPlan {
  /** To be put to people. */
  readonly fresh: readonly WrittenQuestion[];
  /** Answered or dismissed before, in the same words and for the same thing. */
  readonly known: readonly { readonly written: WrittenQuestion; readonly first: Settled }[];
  /** Already asked in the same words about the same thing. The turn waits for the same answer. */
  readonly open: readonly Question[];
  /** Already asked in another tree, about the same section. */
  readonly shared: readonly { readonly written: WrittenQuestion; readonly first: QuestionId }[];
  /** Second confirmations, which are not asked. */
  readonly confirmed: readonly WrittenQuestion[];
  /** Shown to a person, because the agent could not correct it. */
  readonly unreadable: string | undefined;
  /** The agent is told that its questions are unreadable, and tries again. */
  readonly tellsAgent: boolean;
}

const NO_PLAN: QuestionPlan = { fresh: [], known: [], open: [], shared: [], confirmed: [], unreadable: undefined, tellsAgent: false };

/** A turn's output, and the source of its questions. */
export interface TurnOutput {
  readonly turn: Turn;
  readonly source: Source;
  readonly output: StructuredOutput;
}

/** Decides which questions of an output are put to people. */
export function planQuestions(tree: Tree, { turn, source, output }: TurnOutput, sections: Sections): QuestionPlan {
  if (output.unreadable !== undefined && !turn.notesGiven.includes("unreadable_questions")) return { ...NO_PLAN, tellsAgent: true };
  if (output.questions.length === 0 && output.unreadable === undefined) return NO_PLAN;
  const known: { written: WrittenQuestion; first: Settled }[] = [];
  const open: Question[] = [];
  const shared: { written: WrittenQuestion; first: QuestionId }[] = [];
  const confirmed: WrittenQuestion[] = [];
  const fresh: WrittenQuestion[] = [];
  let confirmations = source.source === "eval" ? confirmationsOf(tree, source) : 0;
  for (const written of output.questions) {
    const before = askedBefore(tree, source, cardOf(written.text), sections);
    if (before?.kind === "settled") known.push({ written, first: before.first });
    else if (before?.kind === "open") open.push(before.question);
    else if (before?.kind === "shared") shared.push({ written, first: before.question });
    else if (written.kind === "confirmation" && source.source === "eval" && ++confirmations > 1) confirmed.push(written);
    else fresh.push(written);
  }
  return { fresh, known, open, shared, confirmed, unreadable: output.unreadable, tellsAgent: false };
}

const confirmationsOf = (tree: Tree, { source, sourceId }: Source): number =>
  [...tree.questions.values()].filter(
    (one) => one.kind === "confirmation" && one.source === source && one.sourceId === sourceId && isComparable(one),
  ).length;

export const asksPeople = (plan: QuestionPlan): boolean =>
  plan.fresh.length + plan.open.length + plan.shared.length > 0 || plan.unreadable !== undefined;

/** The agent is told what was decided before and continues. The second time in a turn, its text is accepted unchanged. */
export const goesOn = (plan: QuestionPlan, turn: Turn): boolean =>
  plan.tellsAgent || (plan.known.length + plan.confirmed.length > 0 && !asksPeople(plan) && !turn.notesGiven.includes(ASKED_BEFORE));

/** Splits a question into the headline and the rest, as people see it. */
function cardOf(words: string): { readonly headline: string; readonly text: string } {
  const [first = "", ...rest] = words.trim().split("\n");
  const headline = headlineOf(words);
  return { headline, text: headline === first.trim() ? rest.join("\n").trim() : words.trim() };
}

/** Puts the questions to people. Without `turn`, nobody waits for the answers: the dialog reads them when it is next driven. */
export function raiseQuestions(decision: StepDecision, plan: QuestionPlan, source: Source, turn: number | undefined): void {
  const { draft, ref, rules, notification, newId } = decision;
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
  // All questions of one output share a notification.
  const ask = (more: Partial<TreeEventOf<"question.asked">> & { headline: string; text: string }): QuestionId => {
    const id = nth === 0 ? first : derivedId(first, nth);
    nth += 1;
    return draft.ask(
      { dialog: ref.dialog, agent: ref.agent, turn },
      { id, notification: notification ?? first, kind: "question", ...source, ...more },
    );
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
  for (const { written: question, first: shares } of plan.shared) ask({ ...written(question), shares });
  if (plan.unreadable !== undefined) {
    ask({ headline: rules.texts.unreadableHeadline(rules.team.nameOf(ref.agent)), text: plan.unreadable, topic: "unreadable" });
  }
  if (turn !== undefined) {
    // A turn waits only once for the same question.
    for (const { id } of plan.open)
      if (!turnAt(draft.tree, ref)?.questions.includes(id)) draft.add({ type: "call.held", ...here, agent: ref.agent, turn, question: id });
  }
  for (const { written: question, first: answered } of plan.known) {
    const id = ask({ ...written(question), reuses: answered.id });
    const { content, choice, by, dismissed } = answered;
    draft.add({
      type: "question.closed",
      ...here,
      agent: ref.agent,
      question: id,
      as: dismissed ? "dismissed" : "answered",
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

/** Tools that create something in the project. They may not be combined with questions in one output. */
const CREATES: readonly string[] = ["create_task", "create_plan", "update_prd"];

export const createsSomething = (tool: string): boolean => CREATES.includes(tool);
