import { applyToProject, emptyProject, type Project, projectFrom, projectSnapshot, REDUCER_VERSION, withoutOld } from "@colloquy/core";
import { PROJECT_STREAM, type ProjectEvent } from "@colloquy/schema";
import type { Committed, Store, StreamPart } from "@colloquy/store";

/** The project's own stream in memory. Like a tree it may run ahead of the disk; `settled` tells when it does not. */
export class ProjectStream {
  readonly #store: Store;
  state: Project = emptyProject();
  settled: Promise<unknown> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  async load(): Promise<void> {
    const opened = await this.#store.open(PROJECT_STREAM, REDUCER_VERSION);
    let state = opened?.base ? projectFrom(opened.base) : emptyProject();
    for (const line of opened?.lines ?? []) {
      const fresh = line.events.slice(Math.max(0, state.seq - line.seq + 1)) as ProjectEvent[];
      state = fresh.reduce((folded, event) => applyToProject(folded, event, Date.parse(line.at)), state);
    }
    this.state = state;
  }

  part(events: readonly ProjectEvent[]): StreamPart {
    return { stream: PROJECT_STREAM, expected: this.state.seq, events };
  }

  advance(events: readonly ProjectEvent[], at: number, settled: Promise<Committed>): void {
    this.state = events.reduce((folded, event) => applyToProject(folded, event, at), this.state);
    this.settled = settled;
  }

  async saveSnapshot(nowMs: number): Promise<void> {
    if (this.state.seq === 0) return;
    await this.#store.saveSnapshot(PROJECT_STREAM, projectSnapshot(withoutOld(this.state, nowMs), this.#store.health().pos));
  }
}
