import { z } from "zod";
import type { JsonSchema } from "./offered-schema.ts";

/**
 * What is wrong with an input by the schema that its server lists. A call may wait weeks for approval, and the tool may want
 * something else by then. A schema that cannot be read decides nothing: the server itself answers.
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
    return z.fromJSONSchema(withoutFormats(schema) as JsonSchema);
  } catch {
    return undefined; // beyond what the reader knows, such as if/then/else
  }
}

/** In JSON Schema a format is a remark unless both sides agree on it. A property may be called "format", too. */
function withoutFormats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFormats);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, of]) => key !== "format" || typeof of !== "string");
  return Object.fromEntries(entries.map(([key, of]) => [key, withoutFormats(of)]));
}
