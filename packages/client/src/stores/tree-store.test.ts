import { applyAll, emptyTree, readersSnapshot } from "@colloquy/core";
import { AgentId, type DialogSnapshot, type LiveEvent, mainDialogOf, RootId, type TreeEvent } from "@colloquy/schema";
import { expect, test } from "vitest";
import type { TreeListener } from "../transport/tree-channel.ts";
import { TreeStore } from "./tree-store.ts";

const rootId = RootId.parse("0".repeat(31) + "1");
const dialog = mainDialogOf(rootId);
const lead = AgentId.parse("lead");
const at = "2026-01-01T00:00:00.000Z";

/** A message and the step that answers it: the first generation. */
const events = [
  { type: "dialog.created", dialog, course: 1, agent: lead, title: "Go", taskDocPath: "tasks/go.tsk", by: "anna" },
  { type: "message.added", dialog, course: 1, by: "anna", content: "Go", to: [lead], opens: [lead] },
  { type: "step.cut", dialog, course: 1, agent: lead, turn: 2, gen: 1, ms: 1, text: "Half", thinking: "" },
] as unknown as readonly TreeEvent[];

const tree = applyAll(emptyTree(rootId), events, Date.parse(at));
const snapshot: DialogSnapshot = {
  ...readersSnapshot(tree),
  dialog: { rootId, selfId: dialog },
  sayings: [],
  isDriven: true,
  context: { windows: {}, soft: 1, hard: 1 },
  events: [],
  next: undefined,
};

const live = (type: string, genseq: number, more: object = {}) =>
  ({ type, dialog: { rootId, selfId: dialog }, agent: lead, course: 1, genseq, ...more }) as unknown as LiveEvent;
const says = (genseq: number, text: string) => [
  live("generating_start_evt", genseq),
  live("saying_start_evt", genseq),
  live("saying_chunk_evt", genseq, { offset: 0, text }),
];

async function shown() {
  let listener: TreeListener | undefined;
  const store = new TreeStore(rootId, {
    snapshot: async () => snapshot,
    watch: (_, given) => {
      listener = given;
      return () => undefined;
    },
    after: (_, tell) => {
      tell();
      return () => undefined;
    },
    now: () => 0,
  });
  store.subscribe(() => undefined);
  await expect.poll(() => listener).toBeDefined();
  const hear = (heard: readonly LiveEvent[]) => heard.forEach((event) => listener?.live?.(event));
  const texts = () => store.getSnapshot().live.flatMap(({ segments }) => segments.map(({ text }) => text));
  return { hear, texts, listener };
}

test("[CL32] live text of a step in the snapshot is not shown; the next step's is", async () => {
  const { hear, texts } = await shown();
  hear(says(1, "Half"));
  expect(texts()).toEqual([]);
  hear(says(2, "Again"));
  expect(texts()).toEqual(["Again"]);
});

test("[CL32] live text that arrives after its recorded step is not shown", async () => {
  const { hear, texts, listener } = await shown();
  hear(says(2, "Again"));
  const event = { ...events[2], gen: 2 } as TreeEvent;
  listener?.commit({ events: [{ dialog: { rootId, selfId: dialog }, event, seq: 4, pos: 4, at, last: true }], seq: 4, at } as never);
  expect(texts()).toEqual([]);
  hear(says(2, "Again"));
  expect(texts()).toEqual([]);
});
