import type { TreeEventOf } from "@colloquy/schema";
import { repetition } from "../state/apply.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { halt } from "../commands/halt.ts";
import { turnAt, type TurnRef } from "../state/tree.ts";

/** The same call with the same result, run or refused: the third time in a turn adds a note, the fourth stops the dialog. */
export function againAndAgain(
  draft: Draft,
  ref: TurnRef,
  call: { readonly tool: string; readonly hash: string; readonly polls: boolean },
  output: TreeEventOf<"call.ended">["output"],
  newId: () => string,
  rules: Rules,
): void {
  const times = call.polls ? 0 : (turnAt(draft.tree, ref)?.repeats[repetition(call, output)] ?? 0);
  if (times === 3) {
    const here = { ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn };
    draft.add({ type: "note.added", ...here, code: "repeated_call", text: rules.texts.repeatedCall(call.tool) });
  } else if (times > 3 && !draft.dialog(ref.dialog).stopped) {
    halt(draft, ref, { code: "repeated_call", message: rules.texts.stoppedForRepetition(call.tool) }, newId(), rules);
  }
}
