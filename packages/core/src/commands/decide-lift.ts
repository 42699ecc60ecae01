import type { TreeEvent } from "@colloquy/schema";
import { conclude } from "../step/conclude.ts";
import type { Day } from "../gate/day.ts";
import type { Decision } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
export { openLimits } from "./lift-limit.ts";
import { liftLimit, openLimits } from "./lift-limit.ts";
import type { Tree } from "../state/tree.ts";

/** The settings may allow more than when people were asked. Calls and turns that now fit continue, and the question is withdrawn. */
export function decideLift(tree: Tree, day: Day | undefined, rules: Rules): Decision<TreeEvent> {
  const draft = new Draft(tree, rules.at);
  for (const question of openLimits(tree)) liftLimit(draft, question, day, rules);
  conclude(draft, rules);
  return draft.decision(draft.events.length);
}
