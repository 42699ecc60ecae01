import type { Recorded, RootId } from "@colloquy/schema";

/** The events of one decision, all of them; fewer only where one asked from the middle of it on. */
export interface Commit {
  readonly rootId: RootId;
  readonly pos: number;
  /** The last of its events. */
  readonly seq: number;
  /** ISO time. */
  readonly at: string;
  readonly events: readonly Recorded[];
}
