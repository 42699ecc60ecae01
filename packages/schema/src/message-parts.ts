import { z } from "zod";
import { CallId } from "./ids.ts";

/** What a provider wants back word for word (thinking signatures, response ids): stored as it came, returned to the same model only. */
const opaque = z.unknown().optional();

export const ThinkingPart = z.object({ thinking: z.string(), opaque });
export const SayingPart = z.object({ saying: z.string(), opaque });

/**
 * What a call does to the world decides how it is run: readers side by side, those with effects in order. Calls of the house
 * (asks, questions, reminders, …) are not run at all: they are decided, in the commit of their step.
 */
export const CallKind = z.enum(["reads", "effects", "house"]);
export type CallKind = z.infer<typeof CallKind>;

export const CallPart = z.object({
  call: CallId,
  tool: z.string(),
  input: z.unknown(),
  kind: CallKind,
  /** May be run again after a crash. */
  repeatable: z.boolean().optional(),
  /** Is expected to give the same result again and again. */
  polls: z.boolean().optional(),
  /** Written in the text, by a model that cannot call tools: it is not sent back as a call, and its answer comes as a message. */
  inText: z.boolean().optional(),
  opaque,
});
export type CallPart = z.infer<typeof CallPart>;

/** What one step put out, in the order in which it came. */
export const Part = z.union([ThinkingPart, SayingPart, CallPart]);
export type Part = z.infer<typeof Part>;

export const isCall = (part: Part): part is CallPart => "call" in part;
export const isSaying = (part: Part): part is z.infer<typeof SayingPart> => "saying" in part;
export const isThinking = (part: Part): part is z.infer<typeof ThinkingPart> => "thinking" in part;

export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter(isSaying)
    .map((part) => part.saying)
    .join("\n\n")
    .trim();

/** Words as they came, with the white space at their ends: what was cut off goes on right there. */
export const rawTextOf = (parts: readonly Part[]): string =>
  parts
    .filter(isSaying)
    .map((part) => part.saying)
    .join("\n\n");

/** Tokens of one model call. `input` counts all that was read, `cachedInput` the share of it that came from a cache. */
export const Usage = z.object({
  input: z.number().int().nonnegative(),
  output: z.number().int().nonnegative(),
  cachedInput: z.number().int().nonnegative().optional(),
  /** Our own guess, because the provider did not say. */
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof Usage>;
