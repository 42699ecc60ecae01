import type { Part, TreeEvent } from "@colloquy/schema";
import { type Halt, halt } from "../commands/halt.ts";
import type { Rules } from "../prompt/rules.ts";
import { accept, type Decision, refuse } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import { dialogOf, type Tree, turnAt, type TurnRef } from "../state/tree.ts";
import { conclude } from "./conclude.ts";
import type { StepRef } from "./step-result.ts";

/** Records what was streamed before a person stopped the step. Its time counts even if nothing was said yet. */
export function decideCut(tree: Tree, ref: StepRef, cut: { parts: readonly Part[]; gen: number; ms: number }): Decision<TreeEvent> {
  const dialog = dialogOf(tree, ref.dialog);
  if (!dialog || (cut.parts.length === 0 && cut.ms === 0)) return accept(tree.seq, []);
  return accept(tree.seq + 1, [{ type: "step.cut", course: dialog.course, ...ref, gen: cut.gen, parts: [...cut.parts], ms: cut.ms }]);
}

/**
 * Retries a step that a crash interrupted, in its model call or in its tool calls: twice beside other work, then once alone. After that a
 * person is asked; `question` is the id of that question.
 */
export function decideAttempt(tree: Tree, at: TurnRef, question: string, rules: Rules): Decision<TreeEvent> {
  const dialog = dialogOf(tree, at.dialog);
  const turn = turnAt(tree, at);
  if (!dialog || !turn) return refuse("stale_step", `Turn ${at.turn} is over.`);
  const ref = { dialog: at.dialog, agent: at.agent, turn: at.turn, step: turn.calls.length > 0 ? turn.steps : turn.steps + 1 };
  const reason = { code: "crashed_repeatedly", message: rules.texts.crashedRepeatedly } as const;
  if (turn.alone) return decideHalt(tree, { asker: ref, reason, question }, rules);
  const alone = turn.attempts >= 2;
  return accept(tree.seq + 1, [{ type: "step.attempted", course: dialog.course, ...ref, ...(alone && { alone }) }]);
}

/** A fault that a person can fix, or a bug of ours: stops the dialog and asks a person. */
export function decideHalt(tree: Tree, stop: Halt, rules: Rules): Decision<TreeEvent> {
  const dialog = dialogOf(tree, stop.asker.dialog);
  if (!dialog || dialog.status !== "running" || dialog.stopped) return accept(tree.seq, []);
  const draft = new Draft(tree, rules.at);
  halt(draft, stop, rules);
  conclude(draft, rules);
  return draft.decision();
}
