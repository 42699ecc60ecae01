import type { Call } from "./command.ts";

type Output = Pick<Call, "shell" | "json">;

/** JSON that is safe for a terminal: control characters are escaped, and parse to the same value. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  ); // oxlint-disable-line no-control-regex

/** The one JSON value of `--json`. */
export const printJson = ({ shell }: Output, value: unknown): void => shell.out.write(`${jsonText(value)}\n`);

/** JSON for programs, text for everybody else. */
export function print(where: Output, value: unknown, text: () => string): void {
  if (where.json) printJson(where, value);
  else where.shell.out.write(text());
}

/** A message for the person, beside the result. */
export const tell = ({ shell }: Pick<Output, "shell">, text: string): void => shell.err.write(`${text}\n`);
