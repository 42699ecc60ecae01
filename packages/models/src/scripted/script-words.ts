import type { Words } from "./script-rule.ts";
import { isRecord } from "../providers/sdk-prompt.ts";

/** Replaces `{{text}}`, `{{result}}`, `{{match.1}}` and so on, in every text within a value. Unknown ones stay. */
export function filled<Value>(value: Value, words: Words): Value {
  const fill = (one: unknown): unknown => {
    if (typeof one === "string") return one.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => words(name) ?? whole);
    if (Array.isArray(one)) return one.map(fill);
    if (isRecord(one)) return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, fill(inner)]));
    return one;
  };
  return fill(value) as Value;
}
