import { usageText } from "../line/command-line.ts";
import { commandTable } from "../line/command-table.ts";
import { type Call, type Command, defineCommand } from "../line/command.ts";
import { ExitCode } from "../line/exit-code.ts";
import { commandNamed } from "../line/find-command.ts";
import { type Language, languageOf } from "../line/language.ts";
import { globalOptions, optionText, type Options } from "../line/option.ts";
import { beside, plainWidth, wrapPlain } from "../terminal/wrap-plain.ts";

interface HelpTexts {
  readonly title: string;
  readonly options: string;
  readonly newHere: string;
  readonly yourOwn: string;
  readonly allCommands: string;
  readonly oneCommand: string;
  readonly words: string;
  readonly exitCodes: string;
  readonly examples: string;
}

const texts: Readonly<Record<Language, HelpTexts>> = {
  en: {
    title: "Colloquy: agents that ask, wait and resume.",
    options: "Options of every command:",
    newHere: "New here? colloquy demo --play shows a team working, without a key.",
    yourOwn: "A project of yours: colloquy init",
    allCommands: "All commands: colloquy help --all",
    oneCommand: "One in detail: colloquy help COMMAND",
    words:
      "A DIALOG is some digits of its id (from either end, or the first of those that you see), its title in quotes, or @ for the last one. " +
      "Q is some digits of a question's id.",
    exitCodes: "Exit codes: 0 done, 1 refused, failed or stopped, 2 wrong usage, 3 not found, 4 waiting for a person.",
    examples: "Examples:",
  },
  zh: {
    title: "Colloquy：会提问、肯等待、接着干的智能体。",
    options: "所有命令共有的选项：",
    newHere: "初次使用？colloquy demo --play 演示一个团队如何工作，无须密钥。",
    yourOwn: "建立自己的项目：colloquy init",
    allCommands: "所有命令：colloquy help --all",
    oneCommand: "某个命令的详细说明：colloquy help COMMAND",
    words: "DIALOG 是其 id 的几位（从头或从尾数起，或所显示部分的前几位）、带引号的标题，或代表上一个对话的 @。Q 是提问 id 的几位。",
    exitCodes: "退出码：0 完成，1 被拒绝、失败或已停止，2 用法有误，3 未找到，4 在等人答复。",
    examples: "示例：",
  },
};

/** Longer lines are hard to read. */
const MAX_COLUMNS = 90;

export const help = defineCommand({
  words: ["[COMMAND]"],
  options: { all: { about: { en: "every command", zh: "所有命令" } } },
  about: { en: "Shows the first commands, all of them, or one in detail.", zh: "显示最常用的命令、所有命令，或其中一个的详细说明。" },
  examples: [["colloquy help new", { en: "the same as colloquy new --help", zh: "与 colloquy new --help 相同" }]],

  async run(call) {
    const [name] = call.words;
    if (name === undefined) return overview(call, call.values.all ?? false);
    return commandHelp(call, name, await commandNamed(name));
  },
});

/** `help` and `--help`: eight commands first, all of them with `--all`. */
export function overview({ shell }: Pick<Call, "shell">, all: boolean): ExitCode {
  const { colours } = shell.out;
  const language = languageOf(shell.env);
  const said = texts[language];
  const columns = Math.min(shell.out.columns, MAX_COLUMNS);
  const rows = commandTable.filter((row) => all || row.first);
  const width = Math.max(...rows.map((row) => row.name.length));
  const lines = rows.map((row) =>
    beside(`  ${row.name.padEnd(width)}  `, row.summary[language], columns).replace(row.name, (name) => colours.bold(name)),
  );
  const paragraph = (text: string) => wrapPlain(text, columns);
  const text = [
    said.title,
    "",
    "colloquy [-C DIR] [--json] COMMAND",
    "",
    ...lines,
    "",
    ...(all ? [said.options, ...optionLines(globalOptions, columns, language), ""] : []),
    ...(all ? [] : [paragraph(said.newHere), said.yourOwn, ""]),
    ...(all ? [] : [said.allCommands]),
    said.oneCommand,
    ...(all ? [paragraph(said.words), paragraph(said.exitCodes)] : []),
  ];
  shell.out.write(`${text.join("\n")}\n`);
  return ExitCode.done;
}

export function commandHelp({ shell }: Pick<Call, "shell">, name: string, command: Command): ExitCode {
  const { colours } = shell.out;
  const language = languageOf(shell.env);
  const said = texts[language];
  const columns = Math.min(shell.out.columns, MAX_COLUMNS);
  const options = optionLines(command.options, columns, language);
  const width = Math.max(0, ...command.examples.map(([example]) => example.length));
  const examples = command.examples.map(([example, text]) => {
    if (text === "") return `  ${example}`;
    const what = text[language];
    // A command is never wrapped, so that it can be copied; its description goes below if there is no room beside it.
    return width + plainWidth(what) + 4 <= columns
      ? `  ${example.padEnd(width)}  ${colours.dim(what)}`
      : `  ${example}\n      ${colours.dim(wrapPlain(what, Math.max(20, columns - 6)).replaceAll("\n", "\n      "))}`;
  });
  const text = [
    usageText(name, command),
    "",
    wrapPlain(command.about[language], columns),
    ...(options.length > 0 ? ["", ...options] : []),
    "",
    said.examples,
    ...examples,
  ];
  shell.out.write(`${text.join("\n")}\n`);
  return ExitCode.done;
}

function optionLines(options: Options, columns: number, language: Language): readonly string[] {
  const built = Object.entries(options).filter(([, option]) => !option.notBuiltYet);
  const texts = built.map(([name, option]) => optionText(name, option));
  const width = Math.max(0, ...texts.map((text) => text.length));
  return built.map(([, option], nth) => beside(`  ${(texts[nth] ?? "").padEnd(width)}  `, option.about[language], columns));
}
