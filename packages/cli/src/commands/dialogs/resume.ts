import { type Call, defineCommand } from "../../line/command.ts";
import type { ProjectAccess, Receipt, Since } from "../../access/project-access.ts";
import { Driving, drivingOptions, tellNotices } from "../../access/driving.ts";
import { eachTree } from "../../dialogs/each-tree.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused, wrongUsage } from "../../line/failure.ts";
import { findDialog, mainOf, type DialogAddress, shortId } from "../../dialogs/ids.ts";
import { type Outcome, outcomeOf } from "../../line/outcome.ts";
import { print, tell } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { table } from "../../terminal/table.ts";
import { stoppedIn } from "../../dialogs/tree-walk.ts";

export const resume = defineCommand({
  words: ["[DIALOG]"],
  options: { all: { about: "every dialog that was stopped or interrupted" }, ...drivingOptions },
  about:
    "Lets a stopped dialog go on, with whatever was stopped together with it; one that a crash or Ctrl-C had interrupted is taken " +
    "up where its log ends. Nothing that was recorded is done again.",
  examples: [
    ["colloquy resume @", "the last dialog"],
    ["colloquy resume --all", "every stalled dialog"],
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
        const place = await findDialog(project, words[0] ?? "");
        const { seq } = await resumeOne(project, place);
        return driving.finish(place, { seq });
      },
      "touched",
    );
  },
});

/** A tree that was left in the middle of something is taken up, whichever of its dialogs was at work. */
export async function resumeOne(project: ProjectAccess, place: DialogAddress): Promise<Receipt> {
  const { stopped, seq } = await project.view(place);
  if (stopped) return project.resume(place);
  if ((await project.entry(place.rootId))?.hot) {
    await project.takeUp(place.rootId);
    return { seq };
  }
  const still = stoppedIn(await project.tree(place.rootId)).map(({ agentId, selfId }) => `${agentId} (${shortId(selfId)})`);
  if (still.length === 0) return project.resume(place);
  throw refused(
    "not_stopped",
    `Dialog ${shortId(place.selfId)} is not stopped; in its tree these are: ${still.join(", ")}. Name one of them.`,
  );
}

async function resumeAll(call: Call, project: ProjectAccess, driving: Driving): Promise<ExitCode> {
  const since: Since[] = [];
  const { failures } = await eachTree(await project.dialogs({ status: "running" }), async ({ rootId, state }) => {
    const still = state === "resting" ? [] : stoppedIn(await project.tree(rootId));
    if (state !== "interrupted" && still.length === 0) return;
    const { seq } = await project.view(rootId);
    for (const { selfId } of still) {
      const place = { rootId, selfId };
      // One that was stopped together with another has gone on with it.
      if ((await project.view(place)).stopped) await project.resume(place);
    }
    since.push({ rootId, seq });
  });
  for (const failure of failures) tell(call, failure);
  const left = await driving.untilQuiet(since);
  driving.end();
  const outcomes: Outcome[] = [];
  const { failures: unseen } = await eachTree(since, async ({ rootId }) => void outcomes.push(await outcomeOf(project, mainOf(rootId))));
  for (const failure of unseen) tell(call, failure);
  print(call, { dialogs: outcomes.map(({ view }) => view) }, () =>
    table(
      call.shell.out,
      [
        { title: "ID", show: ({ view }) => shortId(view.rootId) },
        { title: "TITLE", show: ({ view }) => view.title, shrinks: true },
        { title: "STATE", show: ({ view, stopped }) => view.stopped?.message ?? stopped ?? view.state, shrinks: true },
      ],
      outcomes,
    ),
  );
  if (since.length === 0 && failures.length === 0) tell(call, "Nothing to resume: no dialog is stopped or interrupted.");
  if (left !== undefined) return left === "interrupted" ? ExitCode.interrupted : ExitCode.refused;
  if (failures.length + unseen.length > 0 || outcomes.some(({ stopped }) => stopped !== undefined)) return ExitCode.refused;
  return outcomes.some(({ questions }) => questions.length > 0) ? ExitCode.waiting : ExitCode.done;
}
