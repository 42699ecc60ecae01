import type { Recorded, RootId } from "@colloquy/schema";

/** All events of one decision. It has fewer only if the subscription started in the middle of it. */
export interface Commit {
  readonly rootId: RootId;
  readonly pos: number;
  /** The `seq` of its last event. */
  readonly seq: number;
  /** ISO time. */
  readonly at: string;
  readonly events: readonly Recorded[];
}
