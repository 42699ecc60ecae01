import { setTimeout as delay } from "node:timers/promises";

/** Waits, or throws the signal's reason as soon as it aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (ms, signal) => {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
};

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** A time as scripts give it: milliseconds, or a text such as "300ms", "2s", "1m". */
export function durationMs(duration: number | string): number {
  if (typeof duration === "number") return duration;
  const [, amount = "0", unit = "ms"] = /^([\d.]+)(ms|s|m)$/.exec(duration) ?? [];
  return Number(amount) * (UNITS[unit] ?? 1);
}
