import { type Day, dayGate, endOfDay } from "@colloquy/core";
import type { QuestionId } from "@colloquy/schema";
import { type Clock, LOOK_AGAIN_MS } from "../engine/deps.ts";
import { refKey, type RunRef } from "../engine/run-ref.ts";

export interface DayGateHost {
  /** What the project has spent today. */
  day(): Day | undefined;
  costPerDay(): number | undefined;
  /** Asks a person, in the tree that reached the gate first. */
  ask(ref: RunRef): Promise<unknown>;
  wake(ref: RunRef): void;
}

/** When the day's budget is spent, a person is asked once for the whole project, and everybody waits: for more, or for the next day. */
export class DayGate {
  readonly #clock: Clock;
  readonly #host: DayGateHost;
  readonly #held = new Map<string, RunRef>();
  #timer: AbortController | undefined;

  constructor(clock: Clock, host: DayGateHost) {
    this.#clock = clock;
    this.#host = host;
  }

  holds(key: string): boolean {
    return this.#held.has(key);
  }

  async mayThink(ref: RunRef): Promise<boolean> {
    const state = this.#state();
    if (state === "open") {
      this.release();
      return true;
    }
    this.#hold(ref);
    if (state === "ask") await this.#host.ask(ref);
    return false;
  }

  /** While the budget is spent: the open question about it, if any, and when the gate reopens by itself. */
  spent(): { readonly question: QuestionId | undefined; readonly until: number } | undefined {
    return this.#state() === "open" ? undefined : { question: this.#host.day()?.question, until: endOfDay(this.#clock.now()) };
  }

  /** Wakes all held runs, which check the gate again. */
  release(): void {
    this.close();
    const held = [...this.#held.values()];
    this.#held.clear();
    for (const ref of held) this.#host.wake(ref);
  }

  close(): void {
    this.#timer?.abort();
    this.#timer = undefined;
  }

  #state(): ReturnType<typeof dayGate> {
    return dayGate(this.#host.day(), this.#host.costPerDay(), this.#clock.now());
  }

  #hold(ref: RunRef): void {
    this.#held.set(refKey(ref), ref);
    if (!this.#timer) void this.#untilTomorrow();
  }

  async #untilTomorrow(): Promise<void> {
    const timer = new AbortController();
    this.#timer = timer;
    const end = endOfDay(this.#clock.now());
    try {
      for (let now = this.#clock.now(); now < end; now = this.#clock.now()) {
        await this.#clock.sleep(Math.min(end - now, LOOK_AGAIN_MS), timer.signal);
      }
    } catch {
      return; // somebody opened the gate, or we are closing
    }
    this.release();
  }
}
