import type { Project, RootId } from "@colloquy/library";
import { type Call, defineCommand } from "../command.ts";
import { stateOf } from "../dialog-state.ts";
import { Driving, drivingOptions, tellNotices } from "../driving.ts";
import { ExitCode } from "../exit-code.ts";
import { wrongUsage } from "../failure.ts";
import { findDialog, shortId } from "../ids.ts";
import { print, tell } from "../output.ts";
import { withProject } from "../session.ts";
import { table } from "../terminal/table.ts";

export const resume = defineCommand({
  words: ["[DIALOG]"],
  options: { all: { about: "every dialog that was stopped or interrupted" }, ...drivingOptions },
  about:
    "Lets a stopped dialog go on; one that a crash or Ctrl-C had interrupted is taken up where its log ends. Nothing that was " +
    "recorded is done again.",
  examples: [
    ["colloquy resume @", "the last dialog"],
    ["colloquy resume --all", "everything that stands still"],
  ],

  async run(call) {
    const { values, words } = call;
    if ((words.length === 0) === !values.all) throw wrongUsage("Name a dialog or give --all. Usage: colloquy resume DIALOG | --all");
    return withProject(
      call,
      async (project) => {
        tellNotices(call, project);
        const driving = new Driving(call, project, values);
        if (values.all) return resumeAll(call, project, driving);
        const rootId = await findDialog(project, words[0] ?? "");
        const { seq } = await project.resume(rootId);
        return driving.finish(rootId, { rootId, selfId: rootId, seq });
      },
      "touched",
    );
  },
});

async function resumeAll(call: Call, project: Project, driving: Driving): Promise<ExitCode> {
  const still = project.dialogs({ status: "running" }).filter((entry) => ["stopped", "interrupted"].includes(stateOf(entry)));
  const rootIds: readonly RootId[] = still.map((entry) => entry.rootId);
  for (const rootId of rootIds) await project.resume(rootId);
  const left = await driving.untilQuiet(rootIds);
  const views = await Promise.all(rootIds.map((rootId) => project.view(rootId)));
  print(call, { dialogs: views }, () =>
    table(
      call.shell.out,
      [
        { title: "ID", show: (view) => shortId(view.rootId) },
        { title: "TITLE", show: (view) => view.title, shrinks: true },
        { title: "STATE", show: (view) => view.stopped?.message ?? view.state, shrinks: true },
      ],
      views,
    ),
  );
  if (rootIds.length === 0) tell(call, "Nothing stands still: no dialog is stopped or interrupted.");
  if (left === "interrupted") return ExitCode.interrupted;
  return left === undefined && views.every((view) => !view.stopped) ? ExitCode.done : ExitCode.refused;
}
