import { type CallId, type BuiltinInput } from "@colloquy/schema";
import type { Refusing } from "../asks/ask.ts";
import { deadlineMs } from "../gate/deadline.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { askedBefore, decidedWords } from "../output/asked-before.ts";
import { sourceOf } from "../output/question-source.ts";
import { headlineOf } from "../commands/title.ts";
import type { TurnRef } from "../state/tree.ts";
import { endCall } from "./end-call.ts";

export function askHuman(
  draft: Draft,
  ref: TurnRef,
  call: CallId,
  input: BuiltinInput<"askHuman">,
  notification: string,
  rules: Rules,
): Refusing {
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
    return endCall(draft, ref, call, `${texts.askedBefore} ${decidedWords(before.first, rules)} ${texts.askAnew}`);
  }
  if (before?.kind === "open" && isInTime(before.question.deadline, deadline)) {
    draft.add({ type: "call.held", ...draft.here(ref.dialog), agent: ref.agent, turn: ref.turn, call, question: before.question.id });
    return undefined;
  }
  draft.ask(ref, {
    id: call,
    notification,
    kind: "question",
    call,
    headline,
    text,
    ...(options.length > 0 && { options }),
    ...(input.multiple !== undefined && { multiple: input.multiple }),
    ...(input.allowOther !== undefined && { allowOther: input.allowOther }),
    ...(deadline !== undefined && { deadline }),
    ...(otherwise !== undefined && { otherwise }),
    // With a deadline of its own it is asked separately.
    ...(before?.kind === "shared" && deadline === undefined && { shares: before.question }),
    ...source,
  });
  return undefined;
}

/** The question that is already open ends no later than this one would. */
const isInTime = (open: number | undefined, wanted: number | undefined): boolean =>
  wanted === undefined || (open !== undefined && open <= wanted);
