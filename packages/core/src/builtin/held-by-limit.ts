import { type CallId, derivedId } from "@colloquy/schema";
import type { Refusing } from "../asks/ask.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { limitQuestion } from "../gate/limit.ts";
import { turnAt, type TurnRef } from "../state/tree.ts";

/** The call waits for a person; it will be decided again. */
const HELD = Symbol("held");
export type Outcome = Refusing | typeof HELD;

/** Depth and open asks hold the single call: a person is asked once for the tree. */
export function heldByLimit(
  draft: Draft,
  ref: TurnRef,
  call: CallId,
  asks: number,
  notification: string,
  rules: Rules,
): typeof HELD | undefined {
  const { tree } = draft;
  const depth = (turnAt(tree, ref)?.depth ?? 0) + 1;
  const allowed = (limit: "depth" | "openAsks") => rules.limits[limit] + (tree.raised[limit] ?? 0);
  const limit = depth > allowed("depth") ? "depth" : tree.asks.size + asks > allowed("openAsks") ? "openAsks" : undefined;
  if (limit === undefined) return undefined;
  const here = draft.here(ref.dialog);
  const needs = limit === "depth" ? depth : asks;
  const asked = [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []).find((one) => one.limit === limit);
  if (asked) draft.add({ type: "call.held", ...here, agent: ref.agent, turn: ref.turn, call, question: asked.id, needs });
  else {
    draft.ask(ref, {
      // A call may reach one limit after the other: each is a separate question.
      id: derivedId(call, tree.seq),
      notification,
      kind: "limit",
      call,
      limit,
      needs,
      ...limitQuestion(draft.dialog(ref.dialog).title, limit, limit === "depth" ? depth - 1 : tree.asks.size, allowed(limit), rules.texts),
    });
  }
  return HELD;
}
