import type { CallId } from "@colloquy/schema";
import { type Refusing, withdrawQuestion } from "../asks/ask.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { headlineOf } from "../commands/title.ts";
import { turnAt, type TurnRef } from "../state/tree.ts";
import { endCall } from "./end-call.ts";
import type { ParsedCall } from "./parsed-call.ts";

/** A person asked back: everything the agent may do with its question in this thread. */
export function inThread(
  draft: Draft,
  ref: TurnRef,
  call: CallId,
  parsed: Extract<ParsedCall, { tool: "revise_question" | "withdraw_question" }>,
  rules: Rules,
): Refusing {
  const cause = turnAt(draft.tree, ref)?.cause;
  const question = cause?.kind === "thread" ? draft.tree.questions.get(cause.question) : undefined;
  if (question?.status !== "open") return rules.texts.questionIsClosed;
  // An approval shows the call as recorded, and a form belongs to its tool: nobody may rewrite these.
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
  return endCall(draft, ref, call, rules.texts.done);
}
