import type { BuiltinInput } from "@colloquy/schema";
import type { Refusing } from "../asks/ask.ts";
import { deadlineMs } from "../gate/deadline.ts";
import { askedBefore, decidedWords } from "../output/asked-before.ts";
import { sourceOf } from "../output/question-source.ts";
import { headlineOf } from "../commands/title.ts";
import type { CallDecision } from "../step/step-decision.ts";
import { endCall } from "./end-call.ts";

export function askHuman({ draft, ref, notification, rules }: CallDecision, input: BuiltinInput<"askHuman">): Refusing {
  const { tellaskContent, options = [], otherwise } = input;
  if (otherwise !== undefined && !options.some((option) => option.label === otherwise)) {
    return rules.texts.badOtherwise(
      otherwise,
      options.map((option) => option.label),
    );
  }
  const headline = input.headline?.trim() || headlineOf(tellaskContent);
  const [first, ...rest] = tellaskContent.trim().split("\n");
  const text =
    input.headline === undefined && headlineOf(first ?? "") === (first ?? "").trim() ? rest.join("\n").trim() : tellaskContent.trim();
  const deadline = input.deadline === undefined ? undefined : deadlineMs(input.deadline, rules.at);
  const source = sourceOf(draft.tree, ref.dialog);
  const before = askedBefore(draft.tree, source, { headline, text }, rules.sections());
  if (before?.kind === "settled") {
    const { texts } = rules;
    return endCall(draft, ref, `${texts.askedBefore} ${decidedWords(before.first, rules)} ${texts.askAnew}`);
  }
  if (before?.kind === "open" && isInTime(before.question.deadline, deadline)) {
    draft.add({
      type: "call.held",
      ...draft.here(ref.dialog),
      agent: ref.agent,
      turn: ref.turn,
      call: ref.call,
      question: before.question.id,
    });
    return undefined;
  }
  draft.ask(ref, {
    id: ref.call,
    notification,
    kind: "question",
    call: ref.call,
    headline,
    text,
    ...(options.length > 0 && { options }),
    ...(input.multiple !== undefined && { multiple: input.multiple }),
    ...(input.allowOther !== undefined && { allowOther: input.allowOther }),
    ...(deadline !== undefined && { deadline }),
    ...(otherwise !== undefined && { otherwise }),
    // A question with its own deadline is asked separately.
    ...(before?.kind === "shared" && deadline === undefined && { shares: before.question }),
    ...source,
  });
  return undefined;
}

/** The question that is already open expires no later than this one would. */
const isInTime = (open: number | undefined, wanted: number | undefined): boolean =>
  wanted === undefined || (open !== undefined && open <= wanted);
