import { crc32 } from "node:zlib";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REDUCER_VERSION, treeSnapshot } from "@colloquy/core";
import { foldTree } from "@colloquy/runtime";
import type { RootId } from "@colloquy/schema";
import { openFileStore } from "@colloquy/store-file";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectProject, type Project, repairProject } from "../src/index.ts";
import { foldEntry } from "../src/open/fold-entry.ts";
import { copyOf, damages, folderOf, loseIndex, openIn, template } from "./damaged-project.ts";

let origin: { readonly dir: string; readonly trees: readonly string[] };
beforeAll(async () => void (origin = await template()));
afterAll(() => rmSync(origin.dir, { recursive: true, force: true }));

const KINDS = Object.keys(damages);

/** Everything that lists show of these trees. */
async function seen(project: Project, trees: readonly string[]) {
  const isOf = (rootId: string) => trees.includes(rootId);
  const questions = (await project.questions.list()).filter(({ dialog }) => isOf(dialog.rootId));
  return {
    dialogs: project.dialogs.list().filter(({ rootId }) => isOf(rootId)),
    questions,
    all: (await project.questions.page()).items.filter(({ dialog }) => isOf(dialog.rootId)),
    notifications: (await project.notifications.list({ status: "open" })).items.filter((one) =>
      trees.some((rootId) => JSON.stringify(one).includes(rootId)),
    ),
    located: await Promise.all(questions.map(({ id }) => project.locate(id.slice(-10)))),
    usage: (await project.usage("dialog")).rows.filter(({ key }) => isOf(key)),
    tasks: project.tasks.list().filter(({ dialogs }) => dialogs.every(isOf)),
    words: await Promise.all(trees.map((rootId) => project.dialogs.lastReply(rootId))),
  };
}

/** Others are answered and driven to their end. */
async function workOn(project: Project, trees: readonly string[]): Promise<void> {
  await project.drive();
  for (const question of await project.questions.list()) {
    if (!trees.includes(question.dialog.rootId)) continue;
    await project.questions.answer(question.id, "That one.");
    await project.dialogs.quiet(question.dialog.rootId);
    expect((await project.questions.get(question.id)).status).toBe("answered");
  }
  for (const rootId of trees) {
    const { state, status, stopped } = await project.dialogs.view(rootId);
    if (status !== "running") continue;
    if (stopped) await project.dialogs.resume(rootId);
    await project.dialogs.quiet(rootId);
    expect([rootId, stopped ? "idle" : state, (await project.dialogs.view(rootId)).state]).toEqual([
      rootId,
      stopped ? "idle" : state,
      "idle",
    ]);
  }
}

type Damage = readonly [nth: number, pick: number, place: number, isIndexLost: boolean];

async function demandLocal(kind: string, [nth, pick, place, isIndexLost]: Damage): Promise<void> {
  const dir = copyOf(origin.dir);
  const victim = origin.trees[nth % origin.trees.length] ?? "";
  const others = origin.trees.filter((rootId) => rootId !== victim);
  try {
    const before = await openIn(dir, { drive: "none" });
    const wanted = await seen(before, others);
    await before.close();
    const harm = { folder: folderOf(dir, victim), other: folderOf(dir, others[pick % others.length] ?? ""), pick, place };
    damages[kind]?.(harm);
    if (isIndexLost) loseIndex(dir);

    // Reading changes nothing for the others.
    const looking = await openIn(dir, { drive: "none" });
    expect(await seen(looking, others)).toEqual(wanted);
    await looking.close();

    const reports: string[] = [];
    const driving = await openIn(dir, { report: (message) => void reports.push(message) });
    driving.tasks.start();
    await workOn(driving, others);
    await driving.dialogs.create({ content: "One more." }).then((dialog) => dialog.result());
    const damage = await driving.dialogs.view(victim).then(
      () => driving.dialogs.damageOf(victim),
      (error: unknown) => (error as Error).message,
    );
    await driving.tasks.stop();
    await driving.close();

    // doctor finds the unreadable trees, with file and line, and nothing else.
    const problems = (await inspectProject(dir)).filter(({ kind: what }) => what !== "noticed" && what !== "leftover");
    expect(problems.filter(({ rootId }) => rootId !== victim)).toEqual([]);
    if (damage !== undefined && !damage.startsWith("There is no dialog")) {
      expect(problems).not.toEqual([]);
    }
    await repairProject(dir);
    expect(await inspectProject(dir)).toEqual([]);
    const after = await openIn(dir, { drive: "none" });
    for (const rootId of others)
      expect((await after.dialogs.view(rootId)).status).toBe(wanted.dialogs.find((one) => one.rootId === rootId)?.status);
    const left = after.dialogs.entry(victim);
    if (left) expect((await after.dialogs.view(victim)).rootId).toBe(victim);
    await after.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

test.each(KINDS)(
  "[L71] whatever happens to one tree's files, every other tree is listed, answered, driven and repaired as before: %s",
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100), fc.nat(10), fc.nat(100_000), fc.boolean(), (...damage) => demandLocal(kind, damage)),
      { numRuns: 2, endOnFailure: true, examples: [[0, 0, 1, false]] },
    );
  },
);

