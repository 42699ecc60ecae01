import { isLastTool } from "@colloquy/schema";
import { type Call, type Dialog, type Run, runOf, type Tree, type Turn, turnOf } from "../state/tree.ts";

/** What a run may do now. */
export type Move =
  | { readonly kind: "think"; readonly turn: Turn }
  /** Run these in parallel, then look again. */
  | { readonly kind: "act"; readonly turn: Turn; readonly calls: readonly Call[] }
  /** Something is open and nothing can be done about it from here. */
  | { readonly kind: "wait" }
  | { readonly kind: "rest" };

const REST: Move = { kind: "rest" };
const WAIT: Move = { kind: "wait" };

/** The whole of gating: only this decides whether a dialog moves. */
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
 * The gate belongs to the turn: nothing of its own is open, and something is unread. What other turns wait for does not matter. A person's
 * message sent `now` opens it anyway, but does not bypass a limit.
 */
function mayThink(tree: Tree, turn: Turn): boolean {
  if (turn.newestSeq <= turn.seen) return false;
  if (turn.calls.length === 0 && turn.asks.length === 0 && turn.questions.length === 0) return true;
  return turn.urgentSeq > 0 && !turn.questions.some((id) => tree.questions.get(id)?.kind === "limit");
}

/** Of several agents addressed by one message, the next begins when the previous one has ended or waits. */
function isBehind(tree: Tree, dialog: Dialog, turn: Turn): boolean {
  if (turn.followsTurn === undefined || turn.steps > 0) return false;
  const before = turnOf(runOf(tree, dialog.id, turn.followsTurn.agent), turn.followsTurn.turn);
  return before !== undefined && (isBehind(tree, dialog, before) || runnable(before).length > 0 || mayThink(tree, before));
}

/** Ask-backs go first: somebody waits for the answer. */
function inOrder(turns: readonly Turn[]): readonly Turn[] {
  if (turns.length === 1) return turns;
  const isAsked = (turn: Turn) => turn.cause.kind === "askBack" || turn.cause.kind === "thread";
  return [...turns.filter(isAsked), ...turns.filter((turn) => !isAsked(turn))];
}

/**
 * Readers run at once; of the calls with effects only the first, so that their order is kept. A held call holds back those after it.
 * Built-in calls are decided with their step; a held one is decided again.
 */
function runnable(turn: Turn): readonly Call[] {
  if (turn.calls.length === 0) return turn.calls;
  const firstWithEffect = turn.calls.find((call) => call.kind === "effects" && !isLastTool(call.tool));
  // Calls that close a course or a dialog come last, even if a person had to agree first.
  const onlyLast = turn.calls.every((call) => isLastTool(call.tool));
  return turn.calls.filter((call) => {
    if (call.held !== undefined) return false;
    if (isLastTool(call.tool)) return call.kind === "effects" && onlyLast;
    if (call.kind === "house") return true;
    return call.kind === "reads" || call === firstWithEffect;
  });
}
