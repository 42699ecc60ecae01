import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { findDialog } from "../../dialogs/ids.ts";
import { print } from "../../line/output.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";

const SECTIONS = ["goals", "constraints", "progress"] as const;

export const changeMind = defineCommand({
  words: ["DIALOG", "[SELECTOR]", "[TEXT…]"],
  options: {},
  about: {
    en:
      "The Taskdoc of a dialog, which its whole tree reads: goals, constraints and progress. A SELECTOR and TEXT replace that " +
      "section, and everybody is told at the next step; without them it is printed. You may also edit the files by hand.",
    zh: "对话的任务文档，整棵对话树都会阅读：goals 目标、constraints 约束、progress 进展。给出 SELECTOR 和 TEXT 即改写该部分，所有智能体在下一步得知；不给则打印出来。也可以直接编辑这些文件。",
  },
  examples: [
    ['colloquy change-mind @ goals "Sell shoes"', ""],
    ["colloquy change-mind @ constraints - < rules.md", { en: "from standard input", zh: "从标准输入读取" }],
    ["colloquy change-mind @", { en: "shows it", zh: "显示任务文档" }],
  ],

  async run(call) {
    const [typed = "", selector, ...rest] = call.words;
    const section = SECTIONS.find((one) => one === selector);
    if (selector !== undefined && (!section || rest.length === 0)) {
      throw wrongUsage(`Usage: colloquy change-mind DIALOG [${SECTIONS.join(" | ")} TEXT]`);
    }
    const text = section ? await textFrom(rest, call) : "";
    return withProject(call, async (project) => {
      const place = await findDialog(project, typed);
      const receipt = section && (await project.changeMind(place, section, text));
      const taskdoc = await project.taskdoc(place);
      print(call, { ...place, ...receipt, ...taskdoc }, () =>
        SECTIONS.map((name) => `## ${name}\n${taskdoc.sections[name]?.text.trimEnd() ?? "(empty)"}\n`).join("\n"),
      );
      return ExitCode.done;
    });
  },
});
