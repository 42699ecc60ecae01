import { isConfirmed } from "../../access/confirm.ts";
import { findDialog, isMain, shortId } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";
import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused } from "../../line/failure.ts";
import { print, tell } from "../../line/output.ts";
import { oneLine } from "../../terminal/visible.ts";
import { cut } from "../../terminal/width.ts";

export const deleteDialog = defineCommand({
  words: ["DIALOG"],
  options: { yes: { short: "y", about: { en: "do not ask", zh: "不作询问" } } },
  about: {
    en:
      "Deletes a main dialog with its side dialogs for good: the log, its images and long outputs, its place in lists and in search. What is " +
      "open in it ends first: work is aborted, questions are withdrawn, its task is closed. Its Taskdoc stays in the project. " +
      "colloquy export keeps a copy.",
    zh: "彻底删除一个主对话及其子对话：日志、图片和长输出，以及它在列表和搜索中的位置。其中未完的先结束：工作中止，提问撤回，任务关闭。任务文档留在项目里。想留副本，先用 colloquy export。",
  },
  examples: [
    ["colloquy delete 7f3a2c", { en: "asks first", zh: "先作询问" }],
    ["colloquy delete 7f3a2c --yes", { en: "does not ask", zh: "不作询问" }],
  ],

  run: (call) =>
    withProject(call, async (project) => {
      const place = await findDialog(project, call.words[0] ?? "");
      const id = shortId(place.rootId);
      if (!isMain(place))
        throw refused("bad_request", `Only a main dialog can be deleted, with all its side dialogs: colloquy delete ${id}`);
      // One that cannot be read can be deleted as well.
      const title = await project.view(place).then(
        (view) => ` "${cut(oneLine(view.title), 50)}"`,
        () => "",
      );
      if (!(await isConfirmed(call, call.values.yes ?? false, `Delete dialog ${id}${title}?`, `colloquy delete ${id}`))) {
        tell(call, "Nothing was done.");
        return ExitCode.refused;
      }
      await project.delete(place);
      print(call, { rootId: place.rootId, deleted: true }, () =>
        call.shell.out.isTerminal ? `✕ ${id}${title} is deleted.\n` : `${id}\tdeleted\n`,
      );
      return ExitCode.done;
    }),
});
