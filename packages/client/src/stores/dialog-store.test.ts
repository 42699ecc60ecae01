import { emptyTree, readersSnapshot } from "@colloquy/core";
import { DialogId, type DialogSnapshot, type Recorded, RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { DialogStore } from "./dialog-store.ts";
import { TreeStore } from "./tree-store.ts";

const rootId = RootId.parse("0".repeat(31) + "1");
const dialog = { rootId, selfId: DialogId.parse(rootId) };

const recorded = (seq: number): Recorded => ({
  dialog,
  event: { type: "dialog.renamed", dialog: dialog.selfId, course: 1, title: `Title ${seq}` },
  seq,
  pos: seq,
  at: "2026-01-01T00:00:00.000Z",
  last: true,
});

const snapshotAt = (seq: number): DialogSnapshot => ({
  ...readersSnapshot({ ...emptyTree(rootId), seq }),
  dialog,
  sayings: [],
  isDriven: false,
  context: { windows: {}, soft: 1, hard: 1 },
  events: Array.from({ length: seq }, (_, nth) => recorded(nth + 1)),
  next: undefined,
});

test("[CL31] a dialog shows every event, although a newer snapshot started its tree meanwhile", async () => {
  const stop = () => undefined;
  const tree = new TreeStore(rootId, { snapshot: async () => snapshotAt(3), watch: () => stop, after: () => stop, now: () => 0 });
  const asked: number[] = [];
  const store = new DialogStore(rootId, {
    snapshot: async () => {
      asked.push(asked.length);
      const snapshot = snapshotAt(asked.length === 1 ? 2 : 3);
      tree.seed(snapshotAt(3));
      return snapshot;
    },
    before: () => Promise.reject(new Error("nothing is older")),
    tree: () => tree,
    after: () => stop,
  });
  store.subscribe(stop);
  await expect.poll(() => store.getSnapshot().events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(asked).toHaveLength(2);
});
