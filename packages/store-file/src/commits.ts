import type { Fault, RootId, StreamId } from "@colloquy/schema";
import { type Committed, conflict, deletedIn, type StreamPart } from "@colloquy/store";
import type { Catalog } from "./catalog.ts";
import { encodeCommit } from "./journal/commit-record.ts";
import type { Condition } from "./inspect/condition.ts";
import type { Journal } from "./journal/journal.ts";
import { PLACES } from "./disk/layout.ts";
import { type Numbered, numbered, type Tail } from "./journal/numbering.ts";
import type { Pace } from "./disk/pace.ts";
import type { WriteBehind } from "./courses/write-behind.ts";

export interface CommitHost {
  /** Checks the end of an idle stream before anybody builds on it; throws if it is damaged. */
  examine(stream: StreamId): void;
  /** There is something to write behind. */
  onSettled(): void;
  onDeleted(rootId: RootId): void;
}

export interface CommitParts {
  readonly catalog: Catalog;
  readonly behind: WriteBehind;
  readonly journal: Journal;
  readonly condition: Condition;
  readonly pace: Pace;
  /** The last durable commit. */
  readonly pos: number;
}

/** Numbers commits, and publishes them once they are durable. */
export class Commits {
  readonly #catalog: Catalog;
  readonly #behind: WriteBehind;
  readonly #journal: Journal;
  readonly #condition: Condition;
  readonly #pace: Pace;
  readonly #host: CommitHost;
  readonly #listeners = new Set<(committed: Committed) => void>();
  /** Recently used streams: where each will end, and its number of commits in flight. */
  readonly #tails = new Map<StreamId, { tail: Tail; underWay: number; atMs: number }>();
  /** Pasts of trees that no commit has continued yet. */
  readonly #staged = new Map<StreamId, Tail>();
  #numberedPos: number;
  #pos: number;
  #lastMs = 0;
  #last: Promise<unknown> = Promise.resolve();
  count = 0;

  constructor({ catalog, behind, journal, condition, pace, pos }: CommitParts, host: CommitHost) {
    this.#catalog = catalog;
    this.#behind = behind;
    this.#journal = journal;
    this.#condition = condition;
    this.#pace = pace;
    this.#numberedPos = this.#pos = pos;
    this.#host = host;
  }

  /** The last durable commit. */
  get pos(): number {
    return this.#pos;
  }

  /** Time since the last commit. */
  get quietMs(): number {
    return this.#pace.nowMs() - this.#lastMs;
  }

  /** Time of the stream's last commit, if recent. */
  changedMs(stream: StreamId): number {
    return this.#tails.get(stream)?.atMs ?? -Infinity;
  }

  /** Resolves when everything submitted is durable or has failed. */
  async whenDurable(): Promise<void> {
    await this.#last.catch(() => {}); // the caller is told
  }

  watch(listener: (committed: Committed) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  add(parts: readonly StreamPart[], atMs: number): Promise<Committed> {
    let isUnderWay = false;
    const commit = new Promise<Committed>((resolve, reject) => {
      for (const { stream, expected } of parts) if (this.#behind.isDeleted(stream)) throw conflict(stream, expected, 0);
      const tails = parts.map((part) => this.#tailOf(part.stream));
      const pos = this.#numberedPos + 1;
      const shares = numbered(parts, tails, pos, atMs);
      const sizes = this.#journal.append((arena) => encodeCommit(arena, pos, shares), {
        settle: (buffer, at) => resolve(this.#settle(pos, shares, sizes, { buffer, from: at })),
        fail: (fault) => reject(this.#fail(fault)),
      });
      this.#numberedPos = pos;
      this.#lastMs = this.#pace.nowMs();
      for (let n = 0; n < shares.length; n += 1) this.#follow(shares[n] as Numbered, sizes[n] ?? 0);
      isUnderWay = true;
    });
    // A commit refused at once says nothing about those in flight.
    if (isUnderWay) this.#last = commit;
    return commit;
  }

  /** The past of a new tree is stored: its first commit comes after this. */
  staged(stream: StreamId, tail: Tail): void {
    this.#staged.set(stream, tail);
  }

  /** Unknown lines were found. */
  raise(pos: number): void {
    this.#numberedPos = Math.max(this.#numberedPos, pos);
    this.#pos = Math.max(this.#pos, pos);
  }

  /** An idle tree holds no memory here. */
  forgetResting(): void {
    for (const [stream, { underWay }] of this.#tails) if (underWay === 0 && !this.#catalog.isFresh(stream)) this.#tails.delete(stream);
  }

  #tailOf(stream: StreamId): Tail | undefined {
    const known = this.#tails.get(stream)?.tail;
    if (known) return known;
    this.#host.examine(stream);
    return this.#catalog.head(stream) ?? this.#staged.get(stream);
  }

  /** Where the stream will end once this is durable. */
  #follow({ stream, seq, course, at }: Numbered, bytes: number): void {
    const tail = { seq, course, size: at + bytes };
    const known = this.#tails.get(stream);
    if (!known) this.#tails.set(stream, { tail, underWay: 1, atMs: this.#lastMs });
    else Object.assign(known, { tail, underWay: known.underWay + 1, atMs: this.#lastMs });
  }

  #settle(pos: number, shares: readonly Numbered[], sizes: readonly number[], { buffer, from: start }: Payload): Committed {
    let from = start;
    for (let n = 0; n < shares.length; n += 1) {
      const { stream, seq, course, at, entry } = shares[n] as Numbered;
      const bytes = sizes[n] ?? 0;
      // It was submitted before its tree was deleted.
      if (this.#behind.isDeleted(stream)) {
        from += bytes;
        continue;
      }
      if (this.#staged.delete(stream)) this.#behind.continues(stream);
      else if (entry) this.#behind.willMove(stream, PLACES[entry.status]);
      this.#catalog.put(stream, { seq, course, size: at + bytes, pos, entry: entry ?? this.#catalog.get(stream)?.entry });
      this.#behind.add(stream, { course, at, bytes, buffer, from });
      from += bytes;
      const known = this.#tails.get(stream);
      if (known) known.underWay -= 1;
    }
    for (const { stream, line } of shares) for (const rootId of deletedIn(stream, line.events)) this.#delete(rootId);
    this.#pos = pos;
    this.count += 1;
    this.#condition.full = undefined;
    this.#host.onSettled();
    const committed = { pos, lines: shares.map(({ stream, line, ownText }) => ({ stream, line, text: ownText })) };
    for (const listener of this.#listeners) tell(listener, committed);
    return committed;
  }

  #delete(rootId: RootId): void {
    if (!this.#catalog.head(rootId)) return; // the past of a copy to come stays
    this.#catalog.remove(rootId);
    this.#behind.remove(rootId);
    this.#tails.delete(rootId);
    this.#host.onDeleted(rootId);
  }

  /** Everything numbered after it fails with it, so the numbers are free again. */
  #fail(fault: Fault): Fault {
    this.#tails.clear();
    this.#numberedPos = this.#pos;
    if (fault.code === "log_full") this.#condition.full = fault;
    return fault;
  }
}

/** A commit's bytes in the journal's buffer. */
interface Payload {
  readonly buffer: Buffer;
  readonly from: number;
}

function tell(listener: (committed: Committed) => void, committed: Committed): void {
  try {
    listener(committed);
  } catch (error) {
    // It does not concern the other commits, but must not be swallowed.
    queueMicrotask(() => {
      throw error;
    });
  }
}
