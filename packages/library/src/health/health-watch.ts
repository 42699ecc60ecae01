import type { Clock } from "@colloquy/runtime";
import { Fault, type RootId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { Look } from "../open/locate.ts";
import { Breath } from "../transfer/breath.ts";
import { checkTree } from "./check-tree.ts";

/** What is known of a project's health. `at`: when the last round ended. */
export interface HealthReport {
  readonly trees: number;
  /** For people, each with its dialog. */
  readonly findings: readonly string[];
  /** In the registries of the trees that were checked. */
  readonly sessions: number;
  readonly at?: number | undefined;
  /** Of the store, as of the last round. */
  readonly bytes?: number | undefined;
}

interface HealthParts {
  readonly store: Store;
  readonly look: Look;
  readonly clock: Clock;
  readonly report: (finding: string) => void;
}

/** After a tree, this many times as long as its check took is left to other work. */
const REST_SHARE = 49;
const MIN_REST_MS = 250;
const ROUND_MS = 6 * 3_600_000;

/** Checks the trees of a project, one after the other, slowly. */
export class HealthWatch {
  readonly #parts: HealthParts;
  readonly #problems = new Map<RootId, readonly string[]>();
  readonly #sessions = new Map<RootId, number>();
  #at: number | undefined;
  #bytes: number | undefined;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  get state(): HealthReport {
    return {
      trees: this.#sessions.size,
      findings: [...this.#problems.values()].flat(),
      sessions: [...this.#sessions.values()].reduce((sum, one) => sum + one, 0),
      at: this.#at,
      bytes: this.#bytes,
    };
  }

  /** Round after round, until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const rest = (ms: number) => clock.sleep(Math.max(MIN_REST_MS, REST_SHARE * ms), signal);
    while (!signal.aborted) {
      try {
        await this.round(rest);
      } catch (error) {
        if (signal.aborted) return;
        // The store is away, and says so itself.
        if (!(error instanceof Fault)) throw error;
      }
      await clock.sleep(ROUND_MS, signal).catch(() => undefined); // the signal ends it
    }
  }

  /** Every tree once. `rest`: called after each with the milliseconds that it took. */
  async round(rest: (ms: number) => Promise<void> = async () => undefined): Promise<HealthReport> {
    const { store, look, clock } = this.#parts;
    this.#bytes = await store.bytes?.();
    const trees = store.list().map(({ rootId }) => rootId);
    for (const rootId of trees) {
      const begun = performance.now();
      const { sessions, problems } = await checkTree({ store, look, breath: new Breath() }, rootId);
      // It may have been deleted meanwhile.
      if (store.has(rootId)) {
        this.#sessions.set(rootId, sessions);
        this.#found(rootId, problems);
      }
      await rest(performance.now() - begun);
    }
    for (const rootId of this.#sessions.keys())
      if (!store.has(rootId)) {
        this.#sessions.delete(rootId);
        this.#problems.delete(rootId);
      }
    this.#at = clock.now();
    return this.state;
  }

  #found(rootId: RootId, problems: readonly string[]): void {
    const before = this.#problems.get(rootId) ?? [];
    if (problems.length === 0) this.#problems.delete(rootId);
    else this.#problems.set(rootId, problems);
    for (const one of problems) if (!before.includes(one)) this.#parts.report(one);
  }
}
