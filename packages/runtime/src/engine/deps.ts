import type { RetryPolicy } from "./lane.ts";
import type { Documents } from "../documents/documents.ts";
import type { Store } from "@colloquy/store";
import type { Team } from "../team/team.ts";
import type { LayerStore } from "../calls/tool.ts";

/** All that the engine needs of the world. Tests pass their own clock, ids and chance. */
export interface Deps {
  readonly store: Store;
  /** The project's folder. */
  readonly dir: string;
  readonly team: () => Team;
  /** Called before each step: brings the team up to date with what people have written. */
  readonly refresh: () => Promise<void> | void;
  readonly documents: Documents;
  /** The layers on which commands run, where there are any. */
  readonly staging?: LayerStore | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Between 0 and 1. */
  readonly chance: () => number;
  readonly retry: RetryPolicy;
  /** Keys that must not stand in a tool's result. */
  readonly secrets: () => readonly string[];
  /** For what went wrong in us; a person reads it. */
  readonly report: (error: unknown, where: string) => void;
}

export interface Clock {
  now(): number;
  /** Resolves after the time; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** With a full disk nothing new is accepted. What has happened already, or goes on by itself, is tried again after so long. */
export const FULL_DISK_PAUSE_MS = 1_000;

/** A timer does not notice that the machine slept, or that its clock was set: code that waits for a time of day reads the clock this often. */
export const LOOK_AGAIN_MS = 60_000;

/** Milliseconds since then; none where the clock was set back meanwhile. */
export const elapsed = (clock: Clock, sinceMs: number): number => Math.max(0, clock.now() - sinceMs);

/** A timer that is set for longer rings at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const realClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    let left = ms;
    for (; left > MAX_TIMER_MS; left -= MAX_TIMER_MS) await timer(MAX_TIMER_MS, signal);
    await timer(left, signal);
  },
};

const timer = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(set);
      reject(signal.reason);
    };
    const set = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
