import type { AnyEvent, Entry, Line, RootId, StreamId } from "@colloquy/schema";
import type { Opened, Projection } from "@colloquy/store";

/** What a stream's lines mean. The store does not know; the folding code tells. */
export interface Meaning {
  /** Of the states in snapshots and checkpoints; those of another version are not judged. */
  readonly reducer: number;
  /** `at`: the events after which the state is wanted. */
  fold(stream: StreamId, opened: Opened, at: ReadonlySet<number>): Folded;
  /** The events that a project's own log should have beside those that it has, as far as its trees know. */
  missingFromProject?(known: readonly unknown[], trees: readonly KnownTree[]): readonly AnyEvent[];
  /** Are two states equal, whatever the order of their keys? Both have been JSON. */
  isSame(one: unknown, other: unknown): boolean;
}

/** A tree with every line that can be read. */
export interface KnownTree {
  readonly rootId: RootId;
  readonly lines: readonly Line[];
}

export interface Folded {
  /**
   * The first line, from 0, that holds an invalid event or one that does not fit those before it. Everything else refers to the lines
   * before it.
   */
  readonly flaw?: { readonly line: number; readonly why: string } | undefined;
  /** Of a tree: its correct index entry. Absent if nothing of it can be folded. */
  readonly entry?: Entry | undefined;
  /** Of a tree: every file derived from its log. */
  readonly files: readonly Projection[];
  /** After the requested events. */
  readonly states: ReadonlyMap<number, unknown>;
}
