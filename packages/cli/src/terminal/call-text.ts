import { oneLine } from "./visible.ts";
import { cut } from "./width.ts";

const MAX_CHARACTERS = 60;
/** The most telling argument, by its usual names. */
const TELLING = ["path", "pattern", "command", "query", "url", "name", "title"];

/** A call on one line: `read_file src/models.ts`. */
export function callText(tool: string, input: unknown): string {
  const argument = tellingArgument(input);
  return argument === "" ? tool : `${tool} ${cut(argument, MAX_CHARACTERS)}`;
}

function tellingArgument(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const fields = Object.entries(input);
  const [, value] = TELLING.map((name) => fields.find(([key]) => key === name)).find((one) => one !== undefined) ?? fields[0] ?? [];
  if (value === undefined) return "";
  const text = oneLine(typeof value === "string" ? value : JSON.stringify(value));
  return /\s/.test(text) ? `"${text}"` : text;
}
