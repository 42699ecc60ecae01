import { labelOf } from "../questions/choice-code.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import type { Dialog } from "../state/tree.ts";

/** Resumes all dialogs that the same stop stopped, and answers its question. */
export function resume(draft: Draft, dialog: Dialog, signature: { by: string; msgId?: string }, rules: Rules): void {
  const seq = dialog.stopped?.seq;
  for (const id of dialog.questions) {
    const question = draft.tree.questions.get(id);
    if (question?.kind !== "fault" || question.topic !== undefined || question.status !== "open") continue;
    draft.add({
      type: "question.closed",
      ...draft.here(dialog.id),
      agent: question.agent,
      question: id,
      as: "answered",
      content: labelOf(question, "resume") ?? rules.texts.resumeChoice,
      by: signature.by,
    });
  }
  draft.add({ type: "dialog.resumed", ...draft.here(dialog.id), ...signature });
  for (const below of draft.tree.dialogs.values()) {
    if (seq !== undefined && below.stopped?.cause === seq) draft.add({ type: "dialog.resumed", ...draft.here(below.id), by: signature.by });
  }
}
