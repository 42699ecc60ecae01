import type { CallId } from "@colloquy/schema";
import type { Draft } from "../state/draft.ts";
import type { TurnRef } from "../state/tree.ts";

/** The call gets its result in the commit that decides it. */
export function endCall(draft: Draft, ref: TurnRef, call: CallId, output: string): undefined {
  draft.add({ type: "call.ended", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn, call, output });
}

/** The model reads why it was not run; the step's other calls continue. */
export function refuseCall(draft: Draft, ref: TurnRef, call: CallId, output: string): void {
  draft.add({ type: "call.ended", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn, call, outcome: "refused", output });
}
