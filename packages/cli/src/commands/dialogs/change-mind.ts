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
  about:
    "The Taskdoc of a dialog, which its whole tree reads: goals, constraints and progress. With a SELECTOR and TEXT that section is " +
    "replaced, and everybody is told at the next step; without them it is shown. The files may be edited by hand as well.",
  examples: [
    ['colloquy change-mind @ goals "Sell shoes"', ""],
    ["colloquy change-mind @ constraints - < rules.md", "from standard input"],
    ["colloquy change-mind @", "shows it"],
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
