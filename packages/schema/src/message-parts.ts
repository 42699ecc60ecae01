import { z } from "zod";
import { CallId } from "./ids.ts";

/** Data that a provider wants back unchanged (thinking signatures, response ids). Stored as received, returned only to the same model. */
const opaque = z.unknown().optional();

export const ThinkingPart = z.object({ thinking: z.string(), opaque });
export const SayingPart = z.object({ saying: z.string(), opaque });

/**
 * A call's effect decides how it runs: reading calls in parallel, calls with effects in order. Built-in calls (asks, questions, reminders,
 * …; `house`) do not run; they are decided in the commit of their step.
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
  /** Expected to give the same result repeatedly. */
  polls: z.boolean().optional(),
  /** Written as text by a model that cannot call tools. It is not sent back as a call, and its answer comes as a message. */
  inText: z.boolean().optional(),
  opaque,
});
export type CallPart = z.infer<typeof CallPart>;

/** A step's output, in order of arrival. */
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

/** The text with white space at its ends, because a reply that was cut off continues right there. */
export const rawTextOf = (parts: readonly Part[]): string =>
  parts
    .filter(isSaying)
    .map((part) => part.saying)
    .join("\n\n");

/** Tokens of one model call. `input` counts everything read; `cachedInput` is the part of it that came from a cache. */
export const Usage = z.object({
  input: z.number().int().nonnegative(),
  output: z.number().int().nonnegative(),
  cachedInput: z.number().int().nonnegative().optional(),
  /** Estimated by us, because the provider did not report it. */
  estimated: z.boolean().optional(),
});
export type Usage = z.infer<typeof Usage>;
