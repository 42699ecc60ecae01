import type { Line, RootId } from "@colloquy/schema";

/** What was committed since the last time: lines while they are few, else which trees changed, else only that something did. */
export interface Taken {
  /** The last commit that this covers. */
  readonly seen: number;
  readonly lines: readonly TreeLine[];
  readonly trees: readonly RootId[];
  readonly isIncomplete: boolean;
}

export interface TreeLine {
  readonly stream: RootId;
  readonly line: Line;
}

/** `pos`: up to where everything was accepted, unless nothing was ever saved. `notedFrom`: later commits are noted. */
export interface Claimed {
  readonly pos: number | undefined;
  readonly notedFrom: number;
}

/** The log as the follower reaches it: in its own thread, or from another one. */
export interface LogSource {
  /** Several processes share the log, and one of them sends. */
  readonly isShared: boolean;
  /** Takes or keeps the position; commits are noted from then on. `undefined`: another process has it. */
  claim(): Promise<Claimed | undefined>;
  /** Durable once resolved. False: another process has the position now. */
  save(pos: number): Promise<boolean>;
  /** Commits are no longer noted, and another process may take the position. */
  release(): Promise<void>;
  take(): Promise<Taken>;
  /** What was taken is taken again, from the log. */
  lookAgain(): void;
  /** A tree's lines after a `seq`; none if its log is damaged, which `doctor` reports. */
  read(rootId: RootId, after: number, limit: number): Promise<readonly Line[]>;
  /** Trees with a commit after `pos`, some at a time; `isFirst` begins anew. None: those were all. */
  changed(pos: number, isFirst: boolean): Promise<readonly RootId[]>;
  /** Calls the listener when there is something to take; `isMuch`: so much that it should not wait. */
  onNews(listener: (isMuch: boolean) => void): void;
}
