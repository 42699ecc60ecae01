import { type AgentId, type DialogId, isCall, type LimitsConfig, type Part, type StopReason, textOf, type TreeEvent, type Usage } from "@colloquy/schema";
import { accept, type Decision, refuse } from "./decision.ts";
import type { Texts } from "./texts.ts";
import { type Dialog, dialogOf, runOf, type Tree, type Turn, turnOf } from "./tree.ts";

/** Which step of which turn. A driver that was presumed dead names one that is over, and cannot speak. */
export interface StepRef {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly turn: number;
  readonly step: number;
}

/** What a runner brought back. */
export interface StepResult {
  readonly parts: readonly Part[];
  /** Calls that will not be run, with the reason that the model is told. */
  readonly refused: ReadonlyMap<string, string>;
  /** The last event that it was shown, and how many messages there were. */
  readonly seen: number;
  readonly index: number;
  readonly gen: number;
  readonly ms: number;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  readonly cost?: number | undefined;
  readonly sessionId?: string | undefined;
}

export interface StepRules {
  readonly limits: LimitsConfig;
  readonly texts: Texts;
}

/** The commit that ends a step: what was said, the calls with their refusals, and whether the turn or the dialog comes to a halt. */
export function decideStep(tree: Tree, ref: StepRef, result: StepResult, rules: StepRules): Decision<TreeEvent> {
  const found = findStep(tree, ref);
  if (!found.ok) return found;
  const { dialog, turn } = found;
  const here = { dialog: dialog.id, course: dialog.course, agent: ref.agent, turn: turn.id };

  const calls = result.parts.filter(isCall);
  const isSilent = calls.length === 0 && textOf(result.parts) === "";
  const isRead = turn.due <= result.seen;
  const isTold = isSilent && isRead && !turn.toldEmpty;
  const ends = calls.length === 0 && isRead && !isTold;

  const ended: TreeEvent = {
    type: "step.ended",
    ...here,
    step: ref.step,
    seen: result.seen,
    index: result.index,
    gen: result.gen,
    parts: [...result.parts],
    ...(ends && { ends }),
    ...(result.model !== undefined && { model: result.model }),
    ...(result.usage && { usage: result.usage }),
    ...(result.cost !== undefined && { cost: result.cost }),
    ms: result.ms,
    ...(result.sessionId !== undefined && { sessionId: result.sessionId }),
  };
  const refusals = calls.flatMap((call): TreeEvent[] => {
    const output = result.refused.get(call.call);
    return output === undefined ? [] : [{ type: "call.ended", ...here, call: call.call, outcome: "refused", output }];
  });
  const note: TreeEvent[] = isTold ? [{ type: "note.added", ...here, code: "empty_end", text: rules.texts.emptyEnd }] : [];
  const reason = ends ? undefined : limitReached(tree, turn, result, rules);
  const stop: TreeEvent[] = reason ? [{ type: "dialog.stopped", dialog: dialog.id, course: dialog.course, reason }] : [];
  return accept(tree.seq + 1, [ended, ...refusals, ...note, ...stop]);
}

/** What had been streamed when somebody stopped it. */
export function decideCut(tree: Tree, ref: StepRef, cut: { parts: readonly Part[]; gen: number; ms: number }): Decision<TreeEvent> {
  const dialog = dialogOf(tree, ref.dialog);
  if (!dialog || cut.parts.length === 0) return accept(tree.seq, []);
  return accept(tree.seq + 1, [
    { type: "step.cut", course: dialog.course, ...ref, gen: cut.gen, parts: [...cut.parts], ms: cut.ms },
  ]);
}

/** A step that a crash interrupted is driven again: twice among others, then once alone, then a person is needed. */
export function decideAttempt(tree: Tree, ref: StepRef, texts: Texts): Decision<TreeEvent> {
  const found = findStep(tree, ref);
  if (!found.ok) return found;
  const { dialog, turn } = found;
  if (turn.alone) {
    const reason: StopReason = { code: "crashed_repeatedly", message: texts.crashedRepeatedly };
    return accept(tree.seq + 1, [{ type: "dialog.stopped", dialog: dialog.id, course: dialog.course, reason }]);
  }
  const alone = turn.attempts >= 2;
  return accept(tree.seq + 1, [{ type: "step.attempted", course: dialog.course, ...ref, ...(alone && { alone }) }]);
}

/** A fault that a person can mend, or a bug, stands in the way of this run. */
export function decideHalt(tree: Tree, id: DialogId, reason: StopReason): Decision<TreeEvent> {
  const dialog = dialogOf(tree, id);
  if (!dialog || dialog.status !== "running" || dialog.stopped) return accept(tree.seq, []);
  return accept(tree.seq + 1, [{ type: "dialog.stopped", dialog: id, course: dialog.course, reason }]);
}

type Found = { readonly ok: true; readonly dialog: Dialog; readonly turn: Turn } | Extract<Decision<TreeEvent>, { ok: false }>;

function findStep(tree: Tree, ref: StepRef): Found {
  const dialog = dialogOf(tree, ref.dialog);
  const turn = turnOf(runOf(tree, ref.dialog, ref.agent), ref.turn);
  if (!dialog || !turn || ref.step !== turn.steps + 1 || turn.calls.length > 0) {
    return refuse("stale_step", `Step ${ref.step} of turn ${ref.turn} is over.`);
  }
  if (dialog.status !== "running") return refuse("not_running", `The dialog is ${dialog.status}.`);
  if (dialog.stopped) return refuse("stopped", dialog.stopped.reason.message);
  return { ok: true, dialog, turn };
}

function limitReached(tree: Tree, turn: Turn, result: StepResult, { limits, texts }: StepRules): StopReason | undefined {
  if (turn.unattended + 1 >= limits.stepsPerTurn) return { code: "step_limit", message: texts.stepLimit(limits.stepsPerTurn) };
  const tokens = tree.spent.tokens - tree.spent.agreedTokens + (result.usage ? result.usage.input + result.usage.output : 0);
  if (tokens >= limits.tokensPerTree) return { code: "token_limit", message: texts.tokenLimit(tokens, limits.tokensPerTree) };
  const cost = tree.spent.cost - tree.spent.agreedCost + (result.cost ?? 0);
  if (limits.costPerTree !== undefined && cost >= limits.costPerTree) {
    return { code: "cost_limit", message: texts.costLimit(cost, limits.costPerTree) };
  }
  return undefined;
}
