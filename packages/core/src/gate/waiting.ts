import { type DialogId, type RecordedState, runKey } from "@colloquy/schema";
import { askOf, type Question, runOf, type Tree, turnAt, type TurnRef } from "../state/tree.ts";

/** The dialogs that cannot continue before this turn does: its askers, those queued behind it, and so on upwards. */
function waitingBehind(tree: Tree, ref: TurnRef): ReadonlySet<DialogId> {
  const waiting = new Set<DialogId>();
  const up = (at: TurnRef): void => {
    const cause = turnAt(tree, at)?.cause;
    const served = cause?.kind === "assignment" || cause?.kind === "askBack" ? [cause.ask] : [];
    const queued = tree.dialogs.get(at.dialog)?.waiting ?? [];
    for (const id of [...served, ...queued]) {
      const ask = askOf(tree, id);
      if (!ask || waiting.has(ask.from.dialog)) continue;
      waiting.add(ask.from.dialog);
      up(ask.from);
    }
  };
  up(ref);
  waiting.delete(ref.dialog);
  return waiting;
}

export const behindQuestion = (tree: Tree, question: Question): number =>
  question.turn === undefined ? 0 : waitingBehind(tree, { dialog: question.dialog, agent: question.agent, turn: question.turn }).size;

/** A dialog's state as people see it, in one word. */
export function dialogState(tree: Tree, id: DialogId): RecordedState {
  const dialog = tree.dialogs.get(id);
  if (!dialog || dialog.isDead) return "dead";
  if (dialog.status === "completed") return "done";
  if (dialog.status === "archived") return "archived";
  if (dialog.stopped) return "stopped";
  if (dialog.agents.some((agent) => tree.ready.has(runKey(id, agent)))) return "working";
  const turns = dialog.agents.flatMap((agent) => runOf(tree, id, agent)?.turns ?? []);
  if (turns.some((turn) => turn.questions.length > 0)) return "asking";
  return turns.length > 0 ? "waiting" : "idle";
}
