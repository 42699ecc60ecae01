import { z } from "zod";

/** A number of milliseconds, or a text such as "300ms", "2s", "1m". */
const duration = z.union([z.number().nonnegative(), z.string().regex(/^\d+(?:\.\d+)?(?:ms|s|m)$/, 'a time such as "300ms", "2s" or "1m"')]);

const call = z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()).default({}) });

/** How a scripted call to the model fails, by the names that faults have. */
const fail = z.strictObject({
  code: z.enum([
    "overloaded",
    "unreachable",
    "malformed",
    "no_key",
    "wrong_key",
    "no_credit",
    "unknown_model",
    "context_too_long",
    "refused",
  ]),
  message: z.string().optional(),
  retryAfter: duration.optional(),
  /** Fail this many times, then go on; absent: always. */
  times: z.number().int().positive().optional(),
});

/** One thing that the scripted model does within a step, in order. */
const action = z.union([
  z.strictObject({ think: z.string() }),
  z.strictObject({ say: z.string() }),
  z.strictObject({ json: z.unknown() }),
  z.strictObject({ call }),
  z.strictObject({ wait: duration }),
  z.strictObject({ fail }),
  /** Breaks the order of the stream on purpose. */
  z.strictObject({ overlap: z.literal(true) }),
]);

const text = z.string().describe('a piece of text that must occur, or "/pattern/flags"');

/** All given conditions must hold; a rule without conditions always fits. */
const when = z.strictObject({
  agent: z.union([z.string(), z.array(z.string())]).optional(),
  course: z.number().int().positive().optional(),
  /** The number of the step within its turn. */
  step: z.number().int().positive().optional(),
  /** In the last message that is not this agent's own. */
  text: z.union([text, z.array(text)]).optional(),
  /** In any message that the agent is shown. */
  seen: z.union([text, z.array(text)]).optional(),
  /** The last message is the result of this tool. */
  result: z.string().optional(),
});

export const ScriptRule = z.strictObject({
  when: when.optional(),
  /** Fits only this often in a dialog's course; absent: without end. */
  times: z.number().int().positive().optional(),
  do: z.union([action, z.array(action).min(1)]),
});
export type ScriptRule = z.infer<typeof ScriptRule>;
export type ScriptAction = z.infer<typeof action>;

/** A script for the built-in model: the first rule that fits is played. */
export const Script = z.strictObject({
  description: z.string().optional(),
  /** How fast words come, in characters per second; absent: at once. */
  speed: z.number().positive().optional(),
  rules: z.array(ScriptRule).min(1),
});
export type Script = z.infer<typeof Script>;
