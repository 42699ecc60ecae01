import type { Entry, StreamId } from "@colloquy/schema";
import type { Opened, Projection } from "@colloquy/store";

/** What a stream's lines mean. The store does not know; whoever folds them says. */
export interface Meaning {
  /** Of the states that are kept in snapshots and at the head of courses; those of another version are not judged. */
  readonly reducer: number;
  /** `at`: the events behind which the state is wanted. */
  fold(stream: StreamId, opened: Opened, at: ReadonlySet<number>): Folded;
  /** Do two states say the same, whatever the order of their keys? Both have been JSON. */
  isSame(one: unknown, other: unknown): boolean;
}

export interface Folded {
  /** The first line, from 0, that holds something that is no event or does not fit those before it. All else is of the lines before it. */
  readonly flaw?: { readonly line: number; readonly why: string } | undefined;
  /** Of a tree: what the index should say of it. Absent where nothing of it can be folded. */
  readonly entry?: Entry | undefined;
  /** Of a tree: every file that is made from its log. */
  readonly files: readonly Projection[];
  /** Behind the events that were asked for. */
  readonly states: ReadonlyMap<number, unknown>;
}
