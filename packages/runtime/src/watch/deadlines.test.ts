import { RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { Deadlines } from "./deadlines.ts";

const tree = RootId.parse("0".repeat(31) + "1");

test("[A53] a deadline skipped by a clock jump is noticed within a minute", async () => {
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
  // Three hours pass without a timer running.
  now = 3 * 3_600_000;
  sleeps[1]?.wake();
  await Promise.resolve();
  expect(rung).toEqual([tree]);
  deadlines.close();
});

test("[A38] outdated deadlines are dropped, however far ahead; the rest come in order", async () => {
  let now = 0;
  const sleeps: (() => void)[] = [];
  const rung: RootId[] = [];
  const clock = { now: () => now, sleep: () => new Promise<void>((wake) => sleeps.push(wake)) };
  const deadlines = new Deadlines(clock, (rootId) => rung.push(rootId));
  const trees = Array.from({ length: 20_000 }, (_, nth) => RootId.parse(nth.toString(16).padStart(32, "0")));
  for (const [nth, one] of trees.entries()) {
    deadlines.set(one, 1_000_000 + ((nth * 7919) % 20_000));
    if (nth % 1_000 > 0) deadlines.set(one, undefined);
  }
  expect(deadlines.size).toBeLessThan(2_000);
  now = 2_000_000;
  sleeps.at(-1)?.();
  await Promise.resolve();
  const left = trees.filter((_, nth) => nth % 1_000 === 0);
  const dueAt = (one: RootId) => (trees.indexOf(one) * 7919) % 20_000;
  expect(rung).toEqual(left.toSorted((a, b) => dueAt(a) - dueAt(b)));
  deadlines.close();
});
