import { type AgentId, derivedId, type DialogId, QuestionId, type StopReason } from "@colloquy/schema";
import type { Draft } from "./draft.ts";
import type { HouseRules } from "./house-rules.ts";
import { sourceOf } from "./output/raise-questions.ts";

/** A stop that no person chose is a question: resume, or give up. */
export function halt(draft: Draft, ref: { dialog: DialogId; agent: AgentId }, reason: StopReason, newId: string, rules: HouseRules): void {
  const here = draft.here(ref.dialog);
  const { title } = draft.dialog(ref.dialog);
  const question = QuestionId.parse(newId);
  draft.add({ type: "dialog.stopped", ...here, reason });
  draft.add({
    type: "question.asked",
    ...here,
    agent: ref.agent,
    question,
    notification: derivedId(newId, 1),
    kind: "fault",
    headline: rules.texts.faultHeadline(title),
    text: reason.message,
    options: [{ label: rules.texts.resumeChoice }, { label: rules.texts.giveUpChoice }],
    allowOther: false,
    ...sourceOf(draft.tree, ref.dialog),
  });
}
