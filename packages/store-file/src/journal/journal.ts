import { Bug, Fault } from "@colloquy/schema";
import { Arena } from "./arena.ts";
import { advance, type Disk, isFull } from "../disk/disk.ts";
import { full, notConfirmed } from "../inspect/faults.ts";
import type { Layout } from "../disk/layout.ts";
import type { Pace } from "../disk/pace.ts";
import { HEAD_BYTES, KIND, seal } from "./record.ts";
import type { Slot, Slots } from "./slots.ts";

/** Called when a record is durable, with the buffer and position of its payload, or with the reason why it is not. */
export interface Writer {
  settle(buffer: Buffer, at: number): void;
  fail(fault: Fault): void;
}

interface Queued {
  /** In the arena. */
  readonly at: number;
  readonly end: number;
  readonly writer: Writer;
}

/** The records of one write. */
interface Waiting {
  readonly batch: readonly Queued[];
  readonly settle: () => void;
  /** Nobody is told before the current call returns. */
  readonly isAside: boolean;
}

/** A position in the journal: everything of that generation before `end`. */
export interface Position {
  readonly generation: number;
  readonly end: number;
}

export interface JournalParts {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly slots: Slots;
  readonly pace: Pace;
  /** How far it was written. */
  readonly last: Position;
}

/** What the journal needs from the store. */
export interface JournalHost {
  /** Moves sealed records into course files and index, so that their slots become free. */
  emptySlots(): Promise<void>;
  /** Enough has been written that slots should be emptied soon. */
  onFilling(): void;
  onFailed(fault: Fault): void;
}

/** Above this, a single commit waits in the thread pool rather than on the main thread. */
const SLOW_SYNC_MS = 0.5;
const SMALL_WRITE = 1 << 16;
/** With this much waiting, a write begins at once; later commits fill the next one meanwhile. */
const EAGER_BYTES = 1 << 15;
const MAX_WRITE = 1 << 20;

/** One writer for all commits: everything waiting when it starts is one write and one sync. */
export class Journal {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #slots: Slots;
  readonly #pace: Pace;
  readonly #host: JournalHost;
  readonly #arena = new Arena();
  #active: Slot | undefined;
  /** The newest generation ever begun, and the newest with a record. */
  #generation: number;
  #last: Position;
  #queue: Queued[] = [];
  #isScheduled = false;
  #writing: Promise<void> | undefined;
  #makingRoom: Promise<void> | undefined;
  #syncMs = 0;
  #failed: Fault | undefined;
  syncs = 0;
  syncedMs = 0;

  constructor({ disk, layout, slots, pace, last }: JournalParts, host: JournalHost) {
    this.#disk = disk;
    this.#layout = layout;
    this.#slots = slots;
    this.#pace = pace;
    this.#generation = last.generation;
    this.#last = last;
    this.#host = host;
  }

