import type { Recorded, RootId } from "@colloquy/schema";
import type { Commit } from "../commit.ts";

/** Puts recorded events of one tree together to whole commits, each once and in order. */
export class CommitAssembler {
  readonly #rootId: RootId;
  /** The last event of the last whole commit; undefined: the next event is the first. */
  #cursor: number | undefined;
  #part: Recorded[] = [];

  constructor(rootId: RootId, after: number | undefined) {
    this.#rootId = rootId;
    this.#cursor = after;
  }

  /** True if events before this one are missing. */
  isBehind({ seq }: Recorded): boolean {
    return this.#cursor !== undefined && seq > this.#cursor + this.#part.length + 1;
  }

  /** Over another connection an interrupted commit comes again, whole. */
  restart(after = this.#cursor): void {
    this.#cursor = after;
    this.#part = [];
  }

  /** Returns the commit that this event completes. Events that were added before are ignored. */
  add(one: Recorded): Commit | undefined {
    this.#cursor ??= one.seq - 1;
    if (one.seq <= this.#cursor + this.#part.length) return undefined;
    this.#part.push(one);
    if (!one.last) return undefined;
    const events = this.#part;
    this.restart(one.seq);
    return commitOf(this.#rootId, events);
  }
}

/** The events of one commit, or its last ones. There is at least one. */
export function commitOf(rootId: RootId, events: readonly Recorded[]): Commit | undefined {
  const last = events.at(-1);
  return last && { rootId, pos: last.pos, seq: last.seq, at: last.at, events };
}
