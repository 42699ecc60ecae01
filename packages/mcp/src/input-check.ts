import { z } from "zod";
import type { JsonSchema } from "./offered-schema.ts";

/**
 * Validates an input against the schema that its server lists. A call may wait weeks for approval, and the tool may have changed by
 * then. An unreadable schema decides nothing: the server itself responds.
 */
export function inputCheck(schema: JsonSchema): (input: object) => string | undefined {
  let checker: z.ZodType | undefined | "unreadable";
  return (input) => {
    checker ??= checkerOf(schema) ?? "unreadable";
    if (checker === "unreadable") return undefined;
    const parsed = checker.safeParse(input);
    return parsed.success ? undefined : z.prettifyError(parsed.error);
  };
}

function checkerOf(schema: JsonSchema): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(withoutTexts(schema) as JsonSchema);
  } catch {
    return undefined; // beyond what the validator supports, such as if/then/else
  }
}

/**
 * In JSON Schema a format is an annotation unless both sides agree on it, and a foreign pattern may take for ever: the server checks
 * both. A property may also be called "format" or "pattern".
 */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  const isLeftOut = (key: string, of: unknown) =>
    ((key === "format" || key === "pattern") && typeof of === "string") ||
    // These define which other names are valid.
    ("patternProperties" in value && (key === "patternProperties" || key === "additionalProperties"));
  const entries = Object.entries(value).filter(([key, of]) => !isLeftOut(key, of));
  return Object.fromEntries(entries.map(([key, of]) => [key, withoutTexts(of)]));
}