  /** Adds a record whose payload `encode` writes into the arena. */
  append<Result>(encode: (arena: Arena) => Result, writer: Writer): Result {
    const at = this.#arena.end;
    const result = this.#encoded(encode);
    this.#queue.push({ at, end: this.#arena.end, writer });
    if (this.#arena.waiting < EAGER_BYTES || this.#queue.length === 1) this.#schedule();
    else this.#flush(true);
    return result;
  }

  #encoded<Result>(encode: (arena: Arena) => Result): Result {
    const at = this.#arena.end;
    try {
      this.#arena.skip(HEAD_BYTES);
      return encode(this.#arena);
    } catch (error) {
      this.#arena.backTo(at);
      throw error;
    }
  }

  /** Closes the active slot for new records. Returns the newest generation that can be emptied. */
  async seal(): Promise<number> {
    const generation = this.#active?.generation ?? this.#last.generation;
    this.#active = undefined;
    await this.#writing;
    return generation;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#writing || this.#makingRoom) return;
    this.#isScheduled = true;
    // Commits until then share the sync.
    this.#pace.soon(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  /** `isAside`: nobody is told before this returns, because the current caller needs it first. */
  #flush(isAside = false): void {
    const first = this.#queue[0];
    if (!first || this.#writing || this.#makingRoom) return;
    if (this.#failed) return this.#rejectAll(this.#failed);
    const slot = this.#slotFor(first.end - first.at);
    if (!slot) return this.#awaitRoom(first.end - first.at);

    const start = slot.end === 0 ? this.#header(slot) : first.at;
    const { buffer, base } = this.#arena;
    let taken = 0;
    let end = start;
    for (const record of this.#queue) {
      if (slot.end + record.end - start > slot.size || (taken > 0 && record.end - start > MAX_WRITE)) break;
      this.#sealRecord(slot, record.at, record.end, KIND.commit);
      end = record.end;
      taken += 1;
    }
    const batch = this.#take(taken);
    this.#arena.taken(end);
    const settle = () => {
      for (const { at, writer } of batch) writer.settle(buffer, at - base + HEAD_BYTES);
    };
    this.#write(slot, buffer.subarray(start - base, end - base), { batch, settle, isAside });
  }

  /** The record that begins a generation states how far the previous one was written. */
  #header(slot: Slot): number {
    const text = JSON.stringify({ v: 1, before: this.#last });
    const at = this.#arena.prefix(HEAD_BYTES + text.length);
    this.#arena.buffer.write(text, at - this.#arena.base + HEAD_BYTES);
    this.#sealRecord(slot, at, at + HEAD_BYTES + text.length, KIND.header);
    return at;
  }

  #sealRecord(slot: Slot, at: number, end: number, kind: number): void {
    const head = { generation: slot.generation, bytes: end - at - HEAD_BYTES, before: slot.checksum, synced: slot.end, kind };
    slot.checksum = seal(this.#arena.buffer, at - this.#arena.base, head);
  }

  #take(count = this.#queue.length): Queued[] {
    const taken = this.#queue;
    this.#queue = taken.splice(count);
    return taken;
  }

  #write(slot: Slot, bytes: Buffer, { batch, settle, isAside }: Waiting): void {
    slot.used = Math.max(slot.used, slot.end + bytes.length);
    const startedMs = this.#pace.nowMs();
    const written = () => {
      const tookMs = this.#pace.nowMs() - startedMs;
      this.syncedMs += tookMs;
      this.#syncMs += (tookMs - this.#syncMs) / 8;
      this.#written(slot, bytes.length, settle);
    };
    if (!isAside && batch.length === 1 && bytes.length < SMALL_WRITE && this.#syncMs < SLOW_SYNC_MS) {
      try {
        const fd = this.#slots.descriptor(slot);
        for (let at = 0; at < bytes.length;) at += advance(this.#disk.writeSynced(fd, bytes.subarray(at), slot.end + at));
      } catch (error) {
        return this.#notWritten(slot, batch, error);
      }
      return written();
    }
    const write = async () => {
      const fd = this.#slots.descriptor(slot);
      for (let at = 0; at < bytes.length;) at += advance(await this.#disk.writeSyncedAsync(fd, bytes.subarray(at), slot.end + at));
    };
    // Done before anyone is told, so that their next commits can start the next write.
    const over = (next: () => void) => {
      this.#writing = undefined;
      next();
    };
    this.#writing = write().then(
      () => over(written),
      (error: unknown) => over(() => this.#notWritten(slot, batch, error)),
    );
  }

  #written(slot: Slot, bytes: number, settle: () => void): void {
    slot.end += bytes;
    this.#last = { generation: slot.generation, end: slot.end };
    this.syncs += 1;
    settle();
    if (this.#queue.length > 0) this.#schedule();
    if (slot.end > slot.size / 4) this.#slots.prepareAhead(slot);
    if (slot.end > (slot.size / 4) * 3) this.#host.onFilling();
  }

  #notWritten(slot: Slot, batch: readonly Queued[], error: unknown): void {
    this.#queue = [...batch, ...this.#queue];
    if (isFull(error) && this.#takeBack(slot)) this.#rejectAll(full(this.#disk, this.#layout, error));
    else this.#rejectAll(this.#fail(error));
  }

  /** A copy-on-write file system may have no room even here. Partially written records must not be taken for commits later. */
  #takeBack(slot: Slot): boolean {
    try {
      const blank = Buffer.alloc(HEAD_BYTES);
      const isBlank = this.#disk.writeSynced(this.#slots.descriptor(slot), blank, slot.end) === blank.length;
      this.#active = undefined; // the next record goes elsewhere, or here from the start
      if (slot.end === 0) slot.generation = 0;
      return isBlank;
    } catch {
      return false; // whatever the reason, the outcome is unknown, and that is reported
    }
  }

  /** Linux marks pages clean after failing to write them: retrying would report a false success. */
  #fail(error: unknown): Fault {
    this.#failed = error instanceof Fault ? error : notConfirmed(error);
    this.#host.onFailed(this.#failed);
    return this.#failed;
  }

  #rejectAll(fault: Fault): void {
    this.#arena.taken(this.#arena.end);
    for (const { writer } of this.#take()) writer.fail(fault);
  }

  /** A slot with immediate room for a record of this size. */
  #slotFor(bytes: number): Slot | undefined {
    if (this.#active && this.#active.end + bytes <= this.#active.size) return this.#active;
    const free = this.#slots.ready(bytes);
    if (!free) return undefined;
    free.generation = this.#generation += 1;
    free.end = 0;
    free.checksum = 0;
    return (this.#active = free);
  }

  #awaitRoom(bytes: number): void {
    this.#active = undefined;
    this.#makingRoom = this.#makeRoom(bytes)
      .catch((error: unknown) => this.#rejectAll(isFull(error) ? full(this.#disk, this.#layout, error) : this.#fail(error)))
      .finally(() => {
        this.#makingRoom = undefined;
        if (this.#queue.length > 0) this.#schedule();
      });
  }

  async #makeRoom(bytes: number): Promise<void> {
    if (!this.#slots.isAnyFree()) await this.#host.emptySlots();
    try {
      await this.#slots.prepare(bytes);
    } catch (error) {
      if (!isFull(error) || !this.#slots.isAnyTaken()) throw error;
      await this.#host.emptySlots(); // there is no room for another slot, but an existing one may be emptied
      if (!this.#slots.ready(bytes)) throw error;
    }
    if (!this.#slots.ready(bytes)) throw new Bug("Emptying the slots has freed none");
  }
}
