import { cancelAsk, type Refusing, withdrawQuestion } from "../asks/ask.ts";
import type { Draft } from "../state/draft.ts";
import type { CallDecision } from "../step/step-decision.ts";
import { askOf, isAskedBy, type Question, turnAt, type TurnRef } from "../state/tree.ts";
import { endCall } from "./end-call.ts";

/** Cancels what the agent's turn waits for: the calls it names, or all of them. */
export function cancelAsks({ draft, ref, rules }: CallDecision, callIds: readonly string[] | undefined): Refusing {
  const turns = waitingTurns(draft, ref);
  const waiting = turns.flatMap((at) => turnAt(draft.tree, at) ?? []);
  const asks = waiting.flatMap((turn) => [...turn.asks, ...turn.wakingAsks]).flatMap((id) => askOf(draft.tree, id) ?? []);
  const questions = waiting
    .flatMap((turn) => turn.questions)
    .flatMap((id) => draft.tree.questions.get(id) ?? [])
    .filter((one) => canBeCalledOff(one) && one.call !== ref.call && turns.some((at) => isAskedBy(one, at)));
  const open = [...asks, ...questions].flatMap((one) => one.call ?? []);
  const missing = (callIds ?? []).filter((id) => !open.some((known) => known === id));
  if (missing.length > 0) return rules.texts.noSuchAsk(missing, open);
  const isMeant = (one: { readonly call: string | undefined }) => callIds === undefined || callIds.some((id) => id === one.call);
  const cancelled = [...asks.filter(isMeant), ...questions.filter(isMeant)];
  // The call gets its result first, because an ask-back turn may end with what it cancels.
  endCall(draft, ref, rules.texts.cancelled(cancelled.map((one) => one.headline)));
  for (const ask of asks.filter(isMeant)) if (askOf(draft.tree, ask.id)) cancelAsk(draft, ask, rules.texts.cancelledByAsker, "cancelled");
  for (const question of questions.filter(isMeant))
    if (draft.tree.questions.get(question.id)?.status === "open") withdrawQuestion(draft, question, rules.texts.cancelledByAsker);
  return undefined;
}

/** This turn; in an ask-back, also the turn that waits for the agent asking back. */
function waitingTurns(draft: Draft, ref: TurnRef): readonly TurnRef[] {
  const cause = turnAt(draft.tree, ref)?.cause;
  const about = cause?.kind === "askBack" ? askOf(draft.tree, cause.ask)?.about : undefined;
  const from = about === undefined ? undefined : askOf(draft.tree, about)?.from;
  return from ? [ref, from] : [ref];
}

/** Only questions the agent asked itself can be cancelled. Limits and faults are the system's. */
const canBeCalledOff = ({ kind }: Question): boolean => kind === "question" || kind === "confirmation" || kind === "approval";