test("[L72] [L73] a snapshot of another tree is not used, and doctor finds it", async () => {
  const dir = copyOf(origin.dir);
  try {
    const [asking = "", timed = ""] = origin.trees;
    const store = await openFileStore(dir, { foldEntry });
    const [mine, other] = [await store.open(asking as RootId, REDUCER_VERSION), await store.open(timed as RootId, REDUCER_VERSION)];
    const last = mine?.lines.at(-1);
    const seq = (last?.seq ?? 1) + (last?.events.length ?? 1) - 1;
    const lines = other?.lines.filter((line) => line.seq <= seq) ?? [];
    const { state } = treeSnapshot(foldTree(timed as RootId, { base: undefined, lines }), 0);
    await store.saveSnapshot(asking as RootId, { reducer: REDUCER_VERSION, seq, pos: 1, state });
    const entry = store.entry(asking as RootId);
    await store.close();
    const project = await openIn(dir, { drive: "none" });
    expect((await project.dialogs.view(asking)).title).toBe(entry?.title);
    expect(await project.questions.list()).toHaveLength(4);
    await project.close();
    expect(await inspectProject(dir)).toMatchObject([{ kind: "outdated", rootId: asking, file: `.dialogs/run/${asking}/snapshot.json` }]);
    expect(await repairProject(dir)).toEqual([`.dialogs/run/${asking}/snapshot.json is made again from the log.`]);
    expect(await inspectProject(dir)).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

/** Written with valid checksums, as a malicious program would. */
const resealed = (text: string): string =>
  text.replaceAll(/^(.*),"crc":"\w{8}"\}$/gm, (_, body: string) => `${body},"crc":"${crc32(body).toString(16).padStart(8, "0")}"}`);

test("[L72] repairing the checkpoint of the newest course updates the index, which knows where the course ends", async () => {
  const dir = copyOf(origin.dir);
  try {
    const twoCourses = origin.trees[5] ?? "";
    const path = join(folderOf(dir, twoCourses), "course-002.jsonl");
    const [checkpoint = "", ...lines] = readFileSync(path, "utf8").split("\n");
    // Another state of the same length, so that the index still knows where the file ends.
    const changed = resealed(checkpoint.replace("after a break", "after a brake"));
    expect(changed).not.toBe(checkpoint);
    writeFileSync(path, [changed, ...lines].join("\n"));
    const file = `.dialogs/run/${twoCourses}/course-002.jsonl`;
    expect(await inspectProject(dir)).toMatchObject([{ kind: "outdated", rootId: twoCourses, file, line: 1 }]);
    expect(await repairProject(dir)).toEqual([expect.stringContaining(`${file}:1 could be made again`)]);
    expect(await inspectProject(dir)).toEqual([]);
    const project = await openIn(dir, { drive: "none" });
    expect(project.dialogs.damageOf(twoCourses)).toBeUndefined();
    await project.close();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test("[L72] the problem names an event that does not exist, or the field that does not fit", async () => {
  const dir = copyOf(origin.dir);
  try {
    const [asking = "", timed = ""] = origin.trees;
    const change = (rootId: string, from: RegExp, to: string) => {
      const file = join(folderOf(dir, rootId), "course-001.jsonl");
      const text = readFileSync(file, "utf8");
      expect(text).toMatch(from);
      writeFileSync(file, resealed(text.replace(from, to)));
    };
    change(asking, /"tool":"askHuman"/, '"tool":5');
    change(timed, /"type":"step.ended"/, '"type":"step.danced"');
    const messages = (await inspectProject(dir)).filter(({ kind }) => kind === "damaged").map(({ rootId, message }) => [rootId, message]);
    expect(messages).toEqual([
      [asking, expect.stringContaining("makes no sense: parts.0 of its step.ended is not as it should be")],
      [timed, expect.stringContaining('makes no sense: there is no event "step.danced"')],
    ]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test("[L48] for a tree with nothing left, only its kept location is reported", async () => {
  const dir = copyOf(origin.dir);
  try {
    const [asking = ""] = origin.trees;
    writeFileSync(join(folderOf(dir, asking), "course-001.jsonl"), "");
    expect(await repairProject(dir)).toEqual([
      expect.stringMatching(/ holds nothing that can be read; it is kept in .*, and no longer listed\.$/),
    ]);
    expect(await inspectProject(dir)).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
