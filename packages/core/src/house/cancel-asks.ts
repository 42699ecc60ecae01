import type { CallId } from "@colloquy/schema";
import { cancelAsk, type Refusing, withdrawQuestion } from "../ask.ts";
import type { Draft } from "../draft.ts";
import type { HouseRules } from "../house-rules.ts";
import { askOf, isAskedBy, turnAt, type TurnRef } from "../tree.ts";
import { endCall } from "./end-call.ts";

/** An agent gives up what its turn waits for: the calls that it names, or all. */
export function cancelAsks(draft: Draft, ref: TurnRef, call: CallId, callIds: readonly string[] | undefined, rules: HouseRules): Refusing {
  const turn = turnAt(draft.tree, ref);
  const asks = [...(turn?.asks ?? []), ...(turn?.each ?? [])].flatMap((id) => askOf(draft.tree, id) ?? []);
  const questions = (turn?.questions ?? [])
    .flatMap((id) => draft.tree.questions.get(id) ?? [])
    .filter((one) => one.kind === "question" && one.call !== call && isAskedBy(one, ref));
  const open = [...asks, ...questions].flatMap((one) => one.call ?? []);
  const missing = (callIds ?? []).filter((id) => !open.some((known) => known === id));
  if (missing.length > 0) return rules.texts.noSuchAsk(missing, open);
  const isMeant = (one: { readonly call: string | undefined }) => callIds === undefined || callIds.some((id) => id === one.call);
  const cancelled = [...asks.filter(isMeant).map((ask) => ask.headline), ...questions.filter(isMeant).map((one) => one.headline)];
  for (const ask of asks.filter(isMeant)) if (askOf(draft.tree, ask.id)) cancelAsk(draft, ask, rules.texts.cancelledByAsker, "cancelled");
  for (const question of questions.filter(isMeant)) withdrawQuestion(draft, question, rules.texts.cancelledByAsker);
  return endCall(draft, ref, call, rules.texts.cancelled(cancelled));
}
