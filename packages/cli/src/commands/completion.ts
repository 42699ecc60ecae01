import { commandTable } from "../line/command-table.ts";
import { defineCommand } from "../line/command.ts";
import { bashScript, fishScript, zshScript } from "../line/completion-script.ts";
import { ExitCode } from "../line/exit-code.ts";
import { wrongUsage } from "../line/failure.ts";
import { globalOptions } from "../line/option.ts";
import { print } from "../line/output.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export const completion = defineCommand({
  words: ["SHELL"],
  options: {},
  about: "Prints a script that completes commands and options in bash, zsh or fish.",
  examples: [
    ["source <(colloquy completion bash)", "in ~/.bashrc; zsh likewise in ~/.zshrc"],
    ["colloquy completion fish > ~/.config/fish/completions/colloquy.fish", ""],
  ],

  async run(call) {
    const [shell = ""] = call.words;
    if (!Object.hasOwn(SCRIPTS, shell)) throw wrongUsage(`There is completion for ${Object.keys(SCRIPTS).join(", ")}, not for "${shell}".`);
    const commands = await Promise.all(
      commandTable.map(async ({ name, summary, load }) => ({ name, summary, options: (await load()).options })),
    );
    const script = SCRIPTS[shell as keyof typeof SCRIPTS](commands, globalOptions);
    print(call, { shell, script }, () => script);
    return ExitCode.done;
  },
});
