import { type Refusing, withdrawQuestion } from "../asks/ask.ts";
import type { CallDecision } from "../step/step-decision.ts";
import { headlineOf } from "../commands/title.ts";
import { turnAt } from "../state/tree.ts";
import { endCall } from "./end-call.ts";
import type { ParsedCall } from "./parsed-call.ts";

/** Decides calls in a question's thread, where a person asked back. These are all an agent may do with its question there. */
export function inThread(
  { draft, ref, rules }: CallDecision,
  parsed: Extract<ParsedCall, { tool: "revise_question" | "withdraw_question" }>,
): Refusing {
  const cause = turnAt(draft.tree, ref)?.cause;
  const question = cause?.kind === "thread" ? draft.tree.questions.get(cause.question) : undefined;
  if (question?.status !== "open") return rules.texts.questionIsClosed;
  // An approval shows the recorded call, and a form belongs to its tool. Neither may be rewritten.
  if (parsed.tool === "revise_question" && (question.kind === "approval" || question.fields)) return rules.texts.onlyWithdraw;
  if (parsed.tool === "withdraw_question") withdrawQuestion(draft, question, parsed.input.why);
  else {
    const { tellaskContent, headline, options } = parsed.input;
    draft.add({
      type: "question.revised",
      ...draft.here(question.dialog),
      agent: ref.agent,
      question: question.id,
      headline: headline ?? (tellaskContent === undefined ? question.headline : headlineOf(tellaskContent)),
      text: tellaskContent ?? question.text,
      ...((options ?? question.options).length > 0 && { options: [...(options ?? question.options)] }),
    });
  }
  return endCall(draft, ref, rules.texts.done);
}
