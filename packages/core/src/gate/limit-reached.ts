import type { LimitName, LimitsConfig } from "@colloquy/schema";
import { type Tree, turnAt, type TurnRef } from "../state/tree.ts";
import type { StepDecision } from "../step/step-decision.ts";
import { limitQuestion, type ReachedLimit } from "./limit.ts";

const COUNTED = ["tokensPerTree", "costPerTree", "wallTimePerTree", "stepsPerTurn"] as const satisfies readonly LimitName[];

/** The first limit that the tree or this turn has reached. Limits are gates over counters; steps are counted for each turn. */
export function limitReached(tree: Tree, ref: TurnRef, limits: LimitsConfig): ReachedLimit | undefined {
  const used: Record<(typeof COUNTED)[number], number> = {
    tokensPerTree: tree.spent.tokens,
    costPerTree: tree.spent.cost,
    wallTimePerTree: tree.spent.ms,
    stepsPerTurn: turnAt(tree, ref)?.unattended ?? -1,
  };
  const allowed = (name: (typeof COUNTED)[number]): number =>
    (limits[name] ?? Infinity) + (name === "stepsPerTurn" ? 0 : (tree.raised[name] ?? 0));
  const limit = COUNTED.find((name) => used[name] >= allowed(name));
  return limit && { limit, used: used[limit], allowed: allowed(limit) };
}

/** A person is asked once for each limit of a tree; a turn that reaches its own limit waits for that same question. */
export function holdAtLimit({ draft, ref, rules, notification, newId }: StepDecision): void {
  const { tree } = draft;
  const reached = limitReached(tree, ref, rules.limits);
  if (!reached) return;
  const { limit, used } = reached;
  const turn = turnAt(tree, ref);
  const asked = [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []).find((one) => one.limit === limit);
  if (asked) {
    // Its own turn already waits for it; the tree's limits hold everybody.
    if (turn && limit === "stepsPerTurn" && !turn.questions.includes(asked.id))
      draft.add({ type: "call.held", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn, question: asked.id, needs: used });
    return;
  }
  draft.ask(
    { dialog: ref.dialog, agent: ref.agent, turn: turn && ref.turn },
    {
      id: newId(),
      ...(notification !== undefined && { notification }),
      kind: "limit",
      limit,
      ...(limit === "stepsPerTurn" && { needs: used }),
      ...limitQuestion(draft.dialog(ref.dialog).title, reached, rules.texts),
    },
  );
}
