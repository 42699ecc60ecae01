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
  options: { all: { about: { en: "every dialog that was stopped or interrupted", zh: "所有被停止或中断的对话" } }, ...drivingOptions },
  about: {
    en:
      "Resumes a stopped dialog, and whatever was stopped with it; a dialog that a crash or Ctrl-C interrupted continues where its " +
      "log ends. Recorded work is not repeated.",
    zh: "继续一个被停止的对话，连同随它一起停止的对话；因崩溃或 Ctrl-C 中断的对话，从日志的末尾接着进行。已记录的工作不会重做。",
  },
  examples: [
    ["colloquy resume @", { en: "the last dialog", zh: "上一个对话" }],
    ["colloquy resume --all", { en: "every stalled dialog", zh: "所有停住的对话" }],
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

/** Resumes an interrupted tree, whichever of its dialogs was busy. */
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
    const still = state === "idle" ? [] : stoppedIn(await project.tree(rootId));
    if (state !== "interrupted" && still.length === 0) return;
    const { seq } = await project.view(rootId);
    for (const { selfId } of still) {
      const place = { rootId, selfId };
      // A dialog stopped together with another has resumed with it.
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
