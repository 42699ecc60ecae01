import { objectsIn } from "@colloquy/core";
import { parseWith, type StandardSchema } from "../calls/standard-schema.ts";
import type { ParsedInput } from "../calls/tool.ts";

/** The output that an agent promises, and how its model is told. */
export interface PromisedOutput {
  readonly schema: StandardSchema;
  readonly jsonSchema: Readonly<Record<string, unknown>>;
}

/** The last object in the text that matches: bare, fenced or inside prose. */
export async function readPromised(schema: StandardSchema, text: string): Promise<ParsedInput> {
  const objects = objectsIn(text).toReversed();
  let problems = "there is none";
  for (const [nth, { value }] of objects.entries()) {
    const parsed = await parseWith(schema, value);
    if (parsed.ok) return parsed;
    if (nth === 0) problems = parsed.problems;
  }
  return { ok: false, problems };
}
