import { applyAll, decideCreation, emptyProject, emptyTree, type Tree } from "@colloquy/core";
import { AgentId, mainDialogOf, RootId, type TreeEvent } from "@colloquy/schema";
import { memoryStore, type Projection, type Store } from "@colloquy/store";
import { expect, test } from "vitest";
import { Projector } from "./projector.ts";

const lead = AgentId.parse("lead");
const roster = { ids: () => [lead], nameOf: () => "Lead", fbrEffort: () => 1, hasBusyModel: () => false, roomOf: () => undefined };
const idOf = (nth: number) => RootId.parse(String(nth).padStart(32, "0"));

function treeOf(rootId: RootId): Tree {
  const made = decideCreation(emptyProject(), { content: "Build it", by: "owner" }, { rootId, agent: lead, team: roster });
  if (made.kind !== "made") throw new Error(made.kind);
  return applyAll(emptyTree(rootId), made.tree, 0);
}

const renamed = (tree: Tree, title: string): Tree =>
  applyAll(tree, [{ type: "dialog.renamed", dialog: mainDialogOf(tree.rootId), course: 1, title, by: "owner" }], 0);

/** A store that writes files on command, and a clock that only moves while somebody sleeps. */
function ground(see: (rootId: RootId) => Promise<Tree> = async (rootId) => treeOf(rootId), trouble: () => void = () => undefined) {
  const handedIn: {
    readonly rootId: RootId;
    readonly seq: number | undefined;
    readonly paths: readonly string[];
    readonly written: () => void;
  }[] = [];
  const read: RootId[] = [];
  const reports: unknown[] = [];
  let nowMs = 1_000_000;
  const project: Store["project"] = (rootId, files, seq) => {
    trouble();
    return new Promise((written) => {
      const all: readonly Projection[] = typeof files === "function" ? files() : files;
      handedIn.push({ rootId, seq, paths: all.map(({ path }) => path), written });
    });
  };
  const clock = {
    now: () => nowMs,
    sleep: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      nowMs += ms;
    },
  };
  const projector = new Projector({ ...memoryStore(), project }, clock, {
    see: async (rootId) => {
      read.push(rootId);
      return see(rootId);
    },
    report: (error) => reports.push(error),
  });
  /** Everything available without the store writing anything. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { projector, handedIn, read, reports, settled };
}

test("[C14] of many trees with outdated files only a few are in memory; the others wait", async () => {
  const { projector, handedIn, read, settled } = ground();
  const all = Array.from({ length: 30 }, (_, nth) => idOf(nth + 1));
  const caughtUp = projector.catchUp(all);
  await settled();
  expect(read).toHaveLength(8);
  handedIn.slice(0, 3).forEach(({ written }) => written());
  await settled();
  expect(read).toHaveLength(11);
  for (let n = 3; n < 30; n += 1) {
    handedIn[n]?.written();
    await settled();
  }
  await caughtUp;
  expect(handedIn.map(({ rootId }) => rootId)).toEqual(all);
});

test("[C14] a tree that changes before it has caught up gets all of its files written", async () => {
  const { projector, handedIn, settled } = ground();
  const caughtUp = projector.catchUp(Array.from({ length: 9 }, (_, nth) => idOf(nth + 1)));
  await settled();
  const before = treeOf(idOf(9));
  const renamed: TreeEvent = { type: "dialog.renamed", dialog: mainDialogOf(idOf(9)), course: 1, title: "Build it well", by: "owner" };
  // By comparison with `before`, none of the dialog's files would need writing.
  projector.note({ ...applyAll(before, [renamed], 0), dialogs: before.dialogs }, before);
  handedIn.forEach(({ written }) => written());
  await settled();
  await settled();
  await caughtUp;
  const [whole] = handedIn.filter(({ rootId }) => rootId === idOf(9));
  expect(whole?.paths).toContain("dialog.yaml");
  const after = treeOf(idOf(10));
  projector.note(after, after);
  await projector.close();
  expect(handedIn.at(-1)?.paths).toEqual(["registry.yaml"]);
});

test("[F10] trees that don't fit in memory are read again, and none is left out when the project closes", async () => {
  const { projector, handedIn, read, reports } = ground();
  for (let nth = 1; nth <= 1_005; nth += 1) projector.note(treeOf(idOf(nth)), emptyTree(idOf(nth)));
  await projector.close();
  expect(read).toEqual([1_001, 1_002, 1_003, 1_004, 1_005].map(idOf));
  expect(new Set(handedIn.map(({ rootId }) => rootId)).size).toBe(1_005);
  expect(reports).toEqual([]);
});

test("[F11] a tree that changes while its files wait is written in its newest state", async () => {
  const { projector, handedIn, settled } = ground();
  const all = Array.from({ length: 9 }, (_, nth) => idOf(nth + 1));
  for (const rootId of all) projector.note(treeOf(rootId), emptyTree(rootId));
  await settled();
  expect(handedIn.map(({ rootId }) => rootId)).toEqual(all.slice(0, 8));
  const before = treeOf(idOf(9));
  const renamed: TreeEvent = { type: "dialog.renamed", dialog: mainDialogOf(idOf(9)), course: 1, title: "Build it well", by: "owner" };
  const after = applyAll(before, [renamed], 0);
  projector.note(after, before);
  handedIn[0]?.written();
  await settled();
  await projector.close();
  expect(handedIn.slice(8)).toEqual([expect.objectContaining({ rootId: idOf(9), seq: after.seq })]);
});

test("[F11] an older read of a tree is not written after a newer state", async () => {
  const reading = Promise.withResolvers<void>();
  const before = treeOf(idOf(1));
  const { projector, handedIn, settled } = ground(async () => {
    await reading.promise;
    return before;
  });
  const caughtUp = projector.catchUp([idOf(1)]);
  const after = renamed(before, "Build it well");
  projector.note(after, before);
  await settled();
  reading.resolve();
  await caughtUp;
  await projector.close();
  expect(handedIn.map(({ seq }) => seq).at(-1)).toBe(after.seq);
});

test("[F11] after a failed write the next change writes all files", async () => {
  let isBroken = true;
  const { projector, handedIn, reports } = ground(async () => {
    if (isBroken) throw new Error("not to be read");
    return treeOf(idOf(1));
  });
  projector.renew(idOf(1));
  await projector.close();
  expect([handedIn.length, reports.length]).toEqual([0, 1]);
  isBroken = false;
  const tree = treeOf(idOf(1));
  projector.note(tree, tree);
  await projector.close();
  expect(handedIn[0]?.paths).toContain("dialog.yaml");
});

test("[F11] failed writes don't count towards those in the store", async () => {
  let isBroken = true;
  const { projector, handedIn, reports } = ground(undefined, () => {
    if (isBroken) throw new Error("not to be taken");
  });
  const all = Array.from({ length: 9 }, (_, nth) => idOf(nth + 1));
  await projector.catchUp(all.slice(0, 8));
  expect(reports).toHaveLength(8);
  isBroken = false;
  await projector.catchUp(all.slice(8));
  expect(handedIn.map(({ rootId }) => rootId)).toEqual([idOf(9)]);
});
