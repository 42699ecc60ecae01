import { cancelAsk, endTurn } from "../asks/ask.ts";
import type { Draft } from "../state/draft.ts";
import { askOf, type Question, turnAt, type TurnRef, turnsOf } from "../state/tree.ts";

/**
 * Gives up on a fault: ends the turn that met it and answers its asker with the failure. Other turns of the dialog continue. A fault
 * without a turn concerns the agent as a whole, so all of its turns end.
 */
export function giveUp(draft: Draft, { dialog, agent, turn }: Question, why: string): void {
  if (turn !== undefined) return giveUpTurn(draft, { dialog, agent, turn }, why);
  for (const ref of turnsOf(draft.tree, draft.dialog(dialog))) if (ref.agent === agent) giveUpTurn(draft, ref, why);
}

function giveUpTurn(draft: Draft, ref: TurnRef, why: string): void {
  const cause = turnAt(draft.tree, ref)?.cause;
  const ask = cause && "ask" in cause ? askOf(draft.tree, cause.ask) : undefined;
  if (ask) cancelAsk(draft, ask, why, "failed");
  else endTurn(draft, ref, why);
}
