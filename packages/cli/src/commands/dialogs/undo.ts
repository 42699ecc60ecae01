import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { oneLine } from "../../terminal/visible.ts";

export const undo = defineCommand({
  words: ["CALL"],
  options: {},
  about:
    "Puts back what a command of an agent changed: files, permissions and git's refs, all of it or nothing. CALL is the id of the " +
    "call, or its last digits, as colloquy log prints them; an unknown one lists what can be undone. Where a file changed since, " +
    "nothing is undone and the file is named, with the later command to undo first. The agent is told. The old files of the last 50 " +
    "commands are kept, up to 256 MB. An undo cannot be undone: let the agent run the command again.",
  examples: [["colloquy undo 51c09e", "what that command changed is as it was before"]],

  run: (call) =>
    withProject(call, async (project) => {
      const [typed] = call.words;
      if (typed === undefined) throw wrongUsage("Name a command. Usage: colloquy undo CALL");
      const undone = await project.undo(typed.toLowerCase());
      const { paths, more } = undone;
      print(call, undone, () =>
        call.shell.out.isTerminal
          ? `Undone. As before: ${paths.map(oneLine).join(", ")}${more > 0 ? ` and ${more} more` : ""}\n`
          : paths.map((path) => `${path}\tundone\n`).join(""),
      );
      return ExitCode.done;
    }),
});
