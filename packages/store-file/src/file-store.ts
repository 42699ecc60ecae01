import { type Entry, Fault, type Line, type RootId, type Snapshot, type Status, type StreamId } from "@colloquy/schema";
import {
  closed,
  type Committed,
  type ListQuery,
  type Opened,
  type Projection,
  type Store,
  type StoreHealth,
  type StreamPart,
} from "@colloquy/store";
import { Background } from "./background.ts";
import { getBlob, putBlob } from "./blobs.ts";
import type { Catalog } from "./catalog.ts";
import { syncDirt } from "./checkpoint.ts";
import { encodeCommit } from "./commit-record.ts";
import { codeOf, type Disk, isFull, replaceCache } from "./disk.ts";
import { full, notConfirmed } from "./faults.ts";
import type { IndexFile } from "./index-file.ts";
import { Journal, type Position } from "./journal.ts";
import { type Layout, PLACES } from "./layout.ts";
import type { Lock } from "./lock.ts";
import { type Numbered, numbered, type Tail } from "./numbering.ts";
import { Projections } from "./projections.ts";
import { Reconciler } from "./reconcile.ts";
import type { Slots } from "./slots.ts";
import { snapshotText } from "./snapshot-file.ts";
import { StreamReader } from "./stream-reader.ts";
import type { WriteBehind } from "./write-behind.ts";

/** What opening a project has found and made. */
export interface Ground {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly lock: Lock;
  readonly index: IndexFile;
  readonly catalog: Catalog;
  readonly behind: WriteBehind;
  readonly slots: Slots;
  readonly last: Position;
  readonly pos: number;
  readonly suspects: ReadonlySet<StreamId>;
  readonly crashed: boolean;
  readonly notices: readonly string[];
  /** Off: nothing is done by itself, tests say when. */
  readonly isBackground: boolean;
}

/**
 * The store in a project's folder. A commit is one record in the journal; from there its lines go into course files, and what the index says of
 * its trees into the index, and only then is its place in the journal free again.
 */
export class FileStore implements Store {
  readonly crashed: boolean;
  readonly #recovered: readonly RootId[];
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #ground: Ground;
  readonly #catalog: Catalog;
  readonly #behind: WriteBehind;
  readonly #journal: Journal;
  readonly #reader: StreamReader;
  readonly #reconciler: Reconciler;
  readonly #projections: Projections;
  readonly #background: Background;
  readonly #listeners = new Set<(committed: Committed) => void>();
  readonly #notices: string[];
  readonly #damaged = new Map<StreamId, Fault>();
  /** Streams that were committed to of late, as they will be, with the number of commits under way. */
  readonly #tails = new Map<StreamId, { tail: Tail; underWay: number; atMs: number }>();
  #committedMs = 0;
  #pos: number;
  #durablePos: number;
  #commits = 0;
  #lastCommit: Promise<unknown> = Promise.resolve();
  readonly #busy = new Set<Promise<unknown>>();
  #checkpointing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** What the write-behind is going through. */
  #round: Iterator<StreamId> | undefined;
  #failed: Fault | undefined;
  #full: Fault | undefined;

