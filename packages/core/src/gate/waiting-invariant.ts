import { askOf, type Ask, runOf, type Tree, turnAt, type TurnRef } from "../state/tree.ts";
import { nextMove } from "./next-move.ts";

/**
 * The invariant of waiting: from every open ask a chain leads to a turn that may step or has a call to run, an open question, a stopped
 * dialog, or a deadline. Returns the first ask that violates it, if any; for `doctor` and tests.
 */
export function stuckAsk(tree: Tree): Ask | undefined {
  for (const ask of tree.asks.values()) if (!leadsSomewhere(tree, ask)) return ask;
  return undefined;
}

function leadsSomewhere(tree: Tree, first: Ask): boolean {
  const seen = new Set<string>();
  const fromAsk = (ask: Ask): boolean => {
    if (ask.deadline !== undefined) return true;
    if (ask.turn !== undefined) return fromTurn({ dialog: ask.to, agent: ask.recipient, turn: ask.turn });
    const session = tree.dialogs.get(ask.to);
    const turns = session && runOf(tree, session.id, session.agent)?.turns;
    return (turns ?? []).some((turn) => fromTurn({ dialog: ask.to, agent: ask.recipient, turn: turn.id }));
  };
  const fromTurn = (ref: TurnRef): boolean => {
    const key = `${ref.dialog}/${ref.agent}/${ref.turn}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const dialog = tree.dialogs.get(ref.dialog);
    const turn = turnAt(tree, ref);
    const run = runOf(tree, ref.dialog, ref.agent);
    if (!dialog || !turn || !run) return false;
    if (dialog.stopped || tree.limitQuestions.length > 0 || turn.questions.length > 0) return true;
    const step = nextMove(tree, run);
    if (step.kind === "think" || step.kind === "act") return true;
    if (
      turn.followsTurn &&
      turn.steps === 0 &&
      fromTurn({ dialog: ref.dialog, agent: turn.followsTurn.agent, turn: turn.followsTurn.turn })
    )
      return true;
    return [...turn.asks, ...turn.wakingAsks].flatMap((id) => askOf(tree, id) ?? []).some(fromAsk);
  };
  return fromAsk(first);
}
