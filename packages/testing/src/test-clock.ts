import type { Clock } from "@colloquy/runtime";

/** A clock that moves only when a test advances it. */
export class TestClock implements Clock {
  #now: number;
  #sleepers: { readonly until: number; readonly wake: () => void }[] = [];

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const sleeper = { until: this.#now + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal.addEventListener(
        "abort",
        () => {
          this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
          reject(signal.reason);
        },
        { once: true },
      );
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.until <= this.#now);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.until > this.#now);
    for (const { wake } of due) wake();
  }
}
