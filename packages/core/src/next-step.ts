import type { Call, Run, Tree, Turn } from "./tree.ts";

/** What may be done for a run now. */
export type Step =
  | { readonly kind: "think"; readonly turn: Turn }
  /** Run these side by side, then look again. */
  | { readonly kind: "act"; readonly turn: Turn; readonly calls: readonly Call[] }
  /** Something is open and nothing can be done about it from here. */
  | { readonly kind: "wait" }
  | { readonly kind: "rest" };

/** The whole of gating: why a dialog moves or does not is here and nowhere else. */
export function nextStep(tree: Tree, run: Run): Step {
  const dialog = tree.dialogs.get(run.dialog);
  if (run.turns.length === 0 || !dialog) return { kind: "rest" };
  if (dialog.status !== "running" || dialog.stopped) return { kind: "wait" };
  for (const turn of run.turns) {
    const calls = runnable(turn);
    if (calls.length > 0) return { kind: "act", turn, calls };
    if (mayThink(turn)) return { kind: "think", turn };
  }
  return { kind: "wait" };
}

export function hasWork(tree: Tree, run: Run): boolean {
  const { kind } = nextStep(tree, run);
  return kind === "think" || kind === "act";
}

/** The gate of a turn: nothing of its own is open, and something for it is unread. */
const mayThink = (turn: Turn): boolean => turn.calls.length === 0 && turn.due > turn.seen;

/** Readers run at once; of the calls with effects only the first, so that their order is the order given. */
function runnable(turn: Turn): readonly Call[] {
  const firstWithEffect = turn.calls.find((call) => call.kind === "effects");
  return turn.calls.filter((call) => call.kind === "reads" || call === firstWithEffect);
}
