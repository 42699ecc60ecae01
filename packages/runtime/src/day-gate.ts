import { endOfDay } from "@colloquy/core";
import type { Clock } from "./deps.ts";
import { refKey, type RunRef } from "./run-ref.ts";

/** Runs that would go on, were the day's money not spent. They are woken when a person allows more, or with the next day. */
export class DayGate {
  readonly #clock: Clock;
  readonly #wake: (ref: RunRef) => void;
  readonly #held = new Map<string, RunRef>();
  #timer: AbortController | undefined;

  constructor(clock: Clock, wake: (ref: RunRef) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  holds(key: string): boolean {
    return this.#held.has(key);
  }

  hold(ref: RunRef): void {
    this.#held.set(refKey(ref), ref);
    if (!this.#timer) void this.#untilTomorrow();
  }

  /** Each of them looks at the gate again. */
  release(): void {
    this.close();
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const ref of held) this.#wake(ref);
  }

  close(): void {
    this.#timer?.abort();
    this.#timer = undefined;
  }

  async #untilTomorrow(): Promise<void> {
    const timer = new AbortController();
    this.#timer = timer;
    const now = this.#clock.now();
    await this.#clock.sleep(endOfDay(now) - now, timer.signal).then(
      () => this.release(),
      () => undefined,
    );
  }
}
