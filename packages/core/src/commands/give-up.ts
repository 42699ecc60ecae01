import { cancelAsk, endTurn } from "../asks/ask.ts";
import type { Draft } from "../state/draft.ts";
import { askOf, type Question, turnAt, type TurnRef, turnsOf } from "../state/tree.ts";

/**
 * A person gives up a fault: the turn that met it ends, and its asker is answered with the failure. Other turns of the dialog continue. A
 * fault without a turn concerns its agent as a whole: all turns of that agent end.
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
