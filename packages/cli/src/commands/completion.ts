import { commandTable } from "../line/command-table.ts";
import { defineCommand } from "../line/command.ts";
import { bashScript, fishScript, zshScript } from "../line/completion-script.ts";
import { ExitCode } from "../line/exit-code.ts";
import { wrongUsage } from "../line/failure.ts";
import { languageOf } from "../line/language.ts";
import { globalOptions } from "../line/option.ts";
import { print } from "../line/output.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export const completion = defineCommand({
  words: ["SHELL"],
  options: {},
  about: {
    en: "Prints a script that completes commands and options in bash, zsh or fish.",
    zh: "打印在 bash、zsh 或 fish 中补全命令和选项的脚本。",
  },
  examples: [
    [
      "source <(colloquy completion bash)",
      { en: "in ~/.bashrc; zsh likewise in ~/.zshrc", zh: "写在 ~/.bashrc 中；zsh 则写在 ~/.zshrc 中" },
    ],
    ["colloquy completion fish > ~/.config/fish/completions/colloquy.fish", ""],
  ],

  async run(call) {
    const [shell = ""] = call.words;
    if (!Object.hasOwn(SCRIPTS, shell)) throw wrongUsage(`Completion exists for ${Object.keys(SCRIPTS).join(", ")}, not for "${shell}".`);
    const language = languageOf(call.shell.env);
    const commands = await Promise.all(
      commandTable.map(async ({ name, summary, load }) => ({ name, summary, options: (await load()).options })),
    );
    const script = SCRIPTS[shell as keyof typeof SCRIPTS](commands, globalOptions, language);
    print(call, { shell, script }, () => script);
    return ExitCode.done;
  },
});
