import { setTimeout as delay } from "node:timers/promises";
import { readDuration } from "@colloquy/schema";

/** Waits, or throws the signal's reason as soon as it is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (ms, signal) => {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
};

/** A duration in a script: milliseconds, or text such as "300ms", "2s", "1m". */
export const durationMs = (duration: number | string): number => (typeof duration === "number" ? duration : (readDuration(duration) ?? 0));
