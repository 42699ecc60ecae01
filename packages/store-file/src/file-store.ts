import { folderBytes } from "./disk/folder-bytes.ts";
import { type Entry, Fault, type Line, PROJECT_STREAM, type RootId, type Snapshot, type Status, type StreamId } from "@colloquy/schema";
import {
  closed,
  conflict,
  type Committed,
  type ListQuery,
  type LogCursor,
  type Opened,
  type Past,
  type Projection,
  type Store,
  type StoreHealth,
  type StreamPart,
} from "@colloquy/store";
import { Blobs } from "./courses/blobs.ts";
import type { Catalog } from "./catalog.ts";
import { Commits } from "./commits.ts";
import { Condition } from "./inspect/condition.ts";
import { codeOf, type Disk, replaceCache } from "./disk/disk.ts";
import { corrupt, isOfOneFile, unreadable } from "./inspect/faults.ts";
import type { IndexFile } from "./courses/index-file.ts";
import { entryFrom } from "./courses/index-row.ts";
import { fileCursor } from "./file-cursor.ts";
import { Journal, type Position } from "./journal/journal.ts";
import type { Layout } from "./disk/layout.ts";
import type { Lock } from "./disk/lock.ts";
import { aMoment, type Pace } from "./disk/pace.ts";
import { Projections } from "./projections.ts";
import { Reconciler } from "./journal/reconcile.ts";
import type { Slots } from "./journal/slots.ts";
import { snapshotText } from "./courses/snapshot-file.ts";
import { stagePast } from "./courses/stage-past.ts";
import { StreamReader } from "./courses/stream-reader.ts";
import { Upkeep } from "./upkeep.ts";
import type { WriteBehind } from "./courses/write-behind.ts";

/** Rows of the index that are read between two looks at other work. */
const MAX_ROWS_AT_ONCE = 500;

/** What opening a project found and made. */
export interface Ground {
  readonly disk: Disk;
  readonly pace: Pace;
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
  readonly isBackground: boolean;
}

/**
 * The store in a project's folder. A commit is one record in the journal; from there its lines go into course files and its entries into
 * the index, and only then is its place in the journal freed.
 */
export class FileStore implements Store {
  readonly crashed: boolean;
  readonly #ground: Ground;
  readonly #catalog: Catalog;
  readonly #condition: Condition;
  readonly #commits: Commits;
  readonly #journal: Journal;
  readonly #upkeep: Upkeep;
  readonly #reader: StreamReader;
  readonly #reconciler: Reconciler;
  readonly #projections: Projections;
  readonly #blobs: Blobs;
  readonly #damaged = new Map<StreamId, Fault>();
  /** Streams whose files could not be opened the last time; permissions may change, so each read tries again. */
  readonly #unreadable = new Map<StreamId, Fault>();
  readonly #busy = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  #commitMs = 0;

