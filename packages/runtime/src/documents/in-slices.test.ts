import { expect, test } from "vitest";
import { inSlices } from "./in-slices.ts";

test("[C14] background work runs a few milliseconds at a time, and ends when the project closes", async () => {
  const closing = new AbortController();
  const told: string[] = [];
  let nowMs = 0;
  const clock = {
    now: () => nowMs,
    sleep: async () => void told.push("others"),
  };
  const work = async (item: number) => {
    told.push(`${item}`);
    nowMs += 2;
    if (item === 5) closing.abort();
  };
  await inSlices([1, 2, 3, 4, 5, 6], work, { clock, signal: closing.signal });
  expect(told).toEqual(["1", "2", "3", "others", "4", "5"]);
});

test("[C14] pauses are long while others work", async () => {
  const slept: number[] = [];
  let nowMs = 0;
  const clock = { now: () => nowMs, sleep: async (ms: number) => void slept.push(ms) };
  const work = async () => void (nowMs += 5);
  await inSlices([1, 2, 3], work, { clock, signal: new AbortController().signal, isBusy: () => nowMs < 10 });
  expect(slept).toEqual([95, 5]);
});
