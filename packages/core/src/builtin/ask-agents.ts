import { type AgentId, askIdOf, type BuiltinInput } from "@colloquy/schema";
import { askBack, askNew, askSession, assignmentAskedBack } from "../asks/ask.ts";
import { deadlineMs } from "../gate/deadline.ts";
import type { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import type { CallDecision } from "../step/step-decision.ts";
import { findAgent } from "../commands/mentions.ts";
import { tooLarge } from "../view/tokens.ts";
import type { TurnRef } from "../state/tree.ts";
import { endCall } from "./end-call.ts";
import { heldByLimit, type Outcome } from "./held-by-limit.ts";

export function tellask(at: CallDecision, input: BuiltinInput<"tellask">): Outcome {
  const { ref, rules } = at;
  const { targetAgentId, sessionSlug, tellaskContent: content } = input;
  const to = findAgent(targetAgentId, rules.team);
  if (to === undefined) return unknown(targetAgentId, rules);
  return (
    tooLarge(content, to, rules) ?? heldByLimit(at, 1) ?? askSession(at, { kind: "tellask", call: ref.call, to, content }, sessionSlug)
  );
}

export function tellaskSessionless(at: CallDecision, input: BuiltinInput<"tellaskSessionless">): Outcome {
  const { draft, ref, rules } = at;
  const { targetAgentId, tellaskContent: content } = input;
  const to = findAgent(targetAgentId, rules.team);
  if (to === undefined) return unknown(targetAgentId, rules);
  if (to === askerOf(draft, ref)) return askBack(at, { id: askIdOf(ref.call), call: ref.call, content });
  if (to === ref.agent) return rules.texts.askYourself;
  const refusing = tooLarge(content, to, rules) ?? heldByLimit(at, 1);
  if (refusing === undefined) askNew(draft, ref, { kind: "tellaskSessionless", call: ref.call, to, content });
  return refusing;
}

export function freshBootsReasoning(at: CallDecision, { tellaskContent: content }: BuiltinInput<"freshBootsReasoning">): Outcome {
  const { draft, ref, rules } = at;
  const effort = rules.team.fbrEffort(ref.agent);
  if (effort === 0) return rules.texts.freshBootsDisabled;
  const tooMuch = tooLarge(content, ref.agent, rules);
  if (tooMuch !== undefined) return tooMuch;
  const held = heldByLimit(at, effort);
  if (held !== undefined) return held;
  for (let nth = 1; nth <= effort; nth++) {
    askNew(draft, ref, {
      kind: "freshBootsReasoning",
      call: ref.call,
      ...(effort > 1 && { nth }),
      to: ref.agent,
      content,
      side: { fresh: true },
    });
  }
  return undefined;
}

export function delegate(at: CallDecision, input: BuiltinInput<"delegate">): Outcome {
  const { draft, ref, rules } = at;
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
  const held = heldByLimit(at, delegations.length);
  if (held !== undefined) return held;
  const until = deadline === undefined ? undefined : deadlineMs(deadline, rules.at);
  delegations.forEach(({ recipient, prompt, phase, branch }, at) =>
    askNew(draft, ref, {
      kind: "delegate",
      call: ref.call,
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
