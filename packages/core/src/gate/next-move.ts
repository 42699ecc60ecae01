import { isLastTool } from "@colloquy/schema";
import { type Call, type Dialog, type Run, runOf, type Tree, type Turn, turnOf } from "../state/tree.ts";

/** What may be done for a run now. */
export type Move =
  | { readonly kind: "think"; readonly turn: Turn }
  /** Run these side by side, then look again. */
  | { readonly kind: "act"; readonly turn: Turn; readonly calls: readonly Call[] }
  /** Something is open and nothing can be done about it from here. */
  | { readonly kind: "wait" }
  | { readonly kind: "rest" };

const REST: Move = { kind: "rest" };
const WAIT: Move = { kind: "wait" };

/** The whole of gating: why a dialog moves or does not is here and nowhere else. */
export function nextMove(tree: Tree, run: Run): Move {
  const dialog = tree.dialogs.get(run.dialog);
  if (run.turns.length === 0 || !dialog) return REST;
  if (dialog.status !== "running" || dialog.stopped || dialog.isDead) return WAIT;
  for (const turn of inOrder(run.turns)) {
    const calls = runnable(turn);
    if (calls.length > 0) return { kind: "act", turn, calls };
    if (mayThink(tree, turn) && tree.limitQuestions.length === 0 && !isBehind(tree, dialog, turn)) return { kind: "think", turn };
  }
  return WAIT;
}

export function hasWork(tree: Tree, run: Run): boolean {
  const { kind } = nextMove(tree, run);
  return kind === "think" || kind === "act";
}

/**
 * The gate is the turn's: nothing of its own is open, and something for it is unread. What other turns wait for does not matter.
 * A person's word that is to be read `now` opens it all the same; a limit it does not pass.
 */
function mayThink(tree: Tree, turn: Turn): boolean {
  if (turn.newestSeq <= turn.seen) return false;
  if (turn.calls.length === 0 && turn.asks.length === 0 && turn.questions.length === 0) return true;
  return turn.urgentSeq > 0 && !turn.questions.some((id) => tree.questions.get(id)?.kind === "limit");
}

/** Of those whom one message addresses, the next begins when the one before has ended or waits. */
function isBehind(tree: Tree, dialog: Dialog, turn: Turn): boolean {
  if (turn.followsTurn === undefined || turn.steps > 0) return false;
  const before = turnOf(runOf(tree, dialog.id, turn.followsTurn.agent), turn.followsTurn.turn);
  return before !== undefined && (isBehind(tree, dialog, before) || runnable(before).length > 0 || mayThink(tree, before));
}

/** Who is asked back is asked first: somebody waits for it. */
function inOrder(turns: readonly Turn[]): readonly Turn[] {
  if (turns.length === 1) return turns;
  const isAsked = (turn: Turn) => turn.cause.kind === "askBack" || turn.cause.kind === "thread";
  return [...turns.filter(isAsked), ...turns.filter((turn) => !isAsked(turn))];
}

/**
 * Readers run at once; of the calls with effects only the first, so that their order is the order given. One that is held by a
 * question holds back those behind it. Calls of the house are decided with their step; one that was held is decided anew.
 */
function runnable(turn: Turn): readonly Call[] {
  if (turn.calls.length === 0) return turn.calls;
  const firstWithEffect = turn.calls.find((call) => call.kind === "effects" && !isLastTool(call.tool));
  // What closes a course or a dialog comes last, also where a person had to agree first.
  const onlyLast = turn.calls.every((call) => isLastTool(call.tool));
  return turn.calls.filter((call) => {
    if (call.held !== undefined) return false;
    if (isLastTool(call.tool)) return call.kind === "effects" && onlyLast;
    if (call.kind === "house") return true;
    return call.kind === "reads" || call === firstWithEffect;
  });
}
