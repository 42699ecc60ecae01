import type { TreeEventOf } from "@colloquy/schema";
import { repetition } from "../state/apply.ts";
import { halt } from "../commands/halt.ts";
import { turnAt } from "../state/tree.ts";
import type { StepDecision } from "../step/step-decision.ts";

/** The same call with the same result, run or refused: the third time in a turn adds a note, the fourth stops the dialog. */
export function againAndAgain(
  { draft, ref, rules, newId }: StepDecision,
  call: { readonly tool: string; readonly hash: string; readonly polls: boolean },
  output: TreeEventOf<"call.ended">["output"],
): void {
  const times = call.polls ? 0 : (turnAt(draft.tree, ref)?.repeats[repetition(call, output)] ?? 0);
  if (times === 3) {
    const here = { ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn };
    draft.add({ type: "note.added", ...here, code: "repeated_call", text: rules.texts.repeatedCall(call.tool) });
  } else if (times > 3 && !draft.dialog(ref.dialog).stopped) {
    const reason = { code: "repeated_call", message: rules.texts.stoppedForRepetition(call.tool) } as const;
    halt(draft, { asker: ref, reason, question: newId() }, rules);
  }
}
