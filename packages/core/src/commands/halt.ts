import type { OfferedChoice, StopReason } from "@colloquy/schema";
import type { Asker, Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";

/** A stop that was caused by a fault, not by a person. */
export interface Halt {
  /** Where the fault occurred. Without a turn, it concerns the agent as a whole. */
  readonly asker: Asker;
  readonly reason: StopReason;
  /** The id of the question about it. */
  readonly question: string;
  /** Default: resume, or give up. */
  readonly options?: readonly OfferedChoice[];
}

/** Stops the dialog and asks a person whether to resume or give up. */
export function halt(draft: Draft, { asker, reason, question, options }: Halt, { texts }: Rules): void {
  const { title } = draft.dialog(asker.dialog);
  draft.add({ type: "dialog.stopped", ...draft.here(asker.dialog), reason });
  draft.ask(asker, {
    id: question,
    kind: "fault",
    headline: texts.faultHeadline(title),
    text: reason.message,
    options: options
      ? [...options]
      : [
          { label: texts.resumeChoice, code: "resume" },
          { label: texts.giveUpChoice, code: "giveUp" },
        ],
    allowOther: false,
  });
}
