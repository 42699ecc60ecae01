import { Bug, Fault, type Line, LOG_VERSION, type StreamId } from "@colloquy/schema";
import { type Committed, conflict, deletedIn, type StreamPart } from "@colloquy/store";
import type { HeadRow } from "./statements.ts";
import type { TreeIndex } from "./tree-index.ts";

const MAX_COMMITS = 200;
const MAX_CHARS = 8_000_000;

/** A part in database form. Texts are made at submission: the caller may change its objects afterwards. */
interface Share {
  readonly part: StreamPart;
  readonly events: string;
  readonly entry: string | undefined;
  readonly isHot: boolean;
  /** Of this node's ownership, if it owns the tree. */
  readonly epoch: number | undefined;
  readonly course: number;
  readonly base: { readonly reducer: number; readonly seq: number; readonly text: string } | undefined;
}

export interface Pending {
  readonly shares: readonly Share[];
  readonly atMs: number;
  readonly chars: number;
  readonly startedMs: number;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: unknown) => void;
}

/** A commit of another node, with the heads of its streams as they are by now. */
export interface Foreign extends Committed {
  readonly isForeign: true;
  readonly heads: readonly (Omit<HeadRow, "first"> & { readonly course: number; readonly entry: string | null })[];
}

export interface CommitHost {
  /** Makes a batch durable, all or nothing; the heads after it. Throws `Fault`. */
  write(batch: readonly Pending[]): Promise<readonly HeadRow[]>;
  /** Commits after `pos`, in order, as many as are read at once. */
  after(pos: number, upTo?: number): Promise<readonly Foreign[]>;
  isOwner(head: Pick<HeadRow, "owner">): boolean;
  /** Another node owns the tree that was this node's. */
  lost(stream: StreamId): void;
  /** Something can move in a tree that nobody owns. */
  orphaned(): void;
}

const streamsOf = ({ shares }: Pending): readonly StreamId[] => shares.map(({ part }) => part.stream);

/**
 * Numbers commits and sends them in groups, one group at a time: commits that arrive while one is in flight form the next. Listeners
 * hear of every commit of every node, in order.
 */
export class Commits {
  readonly #index: TreeIndex;
  readonly #host: CommitHost;
  readonly #listeners = new Set<(committed: Committed) => void>();
  /** Streams with commits in flight, in their future state. */
  readonly #ahead = new Map<StreamId, { seq: number; course: number; inFlight: number }>();
  #queue: Pending[] = [];
  /** How many of them go one at a time. */
  #alone = 0;
  /** Streams whose refused commits their callers may not have heard of. */
  readonly #refused = new Set<StreamId>();
  #pumping: Promise<void> | undefined;
  /** The highest `pos` that another node is known to have reached. */
  #heardOf = 0;
  /** Its real position may be higher. */
  #looksAgain = false;
  readonly counts = { commits: 0, syncs: 0, commitMs: 0, syncMs: 0 };
  pos: number;

  constructor(index: TreeIndex, pos: number, host: CommitHost) {
    this.#index = index;
    this.pos = pos;
    this.#host = host;
  }

