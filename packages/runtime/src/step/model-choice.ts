import { Fault } from "@colloquy/schema";
import type { Runner } from "../engine/runner.ts";

/** How long a model that cannot be reached, or asks for patience without saying how long, is passed over. */
const REST_MS = 30_000;
/** How long one is passed over that a person must mend: its key, its credit, its name. */
const LONG_REST_MS = 10 * 60_000;
/** Steps in progress whose refusals are remembered. */
const MAX_STEPS = 1_000;

interface Rest {
  readonly untilMs: number;
  readonly fault: Fault;
}

/** An agent's models in order of preference: the first that works takes the step. Remembered in memory only. */
export class ModelChoice {
  readonly #runners: readonly (() => Runner)[];
  readonly #now: () => number;
  readonly #resting = new Map<number, Rest>();
  /** By step, the models that refused that very request. */
  readonly #unfit = new Map<string, Map<number, Fault>>();

  constructor(runners: readonly (() => Runner)[], now: () => number) {
    this.#runners = runners;
    this.#now = now;
  }

  /** Throws `Fault` if none is available. `step` names a step, in which models that refused it are passed over. */
  next(step?: string): Runner {
    for (const nth of this.#fit(step)) {
      try {
        return this.#runner(nth);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        this.#resting.set(nth, { untilMs: this.#now() + LONG_REST_MS, fault: error });
      }
    }
    // All have failed: the one that may work first again, or else the preferred one, whose fault then says what to do.
    const [soonest] = [...this.#resting]
      .filter(([nth, { fault }]) => fault.retry !== "never" && !this.#refused(step).has(nth))
      .toSorted(([, a], [, b]) => a.untilMs - b.untilMs);
    return this.#runner(soonest?.[0] ?? 0);
  }

  /** After a fault: undefined if another model can try at once, else the fault that decides whether and when the step is tried again. */
  failed(step: string, runner: Runner, fault: Fault): Fault | undefined {
    const nth = this.#runners.findIndex((_, at) => this.#nameOf(at) === runner.name);
    if (nth < 0) return fault;
    if (fault.code === "model_refused" || fault.code === "model_context_too_long") this.#refuse(step, nth, fault);
    else {
      const restMs = fault.retry === "never" ? LONG_REST_MS : (fault.retryAfterMs ?? REST_MS);
      this.#resting.set(nth, { untilMs: this.#now() + restMs, fault });
    }
    for (const other of this.#fit(step)) {
      try {
        this.#runner(other);
        return undefined;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        this.#resting.set(other, { untilMs: this.#now() + LONG_REST_MS, fault: error });
      }
    }
    const all = this.#runners.flatMap((_, at) => this.#refused(step).get(at) ?? this.#resting.get(at)?.fault ?? []);
    // One that may pass by waiting is better than one that a person must mend.
    const passing = all.find(({ retry }) => retry !== "never");
    if (passing) return passing;
    return new Fault(all[0]?.code ?? fault.code, "never", [...new Set(all.map(({ message }) => message))].join("\n"));
  }

  /** The models that are neither resting nor unfit for the step. */
  #fit(step: string | undefined): readonly number[] {
    const refused = this.#refused(step);
    const now = this.#now();
    return [...this.#runners.keys()].filter((nth) => !refused.has(nth) && (this.#resting.get(nth)?.untilMs ?? 0) <= now);
  }

  /** A request that is too long for one model is too long for all whose window is no larger. */
  #refuse(step: string, nth: number, fault: Fault): void {
    const refused = new Map(this.#refused(step)).set(nth, fault);
    const window = this.#windowOf(nth);
    for (const other of this.#runners.keys()) {
      const its = this.#windowOf(other);
      const isNoLarger = window !== undefined && its !== undefined && its <= window;
      if (fault.code === "model_context_too_long" && isNoLarger) refused.set(other, fault);
    }
    this.#unfit.delete(step);
    this.#unfit.set(step, refused);
    const [oldest] = this.#unfit.keys();
    if (this.#unfit.size > MAX_STEPS && oldest !== undefined) this.#unfit.delete(oldest);
  }

  #refused(step: string | undefined): ReadonlyMap<number, Fault> {
    return (step === undefined ? undefined : this.#unfit.get(step)) ?? NONE;
  }

  #runner(nth: number): Runner {
    const make = this.#runners[nth];
    if (!make) throw new Fault("model_unknown", "never", "This agent has no model.");
    return make();
  }

  #nameOf(nth: number): string | undefined {
    return this.#ifAvailable(nth)?.name;
  }

  #windowOf(nth: number): number | undefined {
    return this.#ifAvailable(nth)?.contextWindow;
  }

  #ifAvailable(nth: number): Runner | undefined {
    try {
      return this.#runner(nth);
    } catch (error) {
      if (error instanceof Fault) return undefined;
      throw error;
    }
  }
}

const NONE: ReadonlyMap<number, Fault> = new Map();
