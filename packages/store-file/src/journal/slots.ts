import { advance, type Disk, writeAll } from "../disk/disk.ts";
import type { Layout } from "../disk/layout.ts";
import { aMoment, type Pace } from "../disk/pace.ts";

// The journal is a few files of fixed size, filled with zeros in advance: a commit then changes no file's length, needs no space, and costs
// one synced write. A slot is free → active (commits go there) → sealed (its commits are being moved into course files) → free. Each time a
// slot becomes active it begins a new generation at its start; older bytes after that are never read again.

export interface SlotOptions {
  readonly slotBytes: number;
  readonly slots: number;
}

/** The content of a slot when the store was opened. */
export interface FoundSlot {
  readonly size: number;
  /** 0 without live records. */
  readonly generation: number;
  readonly used: number;
  /** The live records, byte for byte. */
  readonly live: Buffer | undefined;
}

export interface Slot {
  readonly path: string;
  fd: number | undefined;
  /** Filled up to here. */
  size: number;
  /** 0: free. */
  generation: number;
  /** Position of the next record. Everything before it is synced. */
  end: number;
  /** Of the record before. */
  checksum: number;
  /** Everything from here on is zeros. */
  used: number;
}

/** Room for the record that begins a generation. */
const HEADER_BYTES = 256;

interface SlotParts {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly pace: Pace;
}

export class Slots {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #pace: Pace;
  readonly #options: SlotOptions;
  readonly #all: Slot[] = [];
  #preparing: Promise<void> | undefined;

  constructor({ disk, layout, pace }: SlotParts, options: SlotOptions, found: readonly FoundSlot[]) {
    this.#disk = disk;
    this.#layout = layout;
    this.#pace = pace;
    this.#options = options;
    for (let n = 0; n < Math.max(options.slots, found.length); n += 1) {
      const { size = 0, generation = 0, used = 0 } = found[n] ?? {};
      this.#all.push({ path: layout.slot(n), fd: undefined, size, generation, end: 0, used, checksum: 0 });
    }
  }

  /** A free slot that takes this many bytes without being filled first. */
  ready(bytes: number): Slot | undefined {
    return this.#all.find((slot) => slot.generation === 0 && slot.size >= bytes + HEADER_BYTES);
  }

  isAnyFree(): boolean {
    return this.#all.some((slot) => slot.generation === 0);
  }

  isAnyTaken(): boolean {
    return this.#all.some((slot) => slot.generation > 0);
  }

  /** Fills a free slot with zeros. */
  async prepare(bytes: number): Promise<void> {
    await this.#preparing;
    const free = this.#all.find((slot) => slot.generation === 0);
    if (free && !this.ready(bytes)) await this.#grow(free, Math.max(this.#options.slotBytes, bytes + HEADER_BYTES));
  }

  /** The next slot is ready before it is needed. */
  prepareAhead(active: Slot): void {
    const next = this.#all.find((slot) => slot.generation === 0);
    if (this.#preparing || !next || this.#all.some((slot) => slot !== active && slot.size > 0)) return;
    // A failure recurs, and is reported, at the commit that needs the room.
    this.#preparing = this.#grow(next, this.#options.slotBytes)
      .catch(() => {})
      .finally(() => (this.#preparing = undefined));
  }

  /** Everything up to this generation is in course files and index. */
  free(generation: number): void {
    for (const slot of this.#all) if (slot.generation <= generation) slot.generation = 0;
  }

  /**
   * Rewrites and syncs what was found. It may come from a process that died before its sync, or whose sync failed: the page cache then
   * shows data that the disk does not have, and marks it clean.
   */
  async confirm(found: readonly FoundSlot[]): Promise<void> {
    for (const [n, { live }] of found.entries()) {
      const slot = this.#all[n];
      if (!slot || !live) continue;
      for (let at = 0; at < live.length;) at += advance(await this.#disk.writeSyncedAsync(this.descriptor(slot), live.subarray(at), at));
    }
  }

  /** Zeros over all records, so that no content lingers in an empty journal. */
  async clear(): Promise<void> {
    await this.#preparing;
    for (const slot of this.#all) {
      if (slot.used === 0 || slot.generation !== 0) continue;
      await this.#fill(slot, 0, slot.used);
      slot.used = 0;
    }
  }

  descriptor(slot: Slot): number {
    return (slot.fd ??= this.#disk.open(slot.path, "synced"));
  }

  async close(): Promise<void> {
    await this.#preparing;
    for (const slot of this.#all) {
      if (slot.fd !== undefined) this.#disk.close(slot.fd);
      slot.fd = undefined;
    }
  }

  async #grow(slot: Slot, size: number): Promise<void> {
    const isNew = slot.size === 0;
    if (isNew) this.#disk.makeFolder(this.#layout.journal);
    await this.#fill(slot, slot.size, size);
    if (isNew) {
      await this.#disk.syncFolder(this.#layout.journal);
      await this.#disk.syncFolder(this.#layout.dialogs);
    }
    slot.size = size;
  }

  async #fill(slot: Slot, from: number, to: number): Promise<void> {
    const fd = this.#disk.open(slot.path, "write");
    try {
      const zeros = Buffer.alloc(Math.min(1 << 20, to - from));
      for (let at = from; at < to; at += zeros.length) {
        writeAll(this.#disk, fd, zeros.subarray(0, Math.min(zeros.length, to - at)), at);
        await aMoment(this.#pace);
      }
      await this.#disk.sync(fd);
    } catch (error) {
      this.#disk.truncate(fd, Math.max(slot.size, slot.used)); // half a slot is useless, and others need the room
      throw error;
    } finally {
      this.#disk.close(fd);
    }
  }
}
