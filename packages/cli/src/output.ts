import type { Call } from "./command.ts";

type Where = Pick<Call, "shell" | "json">;

/** The one JSON value of `--json`. */
export const printJson = ({ shell }: Where, value: unknown): void => shell.out.write(`${JSON.stringify(value)}\n`);

/** JSON for programs, text for everybody else. */
export function print(where: Where, value: unknown, text: () => string): void {
  if (where.json) printJson(where, value);
  else where.shell.out.write(text());
}

/** Something for the person, beside the result. */
export const tell = ({ shell }: Pick<Where, "shell">, text: string): void => shell.err.write(`${text}\n`);