  async add(parts: readonly StreamPart[], atMs: number): Promise<Committed> {
    if (parts.length === 0 || parts.some((part) => part.events.length === 0)) throw new Bug("A commit without events");
    if (new Set(parts.map((part) => part.stream)).size < parts.length) throw new Bug("A commit with the same stream twice");
    const wrong = parts.find(
      ({ stream, expected, commutes }) => !commutes && (this.#headOf(stream).seq !== expected || this.#refused.has(stream)),
    );
    if (wrong) return this.#conflict(wrong);
    return new Promise((resolve, reject) => {
      const shares = this.#numbered(parts);
      const chars = shares.reduce((sum, { events, entry = "" }) => sum + events.length + entry.length, 0);
      this.#queue.push({ shares, atMs, chars, startedMs: performance.now(), resolve, reject });
      this.#wake();
    });
  }

  watch(listener: (committed: Committed) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Another node reported commits up to this position. */
  heardOf(pos: number): void {
    if (pos <= this.pos || pos <= this.#heardOf) return;
    this.#heardOf = pos;
    this.#wake();
  }

  /** Delivers other nodes' commits so far. */
  async catchUp(): Promise<void> {
    this.#looksAgain = true;
    this.#wake();
    await this.#pumping;
  }

  /** Resolves when everything submitted is durable or has failed. */
  async whenDurable(): Promise<void> {
    while (this.#pumping) await this.#pumping;
  }

  #wake(): void {
    this.#pumping ??= Promise.resolve().then(() => this.#pump());
  }

  #numbered(parts: readonly StreamPart[]): Share[] {
    const shares = parts.map((part) => this.#share(part));
    for (const { part, course } of shares) {
      const inFlight = (this.#ahead.get(part.stream)?.inFlight ?? 0) + 1;
      this.#ahead.set(part.stream, { seq: part.expected + part.events.length, course, inFlight });
    }
    return shares;
  }

  /** The caller decides again, once it can see the conflicting commit. */
  async #conflict({ stream, expected }: StreamPart): Promise<never> {
    const { seq } = this.#headOf(stream);
    await this.catchUp();
    throw conflict(stream, expected, seq);
  }

  #share(part: StreamPart): Share {
    const before = this.#headOf(part.stream).course;
    const course = part.course ?? before;
    const snapshot = course > before ? part.checkpoint?.() : undefined;
    return {
      part,
      events: JSON.stringify(part.events),
      entry: part.entry && JSON.stringify(part.entry),
      isHot: part.isBusy ?? part.entry?.hot ?? this.#index.isHot(part.stream),
      epoch: this.#index.epochOf(part.stream),
      course,
      // An empty base would only hide lines.
      base: snapshot && snapshot.seq > 0 ? { reducer: snapshot.reducer, seq: snapshot.seq, text: JSON.stringify(snapshot) } : undefined,
    };
  }

  #headOf(stream: StreamId): { readonly seq: number; readonly course: number } {
    return this.#ahead.get(stream) ?? this.#index.head(stream) ?? { seq: 0, course: 1 };
  }

  async #pump(): Promise<void> {
    while (this.#queue.length > 0 || this.#looksAgain || this.#heardOf > this.pos) {
      const batch = this.#nextBatch();
      if (batch.length > 0) await this.#commit(batch);
      else if (!(await this.#caughtUp())) break; // the next notification, or the next second, asks again
    }
    this.#pumping = undefined;
  }

  async #commit(batch: readonly Pending[]): Promise<void> {
    const startedMs = performance.now();
    try {
      const heads = await this.#host.write(batch);
      this.counts.syncs += 1;
      this.counts.syncMs += performance.now() - startedMs;
      const first = heads[0]?.first ?? 0;
      // Other nodes' commits in between are delivered first.
      if (first > this.pos + 1) await this.#catchUp(first - 1);
      this.#settle(batch, heads);
    } catch (error) {
      const isConflict = error instanceof Fault && error.code === "log_conflict";
      if (isConflict && batch.length > 1) {
        // One of them failed the group: each is retried alone.
        this.#queue.unshift(...batch);
        this.#alone = batch.length;
      } else await this.#fail([...batch, ...(isConflict ? this.#takeBasedOn(batch) : this.#queue.splice(0))], error);
    }
  }

  /**
   * Takes commits out of the queue that were decided on top of refused ones. If another node has committed as many events, their positions
   * fit by chance, but what they decided on was never there.
   */
  #takeBasedOn(refused: readonly Pending[]): Pending[] {
    const streams = new Set(refused.flatMap(streamsOf));
    const taken: Pending[] = [];
    const left: Pending[] = [];
    for (const pending of this.#queue) {
      const isBased = pending.shares.some(({ part }) => !part.commutes && streams.has(part.stream));
      (isBased ? taken : left).push(pending);
      if (isBased) for (const stream of streamsOf(pending)) streams.add(stream);
    }
    this.#queue = left;
    return taken;
  }

  /** A deletion ends its batch: it takes along what came before it, and nothing that comes after it. */
  #nextBatch(): Pending[] {
    if (this.#alone > 0) {
      this.#alone -= 1;
      return this.#queue.splice(0, 1);
    }
    let chars = 0;
    const isFull = (pending: Pending, nth: number) =>
      nth > 0 && (nth >= MAX_COMMITS || (chars += pending.chars) > MAX_CHARS || deletes(this.#queue[nth - 1]));
    const end = this.#queue.findIndex(isFull);
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end);
  }