  constructor(ground: Ground) {
    const { disk, pace, layout, catalog, behind, slots } = (this.#ground = ground);
    behind.onStuck = (stream, error) => {
      const folder = layout.name(layout.folder(stream, behind.placeOf(stream)));
      this.#damaged.set(stream, unreadable(stream, folder, error));
    };
    this.crashed = ground.crashed;
    this.#catalog = catalog;
    const condition = (this.#condition = new Condition(disk, layout, ground.notices));
    this.#reader = new StreamReader(disk, layout, catalog, behind);
    this.#reconciler = new Reconciler(ground, this.#reader);
    this.#journal = new Journal(ground, {
      emptySlots: () => this.#upkeep.emptySlots(),
      onFilling: () => this.#upkeep.checkpointSoon(),
      onFailed: (fault) => (condition.failed = fault),
    });
    this.#commits = new Commits(
      { ...ground, journal: this.#journal, condition },
      { examine: (stream) => this.#examine(stream), onSettled: () => this.#upkeep.touched(), onDeleted: (rootId) => this.#deleted(rootId) },
    );
    const folderOf = (rootId: RootId) => layout.folder(rootId, behind.placeOf(rootId));
    this.#blobs = new Blobs(disk, folderOf);
    this.#projections = new Projections(disk, pace, {
      folderOf,
      changedMs: (rootId) => this.#commits.changedMs(rootId),
      onWritten: (rootId, seq) => {
        // Files submitted before the last commit are outdated; newer ones will come.
        if (seq === undefined || seq === catalog.head(rootId)?.seq) catalog.projected(rootId);
        this.#upkeep.touched();
      },
    });
    this.#upkeep = new Upkeep(
      { ...ground, condition, projections: this.#projections },
      {
        seal: () => this.#journal.seal(),
        pos: () => this.#commits.pos,
        quietMs: () => this.#commits.quietMs,
        onCheckpoint: () => this.#commits.forgetResting(),
      },
    );
    if (slots.isAnyTaken() || catalog.hasFresh()) this.#upkeep.touched();
  }

  /** Checks the streams that lost something in the journal. */
  async lookCloser(): Promise<void> {
    for (const stream of this.#ground.suspects) await this.read(stream, 0).catch(() => {}); // remembered as damaged
  }

  commit(parts: readonly StreamPart[], atMs: number): Promise<Committed> {
    const refusal = this.#closing ? closed() : (this.#condition.failed ?? this.#damageAmong(parts));
    if (refusal) return Promise.reject(refusal);
    const startedMs = this.#ground.pace.nowMs();
    const added = this.#commits.add(parts, atMs);
    void added.then(
      () => (this.#commitMs += this.#ground.pace.nowMs() - startedMs),
      () => undefined, // the caller that committed is told
    );
    return added;
  }

  async stage(stream: RootId, past: Past): Promise<Pick<Snapshot, "seq">> {
    const refusal = this.#closing ? closed() : this.#condition.failed;
    if (refusal) throw refusal;
    // The journal would delete it once more.
    if (this.#ground.behind.isDeleted(stream)) await this.#upkeep.emptySlots();
    // Its folder may still be where the past would go.
    if (this.#catalog.head(stream)) throw conflict(stream, 0, this.#catalog.head(stream)?.seq ?? 0);
    const { disk, layout, pace } = this.#ground;
    try {
      const tail = await this.#during(stagePast({ disk, layout, pace }, stream, past));
      this.#commits.staged(stream, tail);
      return tail;
    } catch (error) {
      throw this.#condition.translated(error);
    }
  }

  async read(stream: StreamId, after: number, limit?: number): Promise<readonly Line[]> {
    return this.#reading(stream, () => this.#reader.read(stream, after, limit));
  }

  async open(stream: StreamId, reducer: number): Promise<Opened | undefined> {
    return this.#reading(stream, () => this.#reader.open(stream, reducer));
  }

  async markDamaged(stream: StreamId, seq: number, cause: unknown): Promise<Fault> {
    const fault = corrupt(stream, await this.#reader.placeOfEvent(stream, seq), cause);
    this.#damaged.set(stream, fault);
    return fault;
  }

  damageOf(rootId: RootId): string | undefined {
    const known = this.#damaged.get(rootId) ?? this.#unreadable.get(rootId);
    if (known || this.#closing) return known?.message;
    try {
      if (!this.#reconciler.looksWhole(rootId)) this.#examine(rootId);
      return undefined;
    } catch (error) {
      return this.#damage(rootId, error)?.message;
    }
  }

  async saveSnapshot(stream: StreamId, snapshot: Snapshot): Promise<void> {
    const before = this.#catalog.head(stream);
    // A snapshot built on commits in flight must not survive their failure.
    if (snapshot.seq > (before?.seq ?? 0)) await this.#commits.whenDurable();
    const head = this.#catalog.head(stream);
    if (this.#closing || !head || snapshot.seq > head.seq) return;
    const { disk, layout, behind } = this.#ground;
    // Others keep committing: the end of the snapshot's last line is unknown, but it is not before here.
    const { course, size, seq } = before && before.seq <= snapshot.seq ? before : { course: 0, size: 0, seq: 0 };
    const place = behind.placeOf(stream);
    try {
      disk.makeFolder(layout.folder(stream, place));
      replaceCache(disk, layout.snapshot(stream, place), Buffer.from(snapshotText({ snapshot, course, at: size, after: seq })));
    } catch (error) {
      this.#condition.note(error); // a cache, which may be missing
    }
  }

  list(query: ListQuery = {}): readonly Entry[] {
    return this.#catalog.list(query).flatMap((rootId) => this.entry(rootId) ?? []);
  }

  has(rootId: RootId): boolean {
    return this.#catalog.statusOf(rootId) !== undefined;
  }

  entry(rootId: RootId): Entry | undefined {
    const text = this.#catalog.get(rootId)?.entry?.text;
    return text === undefined ? undefined : entryFrom(text);
  }

  find(digits: string, limit: number): readonly RootId[] {
    return this.#catalog.find(digits, limit);
  }

  count(status?: Status): number {
    return this.#catalog.count(status);
  }

  openQuestions(): number {
    const { counted, uncounted } = this.#catalog.questions();
    return uncounted.reduce((sum, rootId) => sum + (this.entry(rootId)?.questions?.length ?? 0), counted);
  }

  asking(): readonly RootId[] {
    return this.#catalog.marked("asking");
  }

  timed(): readonly RootId[] {
    return this.#catalog.marked("timed");
  }

  faulted(): readonly RootId[] {
    return this.#catalog.marked("faulted");
  }

  hot(): readonly RootId[] {
    return this.#catalog.marked("hot");
  }

  watch(listener: (committed: Committed) => void): () => void {
    return this.#commits.watch(listener);
  }

  cursor(name: string): LogCursor {
    return fileCursor(this.#ground.disk, this.#ground.layout.cursor(name), (work) => {
      if (this.#closing) return Promise.reject(closed());
      return this.#during(work());
    });
  }

  async *changedSince(pos: number): AsyncGenerator<RootId> {
    let looked = 0;
    for (const stream of this.#catalog.streams()) {
      looked += 1;
      if (looked % MAX_ROWS_AT_ONCE === 0) await aMoment(this.#ground.pace);
      if (this.#closing) throw closed();
      if (stream !== PROJECT_STREAM && (this.#catalog.head(stream)?.pos ?? Infinity) > pos) yield stream;
    }
  }

  async putBlob(stream: RootId, name: string, content: Uint8Array): Promise<void> {
    if (this.#closing) throw closed();
    if (this.#ground.behind.isDeleted(stream)) throw conflict(stream, 0, 0);
    await this.#during(this.#blobs.put(stream, name, content)).catch((error: unknown) => {
      throw this.#condition.translated(error);
    });
  }

  async getBlob(stream: RootId, name: string): Promise<Uint8Array | undefined> {
    return this.#ground.behind.isDeleted(stream) ? undefined : this.#blobs.get(stream, name);
  }

  async blobNames(stream: RootId): Promise<readonly string[]> {
    return this.#ground.behind.isDeleted(stream) ? [] : this.#blobs.names(stream);
  }

  project(rootId: RootId, projections: readonly Projection[] | (() => readonly Projection[]), seq?: number): Promise<void> {
    if (!this.has(rootId)) return Promise.resolve(); // it was deleted
    const written = this.#projections.put(rootId, typeof projections === "function" ? projections : () => projections, seq);
    this.#upkeep.toProject();
    return written;
  }

  recovered(): Iterable<RootId> {
    return this.#catalog.due();
  }

  bytes(): Promise<number> {
    return folderBytes(this.#ground.layout.dialogs);
  }

  health(): StoreHealth {
    return {
      kind: "file",
      pos: this.#commits.pos,
      trees: this.count(),
      commits: this.#commits.count,
      syncs: this.#journal.syncs,
      commitMs: this.#commitMs,
      syncMs: this.#journal.syncedMs,
      refusing: this.#condition.refusing ?? (this.#closing && closed().message),
      notices: this.#condition.notices,
    };
  }

  /** Writes pending lines into course files. */
  flush(): Promise<void> {
    return this.#upkeep.flush();
  }

  /** Makes course files and index durable, and the journal empty. */
  checkpoint(): Promise<void> {
    return this.#upkeep.checkpoint();
  }

  close({ asCrashed = false } = {}): Promise<void> {
    return (this.#closing ??= this.#close(asCrashed));
  }

  async #close(asCrashed: boolean): Promise<void> {
    const { behind, slots, index, lock } = this.#ground;
    await Promise.allSettled([this.#commits.whenDurable(), ...this.#busy]);
    await this.#upkeep.finish();
    // Whatever failed: from here on the project may belong to another process.
    await behind.whenWritten();
    await slots.close();
    index.close();
    if (asCrashed) lock.abandon();
    else lock.release();
  }

  async #reading<Value>(stream: StreamId, read: () => Promise<Value>): Promise<Value> {
    if (this.#closing) throw closed();
    try {
      this.#examine(stream);
      const value = await this.#during(read());
      this.#unreadable.delete(stream);
      return value;
    } catch (error) {
      throw this.#damage(stream, error) ?? this.#condition.translated(error);
    }
  }

  /** A fault of this stream alone, which is remembered; undefined if it concerns the store. */
  #damage(stream: StreamId, error: unknown): Fault | undefined {
    const { layout, behind } = this.#ground;
    const fault = isOfOneFile(error) ? unreadable(stream, layout.name(layout.folder(stream, behind.placeOf(stream))), error) : error;
    if (!(fault instanceof Fault) || fault.code !== "log_corrupt") return undefined;
    (codeOf(fault.cause) === undefined ? this.#damaged : this.#unreadable).set(stream, fault);
    return fault;
  }

  #deleted(rootId: RootId): void {
    this.#damaged.delete(rootId);
    this.#unreadable.delete(rootId);
    this.#projections.drop(rootId);
    this.#blobs.forget(rootId);
  }

  #damageAmong(parts: readonly StreamPart[]): Fault | undefined {
    if (this.#damaged.size === 0) return undefined;
    for (const { stream } of parts) if (this.#damaged.has(stream)) return this.#damaged.get(stream);
    return undefined;
  }

  #examine(stream: StreamId): void {
    const damage = this.#damaged.get(stream);
    if (damage) throw damage;
    try {
      this.#condition.found(this.#reconciler.check(stream));
    } catch (error) {
      throw this.#damage(stream, error) ?? error;
    }
    this.#commits.raise(this.#reconciler.pos);
  }

  #during<Value>(work: Promise<Value>): Promise<Value> {
    this.#busy.add(work);
    return work.finally(() => this.#busy.delete(work));
  }
}
