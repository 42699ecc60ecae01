import type { Line, Snapshot } from "@colloquy/schema";

/** A line of a tree's past. */
export interface PastLine {
  readonly line: Line;
  /** The main dialog's course once this line is in. */
  readonly course: number;
  /** The state before this line; asked for when it starts a new course file. */
  readonly checkpoint: () => Snapshot;
}

/** What a copied tree begins with. */
export interface Past {
  /** Some at a time, from the first event on and without gaps. */
  readonly lines: AsyncIterable<readonly PastLine[]>;
  readonly blobs: AsyncIterable<{ readonly name: string; readonly content: Uint8Array }>;
}
