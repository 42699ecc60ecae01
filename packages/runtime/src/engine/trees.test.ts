import { RootId } from "@colloquy/schema";
import { memoryStore } from "@colloquy/store";
import { expect, test } from "vitest";
import { LiveRoster } from "../watch/live-roster.ts";
import { Trees } from "./trees.ts";

const rootId = RootId.parse("0".repeat(31) + "1");

test("[F12] of two failed commits, the second doesn't drop the tree that was read after the first", async () => {
  const store = memoryStore();
  const created = {
    type: "dialog.created",
    dialog: rootId as never,
    course: 1,
    agent: "lead" as never,
    title: "It",
    taskDocPath: "",
  } as const;
  await store.commit([{ stream: rootId, expected: 0, events: [created] }], 0);
  const { placeOf } = new LiveRoster(() => {
    throw new Error("nobody asks");
  });
  const trees = new Trees(store, placeOf, () => undefined);
  const failed = await trees.hold(rootId);
  if (!failed) throw new Error("it is there");
  trees.drop(failed);
  const anew = trees.hold(rootId);
  trees.drop(failed);
  expect(await anew).not.toBe(failed);
  trees.drop(failed);
  expect(await trees.hold(rootId)).toBe(await anew);
});
