import { RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { Deadlines } from "./deadlines.ts";

const tree = RootId.parse("0".repeat(31) + "1");

test("[A53] a deadline that the clock jumps over is noticed at the next look, at most a minute of timer later", async () => {
  let now = 0;
  const sleeps: { readonly ms: number; readonly wake: () => void }[] = [];
  const rung: RootId[] = [];
  const clock = {
    now: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => sleeps.push({ ms, wake })),
  };
  const deadlines = new Deadlines(clock, (rootId) => rung.push(rootId));
  deadlines.set(tree, 2 * 3_600_000);
  expect(sleeps.map(({ ms }) => ms)).toEqual([60_000]);
  now = 60_000;
  sleeps[0]?.wake();
  await Promise.resolve();
  expect(rung).toEqual([]);
  // Three hours pass in which no timer ran.
  now = 3 * 3_600_000;
  sleeps[1]?.wake();
  await Promise.resolve();
  expect(rung).toEqual([tree]);
  deadlines.close();
});
