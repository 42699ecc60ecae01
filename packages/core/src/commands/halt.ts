import { type AgentId, type DialogId, type StopReason } from "@colloquy/schema";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";

/** Where a fault was met; without a turn it concerns the agent as a whole. */
export interface FaultRef {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly turn?: number | undefined;
}

/** A stop that no person chose is a question: resume, or give up. */
export function halt(draft: Draft, ref: FaultRef, reason: StopReason, newId: string, rules: Rules): void {
  const here = draft.here(ref.dialog);
  const { title } = draft.dialog(ref.dialog);
  draft.add({ type: "dialog.stopped", ...here, reason });
  draft.ask(ref, {
    id: newId,
    kind: "fault",
    headline: rules.texts.faultHeadline(title),
    text: reason.message,
    options: [
      { label: rules.texts.resumeChoice, code: "resume" },
      { label: rules.texts.giveUpChoice, code: "giveUp" },
    ],
    allowOther: false,
  });
}
