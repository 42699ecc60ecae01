import { RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { DayGate } from "./day-gate.ts";

const rootId = RootId.parse("0".repeat(31) + "1");
const ref = { rootId, dialog: rootId as never, agent: "lead" as never };
const HOUR_MS = 3_600_000;

test("[S13] everything resumes the next day, even if the machine slept at midnight", async () => {
  let now = Date.UTC(2026, 0, 1, 20);
  const timers: { readonly ms: number; readonly ring: () => void }[] = [];
  const woken: unknown[] = [];
  const gate = new DayGate(
    { now: () => now, sleep: (ms) => new Promise((ring) => timers.push({ ms, ring })) },
    {
      day: () => ({ date: "2026-01-01", cost: 5, raised: 0, question: undefined, isOver: true }),
      costPerDay: () => 5,
      ask: () => Promise.resolve(),
      wake: (one) => woken.push(one),
    },
  );
  expect(await gate.mayThink(ref)).toBe(false);
  // The timer runs for a minute, while the night takes ten hours.
  expect(timers.map(({ ms }) => ms)).toEqual([60_000]);
  now += 10 * HOUR_MS;
  timers[0]?.ring();
  await Promise.resolve();
  expect(woken).toEqual([ref]);
  expect(await gate.mayThink(ref)).toBe(true);
  gate.close();
});
