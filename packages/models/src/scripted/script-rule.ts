import { Fault, type ModelMessage, type Script, type ScriptRule, textOf } from "@colloquy/schema";
import type { ModelRequest } from "../port.ts";
import { isRecord } from "../providers/sdk-prompt.ts";
import { withTimeLimit } from "./time-limit.ts";

type ResultMessage = Extract<ModelMessage, { role: "result" }>;

/** Values that a rule's text may quote, by name. Looked up on demand: a history may be long. */
export type Words = (name: string) => string | undefined;

/** A rule that matches a request. */
export interface Fit {
  readonly rule: ScriptRule;
  /** The rule's position in the script, from 1. It is attached to everything the rule says, which is how its uses are counted. */
  readonly number: number;
  readonly words: Words;
}

/** The first rule that matches and isn't used up. It depends on the request alone, so the same request gives the same rule. */
export function fittingRule(script: Script, request: ModelRequest, model: string): Fit | undefined {
  let tried = 0;
  const find = (): Fit | undefined => {
    for (const [at, rule] of script.rules.entries()) {
      tried = at + 1;
      const words = wordsIfFits(rule, request);
      if (words && !isUsedUp(rule, at + 1, request, model)) return { rule, number: at + 1, words };
    }
    return undefined;
  };
  // Texts take time in proportion to their length; only a pattern can take for ever.
  return script.rules.some(hasPattern) ? withTimeLimit(find, () => tooSlow(script.rules[tried - 1], tried, model)) : find();
}

function tooSlow(rule: ScriptRule | undefined, number: number, model: string): Fault {
  const patterns = patternsOf(rule ?? { do: [] }).join(" and ");
  return new Fault(
    "model_unknown",
    "never",
    `${model} was stopped at rule ${number}: ${patterns} takes too long on this dialog. Write a pattern without nested repetition, such as /a+b/ instead of /(a+)+b/.`,
  );
}

/** The text of the last message that the agent did not write itself. */
export const lastHeard = ({ messages }: ModelRequest): string => textIn(messages.findLast(({ role }) => role !== "assistant"));

function wordsIfFits({ when = {} }: ScriptRule, request: ModelRequest): Words | undefined {
  const { agent, course, step, messages } = request;
  if (when.agent !== undefined && !listOf(when.agent).includes(agent)) return undefined;
  if (when.course !== undefined && when.course !== course) return undefined;
  if (when.step !== undefined && when.step !== step) return undefined;

  const text = lastHeard(request);
  const heard = listOf(when.text ?? []).map((wanted) => match(wanted, text));
  if (heard.includes(undefined)) return undefined;

  const seen = listOf(when.seen ?? []).map((wanted) => firstMatch(wanted, messages));
  if (seen.includes(undefined)) return undefined;

  const fresh = when.result === undefined ? undefined : resultsAtEnd(messages).findLast(({ tool }) => tool === when.result);
  if (when.result !== undefined && !fresh) return undefined;

  const matches: Readonly<Record<string, string>> = Object.assign({}, ...[...seen, ...heard].map(groupsOf));
  return (name) => {
    if (name === "text") return text;
    if (name === "result")
      return (fresh ?? (messages.findLast(({ role }) => role === "result") as ResultMessage | undefined))?.output ?? "";
    return { agent, course: String(course), step: String(step) }[name] ?? matches[name];
  };
}

/** A rule's uses are counted in the history itself, so that a crash changes nothing. */
function isUsedUp({ times }: ScriptRule, number: number, { messages }: ModelRequest, model: string): boolean {
  if (times === undefined) return false;
  const saidBy = (message: ModelMessage) =>
    message.role === "assistant" &&
    message.model === model &&
    message.parts.some(({ opaque }) => isRecord(opaque) && opaque.rule === number);
  return messages.filter(saidBy).length >= times;
}

function resultsAtEnd(messages: readonly ModelMessage[]): readonly ResultMessage[] {
  const before = messages.findLastIndex(({ role }) => role !== "result");
  return messages.slice(before + 1) as readonly ResultMessage[];
}

const BETWEEN_SLASHES = /^\/(.+)\/([a-z]*)$/s;

const patternsOf = ({ when = {} }: ScriptRule): readonly string[] =>
  [when.text ?? [], when.seen ?? []].flat().filter((wanted) => BETWEEN_SLASHES.test(wanted));

const hasPattern = (rule: ScriptRule): boolean => patternsOf(rule).length > 0;

/** A text, ignoring case, or a pattern between slashes. */
function match(wanted: string, text: string): RegExpExecArray | undefined {
  const [, pattern, flags = ""] = BETWEEN_SLASHES.exec(wanted) ?? [];
  const regex =
    pattern === undefined
      ? new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "i")
      : new RegExp(pattern, flags.replace(/[gy]/g, ""));
  return regex.exec(text) ?? undefined;
}

function firstMatch(wanted: string, messages: readonly ModelMessage[]): RegExpExecArray | undefined {
  for (const message of messages) {
    const found = match(wanted, textIn(message));
    if (found) return found;
  }
  return undefined;
}

const groupsOf = (found: RegExpExecArray | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...(found ?? []).entries(), ...Object.entries(found?.groups ?? {})].map(([name, value]) => [`match.${name}`, value ?? ""]),
  );

function textIn(message: ModelMessage | undefined): string {
  if (!message) return "";
  if (message.role === "assistant") return textOf(message.parts);
  return message.role === "result" ? message.output : message.text;
}

const listOf = (value: string | readonly string[]): readonly string[] => (typeof value === "string" ? [value] : value);