  constructor(ground: Ground) {
    const { disk, layout, catalog, behind } = (this.#ground = ground);
    this.#disk = disk;
    this.#layout = layout;
    this.#catalog = catalog;
    this.#behind = behind;
    this.crashed = ground.crashed;
    this.#recovered = ground.crashed ? catalog.due() : [];
    this.#pos = this.#durablePos = ground.pos;
    this.#notices = [...ground.notices];
    this.#reader = new StreamReader(disk, layout, catalog, behind);
    this.#reconciler = new Reconciler(disk, layout, catalog, behind, this.#reader);
    this.#projections = new Projections(disk, {
      folderOf: (rootId) => this.#folderOf(rootId),
      changedMs: (rootId) => this.#tails.get(rootId)?.atMs ?? -Infinity,
      onWritten: (rootId) => {
        catalog.projected(rootId);
        this.#background.touched();
      },
    });
    this.#journal = new Journal(disk, layout, ground.slots, ground.last, {
      emptySlots: () => this.#emptySlots(),
      onFilling: () => this.#checkpointSoon(),
      onFailed: (fault) => (this.#failed = fault),
    });
    this.#background = new Background(
      {
        writeSlice: () => this.#writeSlice(),
        projectSlice: () => this.#projectSlice(),
        checkpoint: () => this.#checkpointSoon(),
        quietMs: () => performance.now() - this.#committedMs,
        isBehind: () => !this.#behind.isIdle,
        onFailure: (error) => this.#note(error),
      },
      ground.isBackground,
    );
    if (ground.slots.isAnyTaken() || catalog.fresh().length > 0) this.#background.touched();
  }

  /** Looks closer at streams of which the journal has lost something. */
  async examine(): Promise<void> {
    for (const stream of this.#ground.suspects) await this.read(stream, 0).catch(() => {}); // remembered as damaged
  }

  commit(parts: readonly StreamPart[], atMs: number): Promise<Committed> {
    const commit = new Promise<Committed>((resolve, reject) => {
      if (this.#closing) throw closed();
      if (this.#failed) throw this.#failed;
      const pos = this.#pos + 1;
      const shares = numbered(parts, pos, atMs, (stream) => this.#tailOf(stream));
      const sizes = this.#journal.append((arena) => encodeCommit(arena, pos, shares), {
        settle: (buffer, at) => resolve(this.#settle(pos, shares, sizes, buffer, at)),
        fail: (fault) => reject(this.#fail(fault)),
      });
      this.#pos = Math.max(pos, this.#pos);
      this.#committedMs = performance.now();
      for (let n = 0; n < shares.length; n += 1) this.#follow(shares[n] as Numbered, sizes[n] ?? 0);
    });
    this.#lastCommit = commit;
    return commit;
  }

  async read(stream: StreamId, after: number, limit?: number): Promise<readonly Line[]> {
    return this.#reading(stream, () => this.#reader.read(stream, after, limit));
  }

  async open(stream: StreamId, reducer: number): Promise<Opened | undefined> {
    return this.#reading(stream, () => this.#reader.open(stream, reducer));
  }

  async saveSnapshot(stream: StreamId, snapshot: Snapshot): Promise<void> {
    // One that was made on top of commits under way must not outlive their failure.
    if (snapshot.seq > (this.#catalog.head(stream)?.seq ?? 0)) await this.#lastCommit.catch(() => {});
    const head = this.#catalog.head(stream);
    if (this.#closing || !head || snapshot.seq > head.seq) return;
    const { course, size } = snapshot.seq === head.seq ? head : { course: 0, size: 0 };
    const place = this.#behind.placeOf(stream);
    try {
      this.#disk.makeFolder(this.#layout.folder(stream, place));
      replaceCache(this.#disk, this.#layout.snapshot(stream, place), Buffer.from(snapshotText({ snapshot, course, at: size })));
    } catch (error) {
      this.#note(error); // a cache, which may be missing
    }
  }

  list(query: ListQuery = {}): readonly Entry[] {
    return this.#catalog.list(query).flatMap((rootId) => this.entry(rootId) ?? []);
  }

  entry(rootId: RootId): Entry | undefined {
    const text = this.#catalog.get(rootId)?.entry?.text;
    return text === undefined ? undefined : (JSON.parse(text) as Entry);
  }

  find(digits: string, limit: number): readonly RootId[] {
    return this.#catalog.find(digits, limit);
  }

  count(status?: Status): number {
    return this.#catalog.count(status);
  }

  hot(): readonly RootId[] {
    return this.#catalog.hot();
  }

  watch(listener: (committed: Committed) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async putBlob(stream: RootId, name: string, content: Uint8Array): Promise<void> {
    if (this.#closing) throw closed();
    const put = putBlob(this.#disk, () => this.#folderOf(stream), name, content);
    await this.#during(put).catch((error: unknown) => {
      throw this.#translated(error);
    });
  }

  async getBlob(stream: RootId, name: string): Promise<Uint8Array | undefined> {
    return getBlob(this.#disk, this.#folderOf(stream), name);
  }

  project(rootId: RootId, projections: readonly Projection[] | (() => readonly Projection[])): void {
    this.#projections.put(rootId, typeof projections === "function" ? projections : () => projections);
    this.#background.toProject();
  }

  recovered(): readonly RootId[] {
    return this.#recovered;
  }

  health(): StoreHealth {
    const { syncs } = this.#journal;
    const refusing = this.#failed?.message ?? this.#full?.message ?? (this.#closing && closed().message);
    return {
      kind: "file",
      pos: this.#durablePos,
      trees: this.count(),
      commits: this.#commits,
      syncs,
      refusing,
      notices: [...this.#notices],
    };
  }

  /** Writes into course files whatever is not there yet. */
  async flush(): Promise<void> {
    const streams = this.#behind.pending();
    while (this.#behind.slice(streams)) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Makes course files and index durable, and the journal empty. */
  checkpoint(): Promise<void> {
    return (this.#checkpointing ??= this.#checkpoint().finally(() => (this.#checkpointing = undefined)));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #checkpoint(): Promise<void> {
    if (this.#failed) throw this.#failed;
    const generation = await this.#journal.seal();
    await this.flush();
    const rows = this.#catalog.fresh();
    if (rows.length === 0 && !this.#ground.slots.isAnyTaken()) return;
    const pos = this.#durablePos;
    await syncDirt(this.#disk, this.#layout, this.#behind, this.#behind.takeDirt());
    await this.#ground.index.append(this.#catalog, rows, { pos, freed: generation });
    this.#ground.slots.free(generation);
    this.#full = undefined;
    for (const [stream, { underWay }] of this.#tails) if (underWay === 0 && !this.#catalog.isFresh(stream)) this.#tails.delete(stream);
  }

  async #emptySlots(): Promise<void> {
    await this.#checkpointing?.catch(() => {}); // it may have begun before the slots were full, and is tried again
    await this.checkpoint();
  }

  #checkpointSoon(): void {
    void this.checkpoint().catch((error: unknown) => this.#note(error));
  }

  async #close(): Promise<void> {
    this.#background.stop();
    await Promise.allSettled([this.#lastCommit, ...this.#busy]);
    try {
      await this.#checkpointing?.catch(() => {}); // tried once more here
      if (!this.#failed) while (this.#projectSlice(Infinity));
      await this.checkpoint();
      await this.#ground.slots.clear();
    } catch (error) {
      this.#note(error); // all that was accepted stays in the journal, and is taken up by the next start
    } finally {
      this.#ground.slots.close();
      this.#behind.close();
      this.#ground.index.close();
      this.#ground.lock.release();
    }
  }

  #tailOf(stream: StreamId): Tail | undefined {
    const damage = this.#damaged.get(stream);
    if (damage) throw damage;
    const known = this.#tails.get(stream)?.tail;
    if (known) return known;
    this.#reconcile(stream);
    return this.#catalog.head(stream);
  }

  /** Where the stream will end once this is durable. */
  #follow({ stream, seq, course, at }: Numbered, bytes: number): void {
    const tail = { seq, course, size: at + bytes };
    const known = this.#tails.get(stream);
    if (!known) this.#tails.set(stream, { tail, underWay: 1, atMs: this.#committedMs });
    else Object.assign(known, { tail, underWay: known.underWay + 1, atMs: this.#committedMs });
  }

  #settle(pos: number, shares: readonly Numbered[], sizes: readonly number[], buffer: Buffer, from: number): Committed {
    for (let n = 0; n < shares.length; n += 1) {
      const { stream, seq, course, at, entry } = shares[n] as Numbered;
      const bytes = sizes[n] ?? 0;
      if (entry) this.#behind.willMove(stream, PLACES[entry.status]);
      this.#catalog.put(stream, { seq, course, size: at + bytes, entry: entry ?? this.#catalog.get(stream)?.entry });
      this.#behind.add(stream, { course, at, bytes, buffer, from });
      from += bytes;
      const known = this.#tails.get(stream);
      if (known) known.underWay -= 1;
    }
    this.#durablePos = pos;
    this.#commits += 1;
    this.#full = undefined;
    this.#background.touched();
    const committed = { pos, lines: shares.map(({ stream, line }) => ({ stream, line })) };
    for (const listener of this.#listeners) this.#tell(listener, committed);
    return committed;
  }

  #tell(listener: (committed: Committed) => void, committed: Committed): void {
    try {
      listener(committed);
    } catch (error) {
      // Not the other commits' concern, and not to be swallowed.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  /** Everything that was numbered after it fails with it, so the numbers are free again. */
  #fail(fault: Fault): Fault {
    this.#tails.clear();
    this.#pos = this.#durablePos;
    if (fault.code === "log_full") this.#full = fault;
    return fault;
  }

  async #reading<Value>(stream: StreamId, read: () => Promise<Value>): Promise<Value> {
    if (this.#closing) throw closed();
    const damage = this.#damaged.get(stream);
    if (damage) throw damage;
    try {
      this.#reconcile(stream);
      return await this.#during(read());
    } catch (error) {
      if (error instanceof Fault && error.code === "log_corrupt") this.#damaged.set(stream, error);
      throw this.#translated(error);
    }
  }

  #reconcile(stream: StreamId): void {
    this.#notices.push(...this.#reconciler.check(stream));
    this.#pos = Math.max(this.#pos, this.#reconciler.pos);
    this.#durablePos = Math.max(this.#durablePos, this.#reconciler.pos);
  }

  #writeSlice(): boolean {
    this.#round ??= this.#behind.pending();
    const hasMore = this.#behind.slice(this.#round);
    if (!hasMore) this.#round = undefined;
    return hasMore;
  }

  /** Returns whether any are left. */
  #projectSlice(nowMs = performance.now()): boolean {
    try {
      this.#projections.slice(nowMs);
    } catch (error) {
      this.#note(error);
      if (nowMs === Infinity) return false;
    }
    return !this.#projections.isEmpty;
  }

  #folderOf(stream: StreamId): string {
    return this.#layout.folder(stream, this.#behind.placeOf(stream));
  }

  #during<Value>(work: Promise<Value>): Promise<Value> {
    this.#busy.add(work);
    return work.finally(() => this.#busy.delete(work));
  }

  /** A failure of something that is tried again, or may be left undone. */
  #note(error: unknown): void {
    const fault = this.#translated(error);
    if (fault instanceof Fault && fault.code === "log_unavailable" && error === fault) this.#failed = fault;
    const text = fault instanceof Error ? fault.message : String(fault);
    if (!this.#notices.includes(text)) this.#notices.push(text);
  }

  #translated(error: unknown): unknown {
    if (codeOf(error) === undefined || error instanceof Fault) return error;
    return isFull(error) ? full(this.#disk, this.#layout, error) : notConfirmed(error);
  }
}