  #settle(batch: readonly Pending[], heads: readonly HeadRow[]): void {
    const first = heads[0]?.first ?? 0;
    const byStream = new Map(heads.map((head) => [head.stream, head]));
    const next = new Map<StreamId, number>();
    for (const { shares } of batch)
      for (const { part } of shares)
        next.set(part.stream, (next.get(part.stream) ?? byStream.get(part.stream)?.last ?? 0) - part.events.length);
    for (const [nth, { shares, atMs, startedMs, resolve }] of batch.entries()) {
      const at = new Date(atMs).toISOString();
      const lines = shares.map(({ part, entry, course }) => {
        const { stream, events } = part;
        const before = next.get(stream) ?? 0;
        next.set(stream, before + events.length);
        this.#index.put(stream, { seq: before + events.length, course, entry });
        const head = byStream.get(stream);
        if (head) this.#index.own(stream, this.#host.isOwner(head) ? head.epoch : undefined);
        this.#landed(stream, before + events.length);
        const line: Line = { v: LOG_VERSION, pos: first + nth, seq: before + 1, at, events };
        return { stream, line };
      });
      this.#removeDeleted(lines);
      this.pos = first + nth;
      this.counts.commits += 1;
      this.counts.commitMs += performance.now() - startedMs;
      const committed = { pos: this.pos, lines };
      this.#tell(committed);
      resolve(committed);
    }
  }

  #removeDeleted(lines: Committed["lines"]): void {
    for (const { stream, line } of lines)
      for (const rootId of deletedIn(stream, line.events)) {
        this.#index.remove(rootId);
        this.#ahead.delete(rootId);
      }
  }

  /** A commit numbered after other nodes' commits shifts the numbers of the following ones. */
  #landed(stream: StreamId, seq: number): void {
    const ahead = this.#ahead.get(stream);
    if (!ahead) return;
    ahead.inFlight -= 1;
    ahead.seq = Math.max(ahead.seq, seq);
    if (ahead.inFlight === 0) this.#ahead.delete(stream);
  }

  #caughtUp(): Promise<boolean> {
    const until = this.#heardOf;
    this.#looksAgain = false;
    return this.#catchUp().then(
      () => this.pos >= until,
      () => false,
    );
  }

  /** Delivers other nodes' commits, up to `upTo` or all of them. */
  async #catchUp(upTo = Infinity): Promise<void> {
    for (let found = await this.#host.after(this.pos, upTo); found.length > 0;) {
      for (const { heads, ...committed } of found) {
        for (const head of heads) this.#adopt(head);
        this.#removeDeleted(committed.lines);
        this.pos = committed.pos;
        this.#tell(committed);
      }
      found = this.pos < upTo ? await this.#host.after(this.pos, upTo) : [];
    }
  }

  #adopt({ stream, last, course, entry, hot, owner, epoch }: Foreign["heads"][number]): void {
    if (last < (this.#index.head(stream)?.seq ?? 0)) return;
    const wasOurs = this.#index.epochOf(stream) !== undefined;
    this.#index.put(stream, { seq: last, course, entry: entry ?? undefined });
    this.#index.own(stream, this.#host.isOwner({ owner }) ? epoch : undefined);
    if (wasOurs && this.#index.epochOf(stream) === undefined) this.#host.lost(stream);
    if (hot && owner === null) this.#host.orphaned();
  }

  /** The database refuses later commits of the same stream that were numbered after it. */
  async #fail(pending: readonly Pending[], error: unknown): Promise<void> {
    for (const { shares } of pending)
      for (const { part } of shares) {
        const ahead = this.#ahead.get(part.stream);
        if (!ahead) continue;
        ahead.inFlight -= 1;
        ahead.seq -= part.events.length;
        if (ahead.inFlight === 0) this.#ahead.delete(part.stream);
      }
    // Other nodes' commits are delivered before the caller decides again.
    if (error instanceof Fault && error.code === "log_conflict") await this.#catchUp().catch(() => undefined); // the next commit is told
    const streams = pending.flatMap(streamsOf);
    for (const stream of streams) this.#refused.add(stream);
    for (const one of pending) one.reject(error);
    // By then their callers have let go of what they had decided on.
    setImmediate(() => {
      for (const stream of streams) this.#refused.delete(stream);
    });
  }

  #tell(committed: Committed): void {
    for (const listener of this.#listeners) {
      try {
        listener(committed);
      } catch (error) {
        // It does not concern the other commits, but must not be swallowed.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

const deletes = (pending: Pending | undefined): boolean =>
  pending?.shares.some(({ part }) => deletedIn(part.stream, part.events).length > 0) ?? false;
