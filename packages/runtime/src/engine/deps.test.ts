import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { realClock } from "./deps.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY_MS = 24 * 60 * 60 * 1_000;

test("[T16] a pause longer than a timer's maximum lasts as long as requested, and can be ended", async () => {
  const stop = new AbortController();
  let isOver = false;
  const long = realClock.sleep(60 * DAY_MS, stop.signal).then(() => (isOver = true));
  const endless = realClock.sleep(Infinity, stop.signal);
  await vi.advanceTimersByTimeAsync(59 * DAY_MS);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(isOver).toBe(true);
  await long;
  stop.abort(new Error("enough"));
  await expect(endless).rejects.toThrow("enough");
});
