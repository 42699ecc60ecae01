import { usageText } from "../line/command-line.ts";
import { commandTable } from "../line/command-table.ts";
import { type Call, type Command, defineCommand } from "../line/command.ts";
import { ExitCode } from "../line/exit-code.ts";
import { commandNamed } from "../line/find-command.ts";
import { globalOptions, optionText, type Options } from "../line/option.ts";
import { beside, wrapPlain } from "../terminal/wrap-plain.ts";

/** Longer lines are hard to read. */
const MAX_COLUMNS = 90;

export const help = defineCommand({
  words: ["[COMMAND]"],
  options: { all: { about: "every command" } },
  about: "Shows the first commands, all of them, or one in detail.",
  examples: [["colloquy help new", "the same as colloquy new --help"]],

  async run(call) {
    const [name] = call.words;
    if (name === undefined) return overview(call, call.values.all ?? false);
    return commandHelp(call, name, await commandNamed(name));
  },
});

/** `help` and `--help`: eight verbs first, the others behind `--all`. */
export function overview({ shell }: Pick<Call, "shell">, all: boolean): ExitCode {
  const { colours } = shell.out;
  const columns = Math.min(shell.out.columns, MAX_COLUMNS);
  const rows = commandTable.filter((row) => all || row.first);
  const width = Math.max(...rows.map((row) => row.name.length));
  const lines = rows.map((row) =>
    beside(`  ${row.name.padEnd(width)}  `, row.summary, columns).replace(row.name, (name) => colours.bold(name)),
  );
  const paragraph = (text: string) => wrapPlain(text, columns);
  const text = [
    "Colloquy: agents that ask, wait and go on.",
    "",
    "colloquy [-C DIR] [--json] COMMAND",
    "",
    ...lines,
    "",
    ...(all ? ["Options of every command:", ...optionLines(globalOptions, columns), ""] : []),
    ...(all
      ? []
      : [paragraph("New here? colloquy demo --play shows a team working, without a key."), "A project of yours: colloquy init", ""]),
    ...(all ? [] : ["All commands: colloquy help --all"]),
    "One in detail: colloquy help COMMAND",
    ...(all
      ? [
          paragraph(
            "A DIALOG is some digits of its id (from either end, or the first of those that you see), its title in quotes, or @ for the last one. " +
              "Q is some digits of a question's id.",
          ),
          paragraph("Exit codes: 0 done, 1 refused, failed or stopped, 2 wrong usage, 3 not found, 4 waiting for a person."),
        ]
      : []),
  ];
  shell.out.write(`${text.join("\n")}\n`);
  return ExitCode.done;
}

export function commandHelp({ shell }: Pick<Call, "shell">, name: string, command: Command): ExitCode {
  const { colours } = shell.out;
  const columns = Math.min(shell.out.columns, MAX_COLUMNS);
  const options = optionLines(command.options, columns);
  const width = Math.max(0, ...command.examples.map(([example]) => example.length));
  const examples = command.examples.map(([example, what]) => {
    if (what === "") return `  ${example}`;
    // A command is never broken, so that it can be copied; what it does stands below it where there is no room beside.
    return width + what.length + 4 <= columns
      ? `  ${example.padEnd(width)}  ${colours.dim(what)}`
      : `  ${example}\n      ${colours.dim(wrapPlain(what, Math.max(20, columns - 6)).replaceAll("\n", "\n      "))}`;
  });
  const text = [
    usageText(name, command),
    "",
    wrapPlain(command.about, columns),
    ...(options.length > 0 ? ["", ...options] : []),
    "",
    "Examples:",
    ...examples,
  ];
  shell.out.write(`${text.join("\n")}\n`);
  return ExitCode.done;
}

function optionLines(options: Options, columns: number): readonly string[] {
  const built = Object.entries(options).filter(([, option]) => !option.notBuiltYet);
  const texts = built.map(([name, option]) => optionText(name, option));
  const width = Math.max(0, ...texts.map((text) => text.length));
  return built.map(([, option], nth) => beside(`  ${(texts[nth] ?? "").padEnd(width)}  `, option.about, columns));
}
