import type { AnyEvent, Entry, Fault, Line, RootId, Snapshot, Status, StreamId } from "@colloquy/schema";
import type { Cluster } from "./cluster.ts";
import type { DocumentSwap, StoredDocuments } from "./documents.ts";
import type { LogCursor } from "./log-cursor.ts";
import type { Past } from "./past.ts";

/** One stream's share of a commit. */
export interface StreamPart {
  readonly stream: StreamId;
  /** The `seq` of the stream's last event, as the decision saw it; 0 for a new stream. */
  readonly expected: number;
  /**
   * The events commute with all others of the stream: if other processes committed to it meanwhile, they are numbered after theirs instead
   * of being refused. Only the first commit with a key is made; others are a `log_conflict`.
   */
  readonly commutes?: { readonly key: string | undefined };
  readonly events: readonly AnyEvent[];
  /** For trees: the index entry once this part is in. */
  readonly entry?: Entry;
  /** For trees: the main dialog's course once this part is in. One more than before starts a new course file. */
  readonly course?: number;
  /** For trees: its owner keeps it, although `entry` is not `hot`: a running call waits for a person. */
  readonly isBusy?: boolean;
  /** For trees: only nodes that see the working files of this process may drive it from here on. */
  readonly isPlaced?: boolean;
  /** Documents that the commit changes, in stores that keep documents. A document with another version than `from` keeps it. */
  readonly documents?: readonly DocumentSwap[];
  /** For trees: the state before this part; asked for when a new course file starts. */
  readonly checkpoint?: () => Snapshot;
}

export interface Committed {
  readonly pos: number;
  /** Another process committed it. */
  readonly isForeign?: true;
  /** `text`: the line's JSON, if the store has it already. */
  readonly lines: readonly { readonly stream: StreamId; readonly line: Line; readonly text?: string | undefined }[];
}

/** What is needed to get a stream's state: a base, if there is one for this reducer, and the lines after it. */
export interface Opened {
  readonly base: Snapshot | undefined;
  readonly lines: readonly Line[];
}

export interface ListQuery {
  readonly status?: Status;
  /** The last id of the previous page. */
  readonly after?: RootId;
  readonly limit?: number;
}

/** A file of a tree's folder derived from its state, or `undefined` if there should be none. */
export type Projection = { readonly path: string; readonly content: unknown };

/**
 * Where the log is kept. A stream is a sequence of events; a commit adds to one or more streams, all or nothing. Every method throws
 * `Fault`: `log_unavailable` after a failed sync until the store is opened again, `log_corrupt` for a damaged stream (other streams are not
 * affected).
 */
export interface Store {
  /**
   * All or nothing; resolved means durable. Commits are made in the order of the calls; concurrent ones share a sync. The check of
   * `expected` and the numbering happen before the first await, so a caller may decide on top of what it has submitted: if that fails,
   * everything after it fails too. Throws `log_conflict` if a stream's head is not `expected`, `log_full` if there is no room.
   */
  commit(parts: readonly StreamPart[], atMs: number): Promise<Committed>;

  /**
   * Stores the past of a new tree, durably once resolved. Nobody sees it until a commit continues it, with `expected` as returned; without
   * one it is gone the next time the store is opened. Its lines keep their `pos`, which has no meaning here: no follower is shown them.
   * Throws `log_conflict` for a stream that exists.
   */
  stage(stream: RootId, past: Past): Promise<Pick<Snapshot, "seq">>;

  /** Lines with an event `seq > after`, in order, without gaps. An unknown stream is empty. Sees only what is durable. */
  read(stream: StreamId, after: number, limit?: number): Promise<readonly Line[]>;

  /** `undefined` for an unknown stream. The base is of that `reducer` version, or absent. */
  open(stream: StreamId, reducer: number): Promise<Opened | undefined>;

  /**
   * Reports that the line with this event can be read but not folded. From then on the stream counts as damaged. Returns the `log_corrupt`
   * that names the line's place and what to do.
   */
  markDamaged(stream: StreamId, seq: number, cause: unknown): Promise<Fault>;
  /** Why a tree cannot be read, if that is known without reading its lines. */
  damageOf(rootId: RootId): string | undefined;

  /** A cache for the next `open`. Losing it changes nothing. */
  saveSnapshot(stream: StreamId, snapshot: Snapshot): Promise<void>;

  /** Newest first. */
  list(query?: ListQuery): readonly Entry[];
  entry(rootId: RootId): Entry | undefined;
  /** Is there an entry? Cheaper than reading it. */
  has(rootId: RootId): boolean;
  /** Ids that begin or end with these digits, at most `limit`. */
  find(digits: string, limit: number): readonly RootId[];
  count(status?: Status): number;
  /** Trees whose entry says `hot`. */
  hot(): readonly RootId[];
  /** The number of open questions in all trees. */
  openQuestions(): number;
  /** Trees with open questions or calls to settle, and trees with a deadline. */
  asking(): readonly RootId[];
  timed(): readonly RootId[];
  /** Trees with a dialog stopped by a fault that was put to a person. */
  faulted(): readonly RootId[];

  /** Called once for each commit, in order, when it is durable. Returns an unsubscribe function. */
  watch(listener: (committed: Committed) => void): () => void;

  /** The position of the follower of this name. */
  cursor(name: string): LogCursor;
  /** Trees with a commit after `pos`, in no order, and perhaps others; lazily, since there may be very many. */
  changedSince(pos: number): AsyncIterable<RootId>;

  /** Durable once resolved; named within the stream. */
  putBlob(stream: RootId, name: string, content: Uint8Array): Promise<void>;
  getBlob(stream: RootId, name: string): Promise<Uint8Array | undefined>;
  /** The names of a tree's blobs, sorted. */
  blobNames(stream: RootId): Promise<readonly string[]>;

  /**
   * Files for people, written behind; a function is called when that happens. `seq`: the last event that they show; absent: everything.
   * Resolves when they are written, or cannot be. Stores without folders ignore them.
   */
  project(rootId: RootId, projections: readonly Projection[] | (() => readonly Projection[]), seq?: number): Promise<void>;

  /** Present if other processes may share the store. */
  readonly cluster?: Cluster;

  /** Present if the project's documents are kept here, and not in a folder. */
  readonly documents?: StoredDocuments;

  /** The previous process did not close the store. */
  readonly crashed: boolean;
  /** Trees whose newest commits may be missing in their projections, after a crash or for lack of room; evaluated lazily. */
  recovered(): Iterable<RootId>;

  /** How much room it takes, where that can be told. It may take seconds, and holds nothing up. */
  bytes?(): Promise<number>;

  /** The store's own health, for people. */
  health(): StoreHealth;

  /**
   * Writes what is pending, empties the journal, releases the lock. `asCrashed`: what an earlier crash interrupted has not been taken up;
   * the next opening reports the crash again.
   */
  close(how?: { readonly asCrashed?: boolean }): Promise<void>;
}

export interface StoreHealth {
  readonly kind: string;
  /** The last commit's number. */
  readonly pos: number;
  readonly trees: number;
  readonly commits: number;
  readonly syncs: number;
  /** Their total duration. */
  readonly commitMs: number;
  readonly syncMs: number;
  /** How many processes share the store, this one included; absent if it cannot be shared. */
  readonly nodes?: number;
  /** Why nothing new is accepted, if so. */
  readonly refusing: string | undefined;
  /** Found when the store was opened: torn tails that were cut, damage, moved folders. */
  readonly notices: readonly string[];
}
