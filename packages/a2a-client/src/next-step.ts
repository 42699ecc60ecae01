import { type Language, texts } from "@colloquy/core";
import { type CallPart, isCall, type ModelMessage, textOf } from "@colloquy/schema";
import { fromOutput, type RemoteTask } from "./state.ts";

export const SEND = "a2a_send";
export const WAIT = "a2a_wait";
const ASK_BACK = "tellaskBack";
const LANGUAGES: readonly Language[] = ["en", "zh"];

/** What a member elsewhere does next: what it says, then what it calls. */
export interface NextStep {
  readonly say?: string;
  readonly call?: { readonly tool: string; readonly input: object };
}

interface Shown {
  readonly name: string;
  readonly messages: readonly ModelMessage[];
  /** Somebody gave it an assignment, whom it can ask back. */
  readonly mayAskBack: boolean;
}

/**
 * Decides a step from what the member is shown, and nothing else: after a crash the same step is decided again. A message is sent, its task is
 * waited for, and what comes back is said; what the other side asks goes to the asker, and the answer is sent on.
 */
export function nextStep({ name, messages, mayAskBack }: Shown): NextStep {
  const at = messages.findLastIndex((message) => message.role === "assistant" && message.parts.some(isCall));
  const call = callIn(messages[at]);
  const fresh = () => textsAfter(messages, lastSend(messages));
  if (!call || hasSpokenAfter(messages, at)) return send(fresh(), continued(messages, call));
  const result = messages.slice(at).find((message) => message.role === "result" && message.call === call.call);
  if (result?.role !== "result") return { say: waiting(name) };
  if (call.tool === ASK_BACK) {
    const { task, context } = lastTask(messages) ?? {};
    // Woken by a message while the answer is still to come.
    return isInterim(result.output) ? { say: waiting(name) } : send(fresh(), { task, context });
  }
  const found = result.failed ? undefined : fromOutput(result.output);
  const wasAsked = askedBefore(messages, at);
  return found ? after(found, { name, mayAskBack, wasAsked, more: fresh() }) : { say: `${name} could not be asked: ${result.output}` };
}

interface Around {
  readonly name: string;
  readonly mayAskBack: boolean;
  /** What it asked before, by its ids. */
  readonly wasAsked: ReadonlySet<string>;
  /** What came since it was last sent something. */
  readonly more: string;
}

function after({ task, context, state, text, asked: id }: RemoteTask, { name, mayAskBack, wasAsked, more }: Around): NextStep {
  switch (state) {
    case "working":
      return { call: { tool: WAIT, input: { task, context } } };
    case "input-required": {
      if (more !== "") return send(more, { task, context });
      // It has an answer from here and still asks the same: a person there decides.
      if (id !== undefined && wasAsked.has(id)) return { call: { tool: WAIT, input: { task, context, past: id } } };
      const asked = text.trim() === "" ? `${name} needs more to go on.` : text;
      return mayAskBack ? { call: { tool: ASK_BACK, input: { tellaskContent: asked } } } : { say: asked };
    }
    case "completed": {
      const say = text.trim() === "" ? `${name} is done, and said nothing.` : text;
      return more === "" ? { say } : { say, ...send(more, { context }) };
    }
    case "failed":
    case "canceled":
    case "rejected":
    case "auth-required":
      return { say: `${name} did not do it (${state}).${text.trim() === "" ? "" : ` It says: ${text}`}` };
  }
}

/** What it asked in results before this place. */
const askedBefore = (messages: readonly ModelMessage[], at: number): ReadonlySet<string> =>
  new Set(messages.slice(0, at).flatMap((message) => (message.role === "result" ? (fromOutput(message.output)?.asked ?? []) : [])));

const waiting = (name: string): string => `${name} still waits for the answer to its question.`;

const send = (text: string, to: { readonly task?: string | undefined; readonly context?: string | undefined }): NextStep => ({
  call: {
    tool: SEND,
    input: {
      text,
      ...(to.task !== undefined && { task: to.task }),
      ...(to.context !== undefined && to.context !== "" && { context: to.context }),
    },
  },
});

/** A task that waits for input goes on; after one that is over, its context does. */
function continued(messages: readonly ModelMessage[], call: CallPart | undefined): { task?: string; context?: string } {
  const last = call && lastTask(messages);
  if (!last) return {};
  return last.state === "input-required" ? { task: last.task, context: last.context } : { context: last.context };
}

function callIn(message: ModelMessage | undefined): CallPart | undefined {
  return message?.role === "assistant" ? message.parts.findLast(isCall) : undefined;
}

const hasSpokenAfter = (messages: readonly ModelMessage[], at: number): boolean =>
  messages.slice(at + 1).some((message) => message.role === "assistant" && textOf(message.parts) !== "");

const lastSend = (messages: readonly ModelMessage[]): number =>
  messages.findLastIndex((message) => message.role === "assistant" && message.parts.some((part) => isCall(part) && part.tool === SEND));

function lastTask(messages: readonly ModelMessage[]): RemoteTask | undefined {
  for (const message of messages.toReversed())
    if (message.role === "result" && !message.failed && (message.tool === SEND || message.tool === WAIT)) {
      const found = fromOutput(message.output);
      if (found) return found;
    }
  return undefined;
}

/** What people and agents said after a place, with answers to what it asked back. */
const textsAfter = (messages: readonly ModelMessage[], at: number): string =>
  messages
    .slice(at + 1)
    .flatMap((message) => {
      if (message.role === "user") return [message.text];
      return message.role === "result" && message.tool === ASK_BACK ? [message.output] : [];
    })
    .join("\n\n")
    .trim();

/** The answer comes later, as a message; this result only says so. */
const isInterim = (output: string): boolean => LANGUAGES.some((language) => texts[language].inProgress(ASK_BACK) === output);
