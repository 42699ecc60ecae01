import { derivedId } from "@colloquy/schema";
import type { Refusing } from "../asks/ask.ts";
import type { CallDecision } from "../step/step-decision.ts";
import { limitQuestion } from "../gate/limit.ts";
import { turnAt } from "../state/tree.ts";

/** The call waits for a person and will be decided again. */
const HELD = Symbol("held");
export type Outcome = Refusing | typeof HELD;

/** Limits on depth and open asks hold only this call, and a person is asked once per tree. `asks`: how many asks the call would open. */
export function heldByLimit({ draft, ref, notification, rules }: CallDecision, asks: number): typeof HELD | undefined {
  const { tree } = draft;
  const depth = (turnAt(tree, ref)?.depth ?? 0) + 1;
  const allowed = (limit: "depth" | "openAsks") => rules.limits[limit] + (tree.raised[limit] ?? 0);
  const limit = depth > allowed("depth") ? "depth" : tree.asks.size + asks > allowed("openAsks") ? "openAsks" : undefined;
  if (limit === undefined) return undefined;
  const here = draft.here(ref.dialog);
  const needs = limit === "depth" ? depth : asks;
  const used = limit === "depth" ? depth - 1 : tree.asks.size;
  const asked = [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []).find((one) => one.limit === limit);
  if (asked) draft.add({ type: "call.held", ...here, agent: ref.agent, turn: ref.turn, call: ref.call, question: asked.id, needs });
  else {
    draft.ask(ref, {
      // A call may reach several limits in turn, and each is a question of its own.
      id: derivedId(ref.call, tree.seq),
      notification,
      kind: "limit",
      call: ref.call,
      limit,
      needs,
      ...limitQuestion(draft.dialog(ref.dialog).title, { limit, used, allowed: allowed(limit) }, rules.texts),
    });
  }
  return HELD;
}
