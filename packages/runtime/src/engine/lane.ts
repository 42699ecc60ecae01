import type { Fault } from "@colloquy/schema";

/** How long to wait before the next attempt, and when to give up. */
export interface RetryPolicy {
  readonly firstMs: number;
  readonly longestMs: number;
  readonly attempts: number;
}

export const retryPolicy: RetryPolicy = { firstMs: 1_000, longestMs: 60_000, attempts: 8 };

/** Exponential backoff with jitter by `chance` (0…1), so that a thousand waiters don't retry at once. */
export function pauseMs(policy: RetryPolicy, attempt: number, fault: Fault, chance: number): number {
  const doubled = Math.min(policy.longestMs, policy.firstMs * 2 ** (attempt - 1));
  const jittered = doubled * (0.5 + chance / 2);
  return Math.max(fault.retryAfterMs ?? 0, Math.round(jittered));
}

/** Limits the steps in flight with one provider, by the current setting; first come, first served. */
export class Lane {
  readonly #limit: () => number;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Resolves with a release function. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#inFlight < this.#limit() && this.#waiting.length === 0) this.#inFlight += 1;
    else await this.#wait(signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#inFlight -= 1;
      this.#admit();
    };
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#inFlight < this.#limit()) {
      this.#inFlight += 1;
      this.#waiting.shift()?.();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      this.#waiting.push(enter);
      signal.addEventListener("abort", leave, { once: true });
      this.#admit();
    });
  }
}

/** The lanes of all providers, by name. */
export class Lanes {
  readonly #limit: () => number;
  readonly #all = new Map<string, Lane>();

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  of(name: string): Lane {
    const known = this.#all.get(name);
    if (known) return known;
    const lane = new Lane(this.#limit);
    this.#all.set(name, lane);
    return lane;
  }
}
