import { parseArgs } from "node:util";
import type { Command } from "./command.ts";
import { notBuiltYet, wrongUsage } from "./failure.ts";
import { globalOptions, type Option, optionText, type OptionValue, type Options } from "./option.ts";

/** A command's arguments and options, validated. */
export interface Parsed {
  readonly values: Readonly<Record<string, OptionValue>>;
  readonly words: readonly string[];
}

/** Separates the command: the first word that is neither an option nor an option's value. */
export function findCommand(argv: readonly string[]): { readonly name: string | undefined; readonly rest: readonly string[] } {
  const takesValue = (arg: string) =>
    Object.entries(globalOptions).some(
      ([name, option]) => "takes" in option && (arg === `--${name}` || ("short" in option && arg === `-${option.short}`)),
    );
  for (let at = 0; at < argv.length; at++) {
    const arg = argv[at] ?? "";
    if (arg === "--") break;
    if (takesValue(arg)) at++;
    else if (!arg.startsWith("-")) return { name: arg, rest: argv.toSpliced(at, 1) };
  }
  return { name: undefined, rest: argv };
}

/** Parses options by a command's table. Errors say what would be valid. */
export function parse(name: string, options: Options, args: readonly string[]): Parsed {
  const table: Options = { ...globalOptions, ...options };
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.entries(table).map(([key, option]) => [key, forNode(option)])),
    strict: false,
    tokens: true,
  });
  const values: Record<string, OptionValue> = {};
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    else if (token.kind === "option") {
      const value = valueOf(name, options, table, token);
      const before = values[token.name];
      values[token.name] = table[token.name]?.repeats ? [...(Array.isArray(before) ? before : []), String(value)] : value;
    }
  }
  return { values, words };
}

const forNode = ({ takes, short }: Option) => ({
  type: takes === undefined ? ("boolean" as const) : ("string" as const),
  ...(short !== undefined && { short }),
});

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function valueOf(command: string, own: Options, table: Options, token: OptionToken): string | boolean {
  const option = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
  if (!option) throw wrongUsage(unknownOption(command, own, token.rawName));
  if (option.notBuiltYet) throw notBuiltYet(token.rawName);
  if (option.takes === undefined) {
    if (token.value !== undefined) throw wrongUsage(`${token.rawName} takes no value.`);
    return true;
  }
  const isMissing = token.value === undefined || token.value === "" || (!token.inlineValue && /^-./.test(token.value));
  if (isMissing) throw wrongUsage(`${token.rawName} needs a value: ${optionText(token.name, option)}.`);
  return token.value ?? "";
}

function unknownOption(command: string, own: Options, typed: string): string {
  const built = Object.entries({ ...own, ...globalOptions }).filter(([, option]) => !("notBuiltYet" in option));
  const known = built.map(([name, option]) => optionText(name, option)).join(", ");
  // A text that starts with a dash looks like an option.
  const behind =
    /^-[\w-]+$/.test(typed) && typed.length > 2 ? "" : ` Put text that begins with - after --, as in: colloquy ${command} -- "- one"`;
  return `${command} has no option ${typed}. Its options: ${known}.${behind}`;
}

/** Checks the number of words. */
export function checkWords(name: string, { words, options }: Command, given: readonly string[]): void {
  const least = words.filter((word) => !word.startsWith("[")).length;
  const most = /…\]?$/.test(words.at(-1) ?? "") ? Number.POSITIVE_INFINITY : words.length;
  if (given.length >= least && given.length <= most) return;
  const missing = words.filter((word) => !word.startsWith("[")).slice(given.length);
  const problem =
    given.length < least ? `${name} needs ${missing.join(" and ").replaceAll("…", "")}.` : `${name} takes no "${given[words.length]}".`;
  throw wrongUsage(`${problem} Usage: ${usageText(name, { words, options })}`);
}

/** A longer usage line is hard to read; the options are explained below it. */
const MAX_USAGE_COLUMNS = 110;

/** `colloquy send DIALOG TEXT… [--wait] [--timeout TIME]` */
export function usageText(name: string, { words, options }: Pick<Command, "words" | "options">): string {
  const built = Object.entries(options).filter(([, option]) => !option.notBuiltYet);
  const line = (shown: readonly string[]) => ["colloquy", name, ...shown, ...words.map((word) => word.replace("…", ""))].join(" ");
  const whole = line(built.map(([key, option]) => `[${optionText(key, option)}]${option.repeats ? "…" : ""}`));
  return whole.length <= MAX_USAGE_COLUMNS ? whole : line(["[OPTION]…"]);
}
