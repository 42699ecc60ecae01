import { getEventListeners } from "node:events";
import { RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import type { LiveTree } from "../engine/live-tree.ts";
import { QuietWaiters } from "./quiet-waiters.ts";

const tree = { rootId: RootId.parse("0".repeat(31) + "1") } as LiveTree;

test("[LB13] each wait removes its listener from a shared signal", async () => {
  let isQuiet = false;
  const waiters = new QuietWaiters(() => isQuiet);
  const { signal } = new AbortController();
  for (let nth = 0; nth < 3; nth += 1) {
    isQuiet = false;
    const waiting = waiters.wait(tree, false, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    isQuiet = true;
    waiters.rested(tree);
    expect(await waiting?.over).toBe(true);
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("[LB13] an aborted waiter gets false, and is dropped", async () => {
  const waiters = new QuietWaiters(() => false);
  const stop = new AbortController();
  const waiting = waiters.wait(tree, false, stop.signal);
  stop.abort();
  expect(await waiting?.over).toBe(false);
  expect(await waiters.wait(tree, false, stop.signal)?.over).toBe(false);
});
