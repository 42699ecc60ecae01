import type { Draft } from "../state/draft.ts";
import type { CallRef } from "../step/step-decision.ts";

/** Gives a call its result in the commit that decides it. */
export function endCall(draft: Draft, { dialog, agent, turn, call }: CallRef, output: string): undefined {
  draft.add({ type: "call.ended", ...draft.here(dialog), agent, turn, call, output });
}

/** Refuses a call with a reason for the model. The step's other calls continue. */
export function refuseCall(draft: Draft, { dialog, agent, turn, call }: CallRef, output: string): void {
  draft.add({ type: "call.ended", ...draft.here(dialog), agent, turn, call, outcome: "refused", output });
}
