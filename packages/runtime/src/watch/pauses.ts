import type { Clock } from "../engine/deps.ts";
import type { Flight } from "../engine/live-tree.ts";

/** After a fault, all users of the same model pause; a person's message ends a run's own pause. */
export class Pauses {
  readonly #until = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(model: string, untilMs: number): void {
    this.#until.set(model, Math.max(untilMs, this.#until.get(model) ?? 0));
  }

  /** Resolves when the pause is over, or at once if there is none. Rejects if the flight is aborted. */
  async over(model: string, flight: Flight): Promise<void> {
    const left = (this.#until.get(model) ?? 0) - this.#clock.now();
    if (left <= 0) return void this.#until.delete(model);
    flight.pause = new AbortController();
    try {
      await this.#clock.sleep(left, AbortSignal.any([flight.pause.signal, flight.abort.signal]));
    } catch (error) {
      if (!flight.pause.signal.aborted) throw error;
      this.#until.delete(model);
    } finally {
      flight.pause = undefined;
    }
  }
}
