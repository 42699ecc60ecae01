import { defineCommand } from "../../line/command.ts";
import { reportChange } from "../../dialogs/dialog-change.ts";
import { findDialog } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";

export const done = defineCommand({
  words: ["DIALOG"],
  options: {},
  about: {
    en: "Marks a dialog as done. Its open calls are reported as not run. A message reopens it.",
    zh: "将对话标为完成。未结的调用记为未执行。发消息会重新打开它。",
  },
  examples: [["colloquy done @", ""]],

  run: (call) =>
    withProject(call, async (project) => {
      const place = await findDialog(project, call.words[0] ?? "");
      return reportChange(call, project, place, { ...(await project.done(place)), state: "done" });
    }),
});
