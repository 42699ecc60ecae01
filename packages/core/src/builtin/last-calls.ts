import { isLastTool } from "@colloquy/schema";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import type { CallRef } from "../step/step-decision.ts";
import { runOf, turnAt, type TurnRef } from "../state/tree.ts";
import { clearMind } from "./clear-mind.ts";
import { endCall, refuseCall } from "./end-call.ts";

/** Runs at the end of every decision: carries out `clear_mind` and `mark_done` if every other call of their step has its result now. */
export function carryOutLasts(draft: Draft, rules: Rules): void {
  for (let seen = 0; seen < draft.events.length;) {
    const fresh = draft.events.slice(seen);
    seen = draft.events.length;
    for (const event of fresh) {
      if (!("agent" in event) || event.agent === undefined) continue;
      const { dialog, agent } = event;
      for (const turn of runOf(draft.tree, dialog, agent)?.turns ?? []) carryOutLast(draft, { dialog, agent, turn: turn.id }, rules);
    }
  }
}

/** Carries out a turn's `clear_mind` and `mark_done` if every other call of the step has its result. */
function carryOutLast(draft: Draft, ref: TurnRef, rules: Rules): void {
  const turn = turnAt(draft.tree, ref);
  if (!turn || turn.calls.length === 0 || !turn.calls.every((call) => call.kind === "house" && isLastTool(call.tool))) return;
  for (const call of turn.calls) carryOut(draft, { ...ref, call: call.id }, rules);
}

/** Carries out one such call, unless it already has its result. */
export function carryOut(draft: Draft, ref: CallRef, rules: Rules): void {
  const turn = turnAt(draft.tree, ref);
  const call = turn?.calls.find((one) => one.id === ref.call);
  if (!turn || !call) return;
  if (call.tool === "clear_mind") {
    endCall(draft, ref, rules.texts.done);
    return clearMind(draft, ref.dialog, rules, {});
  }
  const left = [...outstanding(draft, ref, rules), ...(turn.queue.length > 0 ? [rules.texts.unreadMessage] : [])];
  if (left.length > 0) return refuseCall(draft, ref, rules.texts.notDone(left));
  endCall(draft, ref, rules.texts.done);
  draft.add({ type: "turn.ended", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn });
  draft.add({ type: "dialog.completed", ...draft.here(ref.dialog) });
}

/** What else is open in the tree, in words. */
function outstanding(draft: Draft, ref: TurnRef, rules: Rules): readonly string[] {
  const { tree } = draft;
  const asks = [...tree.asks.values()].map((ask) => `${rules.team.nameOf(ask.recipient)}: ${ask.headline}`);
  const questions = [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id)?.headline ?? []);
  const turns = [...tree.runs.values()].flatMap((run) =>
    run.turns
      .filter((turn) => !(run.dialog === ref.dialog && run.agent === ref.agent && turn.id === ref.turn))
      .map(() => rules.team.nameOf(run.agent)),
  );
  return [...asks, ...questions, ...turns];
}
