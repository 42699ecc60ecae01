import type { RootId } from "@colloquy/library";
import { defineCommand } from "../../line/command.ts";
import { reportChange } from "../../dialogs/dialog-change.ts";
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
    tree: { about: { en: "and all side dialogs below it", zh: "连同其下的所有子对话" } },
    all: { about: { en: "every dialog with work to do", zh: "所有还有工作要做的对话" } },
  },
  about: {
    en:
      "Stops a dialog until it is resumed. Nothing is lost, and messages to it are kept until then. Stopping is not an " +
      "answer: the dialog that asked keeps waiting. Resuming also resumes what --tree stopped with it.",
    zh: "停止一个对话，直到有人让它继续。内容不会丢失，其间的消息会保留。停止不是答复：请托它的对话会继续等待。继续时，随 --tree 一起停止的对话也会继续。",
  },
  examples: [
    ["colloquy stop 7f3a2c", { en: "this dialog only", zh: "只停这个对话" }],
    ["colloquy stop 7f3a2c --tree", { en: "and all that work for it", zh: "连同为它工作的所有对话" }],
    ["colloquy stop --all", { en: "everything that has work to do", zh: "所有还有工作要做的对话" }],
  ],

  async run(call) {
    const { values, words } = call;
    if ((words.length === 0) === !values.all || (values.all && values.tree))
      throw wrongUsage("Name a dialog or give --all. Usage: colloquy stop DIALOG [--tree] | --all");
    return withProject(call, async (project) => {
      if (!values.all) {
        const place = await findDialog(project, words[0] ?? "");
        const receipt = await project.stop(place, { tree: values.tree ?? false });
        return reportChange(call, project, place, { ...receipt, state: "stopped" });
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

/** Stops along the assignments, then any other working dialog: a side dialog that a person wrote to has no asker. */
async function stopTree(project: ProjectAccess, rootId: RootId): Promise<void> {
  await project.stop(rootId, { tree: true });
  for (const { selfId } of workingIn(await project.tree(rootId))) await project.stop({ rootId, selfId });
}

const summary = (stopped: readonly string[]): string =>
  stopped.length === 0 ? "Nothing is running." : `Stopped ${stopped.map(shortId).join(", ")}. Resume: colloquy resume --all`;
