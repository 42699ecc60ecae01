import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { oneLine } from "../../terminal/visible.ts";

export const undo = defineCommand({
  words: ["CALL"],
  options: {},
  about: {
    en:
      "Undoes what an agent's command changed: files, permissions and git's refs, all of it or nothing. CALL is the id of the " +
      "call, or its last digits, as colloquy log prints them; an unknown one lists what can be undone. If a file changed since, " +
      "nothing is undone and the file is named, with the later command to undo first. The agent is told. The old files of the last 50 " +
      "commands are kept, up to 256 MB. An undo cannot be undone: let the agent run the command again. A call of another tool is undone by the tool itself, if it can.",
    zh: "撤销智能体的一条命令所作的改动：文件、权限和 git 引用，要么全部撤销，要么一概不动。CALL 是该调用的 id 或其末几位，由 colloquy log 打印；给出不存在的 id 时会列出可撤销的。若某个文件其后又有改动，则一概不撤销，并指出该文件和须先撤销的后续命令。智能体会得到告知。最近 50 条命令的旧文件会保留，最多 256 MB。撤销本身不能撤销：请让智能体重新执行该命令。其他工具的调用由工具自己撤销（如果它能）。",
  },
  examples: [["colloquy undo 51c09e", { en: "put back what that command changed", zh: "这条命令改动的内容恢复原样" }]],

  run: (call) =>
    withProject(call, async (project) => {
      const [typed] = call.words;
      if (typed === undefined) throw wrongUsage("Name a command. Usage: colloquy undo CALL");
      const undone = await project.undo(typed.toLowerCase());
      const { paths, more, output } = undone;
      print(call, undone, () =>
        output !== undefined
          ? `Undone.${output === "" ? "" : ` ${oneLine(output)}`}\n`
          : call.shell.out.isTerminal
            ? `Undone. As before: ${paths.map(oneLine).join(", ")}${more > 0 ? ` and ${more} more` : ""}\n`
            : paths.map((path) => `${path}\tundone\n`).join(""),
      );
      return ExitCode.done;
    }),
});
