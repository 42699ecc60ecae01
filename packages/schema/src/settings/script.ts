import { z } from "zod";

/** A number of milliseconds, or a text such as "300ms", "2s", "1m". */
const duration = z.union([z.number().nonnegative(), z.string().regex(/^\d+(?:\.\d+)?(?:ms|s|m)$/, 'a time such as "300ms", "2s" or "1m"')]);

const call = z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()).default({}) });

/** How a scripted model call fails, by the codes of faults. */
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
  /** Fails this many times, then continues; always if absent. */
  times: z.number().int().positive().optional(),
});

/** One action of the scripted model within a step. */
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

/** All given conditions must hold. A rule without conditions always matches. */
const when = z.strictObject({
  agent: z.union([z.string(), z.array(z.string())]).optional(),
  course: z.number().int().positive().optional(),
  /** The number of the step within its turn. */
  step: z.number().int().positive().optional(),
  /** Text in the last message that is not this agent's own. */
  text: z.union([text, z.array(text)]).optional(),
  /** Text in any message the agent is shown. */
  seen: z.union([text, z.array(text)]).optional(),
  /** The last message is the result of this tool. */
  result: z.string().optional(),
});

export const ScriptRule = z.strictObject({
  when: when.optional(),
  /** Matches at most this often in a dialog's course; unlimited if absent. */
  times: z.number().int().positive().optional(),
  do: z.union([action, z.array(action).min(1)]),
});
export type ScriptRule = z.infer<typeof ScriptRule>;
export type ScriptAction = z.infer<typeof action>;

/** A script for the built-in model. The first matching rule is played. */
export const Script = z.strictObject({
  description: z.string().optional(),
  /** Output speed in characters per second; immediate if absent. */
  speed: z.number().positive().optional(),
  rules: z.array(ScriptRule).min(1),
});
export type Script = z.infer<typeof Script>;
