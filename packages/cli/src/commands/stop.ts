import { defineCommand } from "../command.ts";
import { changed } from "../dialog-change.ts";
import { ExitCode } from "../exit-code.ts";
import { wrongUsage } from "../failure.ts";
import { findDialog, shortId } from "../ids.ts";
import { print } from "../output.ts";
import { withProject } from "../session.ts";

export const stop = defineCommand({
  words: ["[DIALOG]"],
  options: { all: { about: "every dialog with work to do" }, tree: { about: "with all its side dialogs", notBuiltYet: true } },
  about: "Lets a dialog stand still until it is resumed. It keeps what it has, and messages to it are kept until then.",
  examples: [
    ["colloquy stop 7f3a2c", ""],
    ["colloquy stop --all", "everything that has work to do"],
  ],

  async run(call) {
    const { values, words } = call;
    if ((words.length === 0) === !values.all) throw wrongUsage("Name a dialog or give --all. Usage: colloquy stop DIALOG | --all");
    return withProject(call, async (project) => {
      if (!values.all) {
        const rootId = await findDialog(project, words[0] ?? "");
        return changed(call, project, rootId, await project.stop(rootId), "stopped");
      }
      const hot = project.dialogs({ status: "running" }).filter((entry) => entry.hot);
      for (const { rootId } of hot) await project.stop(rootId);
      const stopped = hot.map(({ rootId }) => rootId);
      print(call, { stopped }, () =>
        call.shell.out.isTerminal ? `${summary(stopped)}\n` : stopped.map((id) => `${shortId(id)}\tstopped\n`).join(""),
      );
      return ExitCode.done;
    });
  },
});

const summary = (stopped: readonly string[]): string =>
  stopped.length === 0 ? "Nothing is at work." : `Stopped ${stopped.map(shortId).join(", ")}. Go on: colloquy resume --all`;
