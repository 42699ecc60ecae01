import type { RetryPolicy } from "./lane.ts";
import type { Documents } from "../documents/documents.ts";
import type { Store } from "@colloquy/store";
import type { Team } from "../team/team.ts";
import type { LayerStore } from "../calls/tool.ts";
import type { WorkSpans } from "../step/work-spans.ts";

/** Everything the engine needs from outside. Tests pass their own clock, ids and randomness. */
export interface Deps {
  readonly store: Store;
  /** The project's folder. */
  readonly dir: string;
  readonly team: () => Team;
  /** Called before each step: reloads the team from what people have written. */
  readonly refresh: () => Promise<void> | void;
  readonly documents: Documents;
  /** The layers on which commands run, if there are any. */
  readonly staging?: LayerStore | undefined;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Between 0 and 1. */
  readonly chance: () => number;
  readonly retry: RetryPolicy;
  /** Traces of work in progress, while they are on. */
  readonly spans?: (() => WorkSpans | undefined) | undefined;
  /** Keys that must not appear in a tool's result. */
  readonly secrets: () => readonly string[];
  /** Reports our own failures to people. */
  readonly report: (error: unknown, where: string) => void;
}

export interface Clock {
  now(): number;
  /** Resolves after the time; rejects with the signal's reason on abort. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A full disk accepts nothing new. Recording what has happened, and work in progress, is retried after this long. */
export const FULL_DISK_PAUSE_MS = 1_000;

/** A timer doesn't notice that the machine slept or its clock was set: code that waits for a time of day rereads the clock this often. */
export const LOOK_AGAIN_MS = 60_000;

/** Milliseconds since then; 0 if the clock was set back meanwhile. */
export const elapsed = (clock: Clock, sinceMs: number): number => Math.max(0, clock.now() - sinceMs);

/** The maximum of a timer: one set for longer fires at once. */
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
