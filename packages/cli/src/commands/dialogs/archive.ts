import { defineCommand } from "../../line/command.ts";
import { changed } from "../../dialogs/dialog-change.ts";
import { findDialog } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";

export const archive = defineCommand({
  words: ["DIALOG"],
  options: {},
  about: "Puts a dialog away: it can be read, but takes no more messages. Its files move to .dialogs/archive/.",
  examples: [["colloquy archive 7f3a2c", ""]],

  run: (call) =>
    withProject(call, async (project) => {
      const place = await findDialog(project, call.words[0] ?? "");
      return changed(call, project, place, await project.archive(place), "archived");
    }),
});
