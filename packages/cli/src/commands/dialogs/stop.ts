import type { RootId } from "@colloquy/library";
import { defineCommand } from "../../line/command.ts";
import { changed } from "../../dialogs/dialog-change.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { eachTree } from "../../dialogs/each-tree.ts";
import { print, tell } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { workingIn } from "../../dialogs/tree-walk.ts";

export const stop = defineCommand({
  words: ["[DIALOG]"],
  options: {
    tree: { about: "and all side dialogs below it" },
    all: { about: "every dialog with work to do" },
  },
  about:
    "Lets a dialog stand still until it is resumed. It keeps what it has, and messages to it are kept until then. Stopping is no " +
    "answer: the dialog that asked keeps waiting. Resuming also resumes what --tree stopped with it.",
  examples: [
    ["colloquy stop 7f3a2c", "this dialog only"],
    ["colloquy stop 7f3a2c --tree", "and all that work for it"],
    ["colloquy stop --all", "everything that has work to do"],
  ],

  async run(call) {
    const { values, words } = call;
    if ((words.length === 0) === !values.all || (values.all && values.tree))
      throw wrongUsage("Name a dialog or give --all. Usage: colloquy stop DIALOG [--tree] | --all");
    return withProject(call, async (project) => {
      if (!values.all) {
        const place = await findDialog(project, words[0] ?? "");
        return changed(call, project, place, await project.stop(place, { tree: values.tree ?? false }), "stopped");
      }
      const hot = (await project.dialogs({ status: "running" })).filter((entry) => entry.hot);
      const { done: stopped, failures } = await eachTree(
        hot.map(({ rootId }) => rootId),
        (rootId) => stopTree(project, rootId),
      );
      print(call, { stopped }, () =>
        call.shell.out.isTerminal ? `${summary(stopped)}\n` : stopped.map((id) => `${shortId(id)}\tstopped\n`).join(""),
      );
      for (const failure of failures) tell(call, failure);
      return failures.length > 0 ? ExitCode.refused : ExitCode.done;
    });
  },
});

/** Along the assignments, and then whoever still works: a side dialog that a person spoke to works for nobody else. */
async function stopTree(project: ProjectAccess, rootId: RootId): Promise<void> {
  await project.stop(rootId, { tree: true });
  for (const { selfId } of workingIn(await project.tree(rootId))) await project.stop({ rootId, selfId });
}

const summary = (stopped: readonly string[]): string =>
  stopped.length === 0 ? "Nothing is running." : `Stopped ${stopped.map(shortId).join(", ")}. Resume: colloquy resume --all`;
