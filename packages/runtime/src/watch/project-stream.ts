import { applyToProject, emptyProject, type Project, projectFrom, projectSnapshot, REDUCER_VERSION, withoutOld } from "@colloquy/core";
import { Fault, PROJECT_STREAM, type ProjectEvent, type Refusal, Refused } from "@colloquy/schema";
import type { Committed, Store, StreamPart } from "@colloquy/store";
import type { Clock } from "../engine/deps.ts";

/** From so many events on a snapshot of them is worth its writing. */
const MAX_LINES = 1_000;

/** The project's own stream in memory. Like a tree it may run ahead of the disk; `settled` tells when it does not. */
export class ProjectStream {
  readonly #store: Store;
  readonly #clock: Clock;
  state: Project = emptyProject();
  settled: Promise<unknown> = Promise.resolve();
  /** The last event of the last snapshot. */
  #savedSeq = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async load(): Promise<void> {
    const opened = await this.#store.open(PROJECT_STREAM, REDUCER_VERSION);
    let state = opened?.base ? projectFrom(opened.base) : emptyProject();
    for (const line of opened?.lines ?? []) {
      const fresh = line.events.slice(Math.max(0, state.seq - line.seq + 1)) as ProjectEvent[];
      state = fresh.reduce((folded, event) => applyToProject(folded, event, Date.parse(line.at)), state);
    }
    this.state = state;
    this.#savedSeq = opened?.base?.seq ?? 0;
  }

  part(events: readonly ProjectEvent[]): StreamPart {
    return { stream: PROJECT_STREAM, expected: this.state.seq, events };
  }

  advance(events: readonly ProjectEvent[], at: number, settled: Promise<Committed>): void {
    this.state = events.reduce((folded, event) => applyToProject(folded, event, at), this.state);
    this.settled = settled;
    // After a crash only what was added since is read, not the whole stream. The cost stays in proportion to what was added.
    if (this.state.seq - this.#savedSeq >= MAX_LINES + this.#savedSeq / 4) void this.saveSnapshot(at).catch(() => undefined); // a cache
  }

  /** Decides about the project alone, and makes it durable; decides again when another writer was first. */
  async decide<Decided extends { readonly ok: true; readonly events: readonly ProjectEvent[] }>(
    choose: (state: Project) => Decided | { readonly ok: false; readonly refusal: Refusal },
  ): Promise<Decided> {
    const decision = choose(this.state);
    if (!decision.ok) throw new Refused(decision.refusal);
    if (decision.events.length === 0) {
      await this.settled;
      return decision;
    }
    const at = this.#clock.now();
    const committed = this.#store.commit([this.part(decision.events)], at);
    this.advance(decision.events, at, committed);
    try {
      await committed;
      return decision;
    } catch (error) {
      await this.load();
      if (error instanceof Fault && error.code === "log_conflict") return this.decide(choose);
      throw error;
    }
  }

  async saveSnapshot(nowMs: number): Promise<void> {
    if (this.state.seq === this.#savedSeq) return;
    this.#savedSeq = this.state.seq;
    await this.#store.saveSnapshot(PROJECT_STREAM, projectSnapshot(withoutOld(this.state, nowMs), this.#store.health().pos));
  }
}
