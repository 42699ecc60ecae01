import type { DialogId, TreeEvent, TreeEventOf } from "@colloquy/schema";
import type { Draft } from "../state/draft.ts";
import { carryOutLasts } from "../builtin/last-calls.ts";
import type { Rules } from "../prompt/rules.ts";
import { liftLimit, openLimits } from "../commands/lift-limit.ts";
import { type Ask, askOf, type Dialog, type Tree, turnAt, turnsOf } from "../state/tree.ts";

/** Runs at the end of every decision: carries out the calls that come last, and tells askers about dialogs that were stopped or resumed. */
export function conclude(draft: Draft, rules: Rules): void {
  carryOutLasts(draft, rules);
  if (draft.tree.openQuestions.size > 0 && draft.events.some(({ type }) => type === "ask.answered")) liftOpenAsks(draft, rules);
  const moved = draft.events.filter(isStopOrResume).map((event) => event.dialog);
  for (const id of moved.length > 1 ? new Set(moved) : moved) tellAskers(draft, id, rules);
  for (const event of draft.events.slice()) if (event.type === "question.closed") tellOthers(draft, event, rules);
  completeForProgram(draft);
}

/** A dialog that holds the question of an outside program is over when the question is. */
function completeForProgram(draft: Draft): void {
  const closed = draft.events.find(({ type }) => type === "question.closed");
  const dialog = closed?.type === "question.closed" ? draft.tree.dialogs.get(closed.dialog) : undefined;
  if (dialog?.program === undefined || dialog.status !== "running" || draft.tree.openQuestions.size > 0) return;
  draft.add({ type: "dialog.completed", ...draft.here(dialog.id) });
}

/** An answered ask makes room for a held one. */
function liftOpenAsks(draft: Draft, rules: Rules): void {
  for (const question of openLimits(draft.tree)) if (question.limit === "openAsks") liftLimit(draft, question, undefined, rules);
}

/** Answers everyone else who asked the same question while it was open. */
function tellOthers(draft: Draft, { question: id, as, by, choice, content = "" }: TreeEventOf<"question.closed">, rules: Rules): void {
  const question = draft.tree.questions.get(id);
  if (!question || !["question", "confirmation"].includes(question.kind)) return;
  const { texts } = rules;
  const said = {
    answered: () => texts.answered(by ?? texts.person, choice, content),
    dismissed: () => texts.dismissed(by ?? texts.person, content),
    withdrawn: () => texts.withdrawn(content),
    expired: () => texts.questionExpired(question.otherwise),
  }[as]();
  for (const { dialog, agent, turn, call } of question.alsoHolds) {
    // A held call is decided again and gets the answer as its result.
    if (call !== undefined || !turnAt(draft.tree, { dialog, agent, turn })) continue;
    const text = `${texts.answerToQuestion(question.headline)}:\n${said}`;
    draft.add({ type: "note.added", ...draft.here(dialog), agent, turn, code: "question_closed", text });
  }
}

const isStopOrResume = ({ type }: TreeEvent): boolean => type === "dialog.stopped" || type === "dialog.resumed";

/** A stop is no answer: the asker keeps waiting, and reads about the stop at its next step. */
function tellAskers(draft: Draft, id: DialogId, rules: Rules): void {
  const dialog = draft.dialog(id);
  if (dialog.status !== "running" || dialog.isDead) return;
  // It had been stopped before this decision.
  if (dialog.stopped && dialog.stopped.seq <= draft.tree.seq - draft.events.length) return;
  for (const ask of asksTo(draft.tree, dialog)) {
    const asker = draft.dialog(ask.from.dialog);
    // A dialog that was stopped for the same reason needs no note.
    const isTogether = asker.stopped !== undefined && dialog.stopped?.cause !== undefined;
    if (!turnAt(draft.tree, ask.from) || isTogether) continue;
    const name = rules.team.nameOf(ask.recipient);
    const reason = dialog.stopped?.reason.message.split("\n")[0] ?? "";
    draft.add({
      type: "note.added",
      ...draft.here(ask.from.dialog),
      agent: ask.from.agent,
      turn: ask.from.turn,
      code: dialog.stopped ? "side_stopped" : "side_resumed",
      ask: ask.id,
      text: dialog.stopped ? rules.texts.sideStopped(name, ask.headline, reason) : rules.texts.sideResumed(name, ask.headline),
    });
  }
}

/** The asks a dialog has to answer: its assignment, ask-backs, and its queue. */
function asksTo(tree: Tree, dialog: Dialog): readonly Ask[] {
  const served = turnsOf(tree, dialog).flatMap(({ it: { cause } }) =>
    cause.kind === "assignment" || cause.kind === "askBack" ? [cause.ask] : [],
  );
  return [...served, ...dialog.waiting].flatMap((id) => askOf(tree, id) ?? []);
}
