import { type AgentId, askIdOf, type CallId, type BuiltinInput } from "@colloquy/schema";
import { askBack, askNew, askSession, assignmentAskedBack } from "../asks/ask.ts";
import { deadlineMs } from "../gate/deadline.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { findAgent } from "../commands/mentions.ts";
import { tooLarge } from "../view/tokens.ts";
import type { TurnRef } from "../state/tree.ts";
import { endCall } from "./end-call.ts";
import { heldByLimit, type Outcome } from "./held-by-limit.ts";

export function tellask(
  draft: Draft,
  ref: TurnRef,
  call: CallId,
  input: BuiltinInput<"tellask">,
  notification: string,
  rules: Rules,
): Outcome {
  const { targetAgentId, sessionSlug, tellaskContent: content } = input;
  const to = findAgent(targetAgentId, rules.team);
  if (to === undefined) return unknown(targetAgentId, rules);
  return (
    tooLarge(content, to, rules) ??
    heldByLimit(draft, ref, call, 1, notification, rules) ??
    askSession(draft, ref, { kind: "tellask", call, to, content }, sessionSlug, rules)
  );
}

export function tellaskSessionless(
  draft: Draft,
  ref: TurnRef,
  call: CallId,
  input: BuiltinInput<"tellaskSessionless">,
  notification: string,
  rules: Rules,
): Outcome {
  const { targetAgentId, tellaskContent: content } = input;
  const to = findAgent(targetAgentId, rules.team);
  if (to === undefined) return unknown(targetAgentId, rules);
  if (to === askerOf(draft, ref)) return askBack(draft, ref, content, call, askIdOf(call), rules);
  if (to === ref.agent) return rules.texts.askYourself;
  const refusing = tooLarge(content, to, rules) ?? heldByLimit(draft, ref, call, 1, notification, rules);
  if (refusing === undefined) askNew(draft, ref, { kind: "tellaskSessionless", call, to, content });
  return refusing;
}

export function freshBootsReasoning(
  draft: Draft,
  ref: TurnRef,
  call: CallId,
  { tellaskContent: content }: BuiltinInput<"freshBootsReasoning">,
  notification: string,
  rules: Rules,
): Outcome {
  const effort = rules.team.fbrEffort(ref.agent);
  if (effort === 0) return rules.texts.freshBootsDisabled;
  const tooMuch = tooLarge(content, ref.agent, rules);
  if (tooMuch !== undefined) return tooMuch;
  const held = heldByLimit(draft, ref, call, effort, notification, rules);
  if (held !== undefined) return held;
  for (let nth = 1; nth <= effort; nth++) {
    askNew(draft, ref, {
      kind: "freshBootsReasoning",
      call,
      ...(effort > 1 && { nth }),
      to: ref.agent,
      content,
      side: { fresh: true },
    });
  }
  return undefined;
}

export function delegate(
  draft: Draft,
  ref: TurnRef,
  call: CallId,
  input: BuiltinInput<"delegate">,
  notification: string,
  rules: Rules,
): Outcome {
  const { wait = "each", deadline } = input;
  const delegations: (Omit<(typeof input.delegations)[number], "recipient"> & { readonly recipient: AgentId })[] = [];
  for (const item of input.delegations) {
    const recipient = findAgent(item.recipient, rules.team);
    if (recipient === undefined) return unknown(item.recipient, rules);
    const refusing =
      tooLarge(item.prompt, recipient, rules) ??
      (recipient === ref.agent && item.phase === undefined ? rules.texts.delegateToYourself : undefined);
    if (refusing !== undefined) return refusing;
    delegations.push({ ...item, recipient });
  }
  const held = heldByLimit(draft, ref, call, delegations.length, notification, rules);
  if (held !== undefined) return held;
  const until = deadline === undefined ? undefined : deadlineMs(deadline, rules.at);
  delegations.forEach(({ recipient, prompt, phase, branch }, at) =>
    askNew(draft, ref, {
      kind: "delegate",
      call,
      nth: at + 1,
      to: recipient,
      content: prompt,
      side: { ...(phase !== undefined && { phase }), ...(branch !== undefined && { branch }) },
      wait,
      deadline: until,
    }),
  );
  return endCall(
    draft,
    ref,
    call,
    rules.texts.delegated(
      delegations.map(({ recipient }) => rules.team.nameOf(recipient)),
      wait,
    ),
  );
}

const unknown = (named: string, { team, texts }: Rules): string => texts.unknownAgent(named, team.ids());

function askerOf(draft: Draft, ref: TurnRef): AgentId | undefined {
  return assignmentAskedBack(draft, ref)?.from.agent;
}
