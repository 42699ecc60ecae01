import { defineCommand } from "../../line/command.ts";
import { reportChange } from "../../dialogs/dialog-change.ts";
import { findDialog } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";

export const archive = defineCommand({
  words: ["DIALOG"],
  options: {},
  about: {
    en: "Archives a dialog for good: it can be read, but accepts no messages. Its files move to .dialogs/archive/.",
    zh: "归档一个对话：仍可阅读，但不再接收消息。其文件移到 .dialogs/archive/。",
  },
  examples: [["colloquy archive 7f3a2c", ""]],

  run: (call) =>
    withProject(call, async (project) => {
      const place = await findDialog(project, call.words[0] ?? "");
      return reportChange(call, project, place, { ...(await project.archive(place)), state: "archived" });
    }),
});
