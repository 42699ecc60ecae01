import type { Fault } from "@colloquy/schema";

/** How long to wait before the next attempt, and when to give up. */
export interface RetryPolicy {
  readonly firstMs: number;
  readonly longestMs: number;
  readonly attempts: number;
}

export const retryPolicy: RetryPolicy = { firstMs: 1_000, longestMs: 60_000, attempts: 8 };

/** Doubles with each attempt, with jitter by `chance` (0…1) so that a thousand waiters do not come back at once. */
export function pauseMs(policy: RetryPolicy, attempt: number, fault: Fault, chance: number): number {
  const doubled = Math.min(policy.longestMs, policy.firstMs * 2 ** (attempt - 1));
  const jittered = doubled * (0.5 + chance / 2);
  return Math.max(fault.retryAfterMs ?? 0, Math.round(jittered));
}

/** Steps with one provider: so many in flight, first come, first served. */
export class Lane {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves with the way to give the place back. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    };
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
    });
  }
}
