import { defineCommand } from "../../line/command.ts";
import { changed } from "../../dialogs/dialog-change.ts";
import { findDialog } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";

export const done = defineCommand({
  words: ["DIALOG"],
  options: {},
  about: "Says that a dialog is done. Calls that are open get the result that they were not run. A message opens it again.",
  examples: [["colloquy done @", ""]],

  run: (call) =>
    withProject(call, async (project) => {
      const place = await findDialog(project, call.words[0] ?? "");
      return changed(call, project, place, await project.done(place), "done");
    }),
});
