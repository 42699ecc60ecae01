import type { CallId, LimitName } from "@colloquy/schema";
import { withdrawQuestion } from "../asks/ask.ts";
import { type Day, dayGate } from "../gate/day.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { type Question, type Tree, type Turn, turnAt, type TurnRef } from "../state/tree.ts";

/** A call or a whole turn that waits for the decision about a limit. `needs`: how much of the limit it takes. */
interface Held extends TurnRef {
  readonly call: CallId | undefined;
  readonly needs: number;
}

/** Open questions about limits. They are few, even in a tree with many dialogs. */
export const openLimits = (tree: Tree): readonly (Question & { readonly limit: LimitName })[] =>
  [...tree.openQuestions.keys()].flatMap((id) => {
    const question = tree.questions.get(id);
    return question?.limit === undefined ? [] : [{ ...question, limit: question.limit }];
  });

/**
 * Releases what now fits the limit. A question that holds nothing any more is withdrawn. If others still wait for it, it stays open for
 * them, so that people are not asked again.
 */
export function liftLimit(draft: Draft, question: Question & { readonly limit: LimitName }, day: Day | undefined, rules: Rules): void {
  const { tree } = draft;
  const { limit } = question;
  const { used, allowed } = reach(tree, limit, day, rules);
  const withdraw = (at: number) => withdrawQuestion(draft, question, rules.texts.limitLifted(limit, at, allowed));
  if (limit === "costPerDay") {
    if (dayGate(day, rules.limits.costPerDay, rules.at) === "open") withdraw(used);
    return;
  }
  if (limit !== "depth" && limit !== "openAsks" && limit !== "stepsPerTurn") {
    if (used < allowed) withdraw(used);
    return;
  }
  const held = heldBy(tree, question);
  let taken = used;
  const fitting = held.filter(({ needs }) => {
    if (limit === "depth") return needs <= allowed;
    if (limit === "stepsPerTurn") return needs < allowed;
    if (taken + needs > allowed) return false;
    taken += needs;
    return true;
  });
  if (fitting.length === held.length) return withdraw(limit === "openAsks" ? used : Math.max(0, ...held.map(({ needs }) => needs)));
  for (const { dialog, agent, turn, call, needs } of fitting)
    draft.add({
      type: "call.released",
      ...draft.here(dialog),
      agent,
      turn,
      ...(call !== undefined && { call }),
      question: question.id,
      ...(limit === "openAsks" && { needs }),
    });
}

function reach(tree: Tree, limit: LimitName, day: Day | undefined, rules: Rules): { readonly used: number; readonly allowed: number } {
  const set = rules.limits[limit] ?? Infinity;
  const allowed = set + (limit === "stepsPerTurn" ? 0 : limit === "costPerDay" ? (day?.raised ?? 0) : (tree.raised[limit] ?? 0));
  const { tokens, cost, ms } = tree.spent;
  const used = {
    depth: 0,
    stepsPerTurn: 0,
    openAsks: tree.asks.size + reserved(tree),
    tokensPerTree: tokens,
    costPerTree: cost,
    wallTimePerTree: ms,
    costPerDay: day?.cost ?? 0,
  };
  return { used: used[limit], allowed };
}

/** The amount taken by calls that are released but not decided yet. Released calls are ready, so only ready runs are examined. */
const reserved = (tree: Tree): number =>
  [...tree.ready.keys()]
    .flatMap((key) => tree.runs.get(key)?.turns ?? [])
    .flatMap((turn) => turn.calls)
    .reduce((sum, call) => sum + (call.reserved ?? 0), 0);

/** Calls and turns that wait for the question, in the order in which they reached the limit. */
function heldBy(tree: Tree, question: Question): readonly Held[] {
  const { dialog, agent, turn, call, needs } = question;
  return [...(turn === undefined ? [] : [{ dialog, agent, turn, call, needs }]), ...question.alsoHolds].flatMap((at) => {
    const waiting = turnAt(tree, at);
    if (!waiting?.questions.includes(question.id)) return [];
    return [{ ...at, needs: at.needs ?? neededBy(waiting, question) }];
  });
}

/** For events recorded before the needed amount was stored. */
const neededBy = (turn: Turn, { limit }: Question): number =>
  limit === "depth" ? turn.depth + 1 : limit === "stepsPerTurn" ? turn.unattended : 1;
