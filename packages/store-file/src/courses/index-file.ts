import { crc32 } from "node:zlib";
import { Catalog } from "../catalog.ts";
import { type Disk, isFull, writeAll } from "../disk/disk.ts";
import { notConfirmed } from "../inspect/faults.ts";
import { type IndexRow, rowHead, rowText } from "./index-row.ts";
import type { Layout } from "../disk/layout.ts";
import { aMoment, type Pace, realPace } from "../disk/pace.ts";

// `index.jsonl`: rows as in index-row.ts, later ones win. Each append ends with a line that vouches for what came since the last such line:
//   {"meta":1,"v":3,"pos":812,"freed":7,"bytes":4096,"crc":123}
// `pos`: the last commit that is in. `freed`: journal generations up to this one are in. An append without its last line never happened.
/** Raised with the format of a row: an older index is rebuilt. */
const VERSION = 3;
const CHUNK = 1 << 20;

export interface Meta {
  readonly pos: number;
  readonly freed: number;
}

export type Loaded = {
  readonly catalog: Catalog;
  readonly meta: Meta;
  /** After the last complete append there are unconfirmed bytes. */
  readonly hasTail: boolean;
};

/** The index on disk. Everything in it can be derived from the course files, so a lost one is rebuilt. */
export class IndexFile {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #pace: Pace;
  /** Files smaller than this are not worth rewriting. */
  readonly #compactAt: number;
  #fd: number | undefined;
  #end = 0;
  /** Start of the last append. */
  #lastAt = 0;
  /** After the end there may be an unfinished append. */
  #isRagged = true;
  /** The file's current content. */
  #meta: Meta = { pos: 0, freed: 0 };

  constructor(disk: Disk, layout: Layout, pace: Pace = realPace, compactAt = 1 << 20) {
    this.#disk = disk;
    this.#layout = layout;
    this.#pace = pace;
    this.#compactAt = compactAt;
  }

  /** Undefined: missing or damaged, to be rebuilt from the course files. */
  load(): Loaded | undefined {
    const size = this.#disk.stat(this.#layout.index)?.size ?? 0;
    if (size === 0) return undefined;
    const first = this.#load(size);
    if (!first || first.end === size) return first && { ...first, hasTail: false };
    const cut = this.#load(first.end);
    return cut && { ...cut, hasTail: true };
  }

  /**
   * Rewrites and syncs the last append. It may come from a process that died before its sync, or whose sync failed: the page cache then
   * shows data that the disk does not have, and marks it clean. Earlier appends were synced before it began.
   */
  async confirm(): Promise<void> {
    if (this.#end === 0) return;
    const fd = this.#descriptor();
    const append = Buffer.allocUnsafe(this.#end - this.#lastAt);
    this.#disk.read(fd, append, this.#lastAt);
    writeAll(this.#disk, fd, append, this.#lastAt);
    await this.#disk.sync(fd);
  }

  /** A catalog for a file that is written from scratch. */
  empty(): Catalog {
    [this.#end, this.#lastAt, this.#meta] = [0, 0, { pos: 0, freed: 0 }];
    return new Catalog(this.#readLine);
  }

  /** Adds rows. Durable once resolved. */
  async append(catalog: Catalog, rows: readonly IndexRow[], meta: Meta): Promise<void> {
    const isStale = this.#end > this.#compactAt && this.#end > 2 * catalog.liveBytes;
    // Nothing of a deleted tree stays, its title and first words included.
    const isDeleting = rows.some(({ known }) => !known);
    if (isStale || (isDeleting && this.#end > 0)) await this.#compact(catalog).catch(unlessFull);
    const texts = rows.map(rowText);
    const body = Buffer.from(texts.join(""));
    const all = Buffer.concat([body, vouch(meta, body.length, crc32(body))]);
    const fd = this.#descriptor();
    const isNew = this.#end === 0;
    if (this.#isRagged) this.#disk.truncate(fd, this.#end);
    this.#isRagged = true;
    writeAll(this.#disk, fd, all, this.#end);
    try {
      await this.#disk.sync(fd);
      if (isNew) await this.#disk.syncFolder(this.#layout.dialogs);
    } catch (error) {
      throw notConfirmed(error);
    }
    for (const [n, row] of rows.entries()) {
      const bytes = Buffer.byteLength(texts[n] ?? "");
      catalog.wrote(row, this.#end, bytes);
      this.#end += bytes;
    }
    this.#end += all.length - body.length;
    this.#meta = meta;
    this.#isRagged = false;
  }

  close(): void {
    if (this.#fd !== undefined) this.#disk.close(this.#fd);
    this.#fd = undefined;
  }

  #load(size: number): { catalog: Catalog; meta: Meta; end: number } | undefined {
    const catalog = this.empty();
    let last: { meta: Meta; at: number; end: number } | undefined;
    let isBad = false;
    let [crc, since] = [0, 0];
    for (const { chunk, at: base } of this.#chunks(size)) {
      let from = 0;
      for (let at = 0, next = 0; at < chunk.length; at = next) {
        next = chunk.indexOf(10, at) + 1;
        const head = rowHead(chunk, at, next);
        if (head) catalog.loaded(chunk, head, base + at, next - at);
        const meta = head ? undefined : parseMeta(chunk, at, next);
        if (!meta) continue; // any other line fails the checksum
        if (meta.crc !== crc32(chunk.subarray(from, at), crc) || meta.bytes !== since + at - from || meta.v !== VERSION) isBad = true;
        else if (isBad) return undefined; // bad at the end: it was being written; bad before a good end: damage
        else last = { meta, at: last?.end ?? 0, end: base + next };
        [crc, since, from] = [0, 0, next];
      }
      crc = crc32(chunk.subarray(from), crc);
      since += chunk.length - from;
    }
    if (last) [this.#end, this.#lastAt, this.#meta] = [last.end, last.at, last.meta];
    return last && { catalog, ...last };
  }

  /** Writes the current rows into a new file, which replaces the old one. */
  async #compact(catalog: Catalog): Promise<void> {
    const path = `${this.#layout.index}.tmp`;
    const fd = this.#disk.open(path, "write");
    const moved: { row: number; at: number }[] = [];
    let [end, crc] = [0, 0];
    try {
      this.#disk.truncate(fd, 0);
      for (const { chunk, at: base } of this.#chunks(this.#end)) {
        const kept: Buffer[] = [];
        for (let at = 0, next = 0; at < chunk.length; at = next) {
          next = chunk.indexOf(10, at) + 1;
          const head = rowHead(chunk, at, next);
          const row = head && catalog.rowAt(chunk, head, base + at);
          if (row === undefined) continue;
          kept.push(chunk.subarray(at, next));
          moved.push({ row, at: end });
          end += next - at;
        }
        const bytes = Buffer.concat(kept);
        writeAll(this.#disk, fd, bytes, end - bytes.length);
        crc = crc32(bytes, crc);
        await aMoment(this.#pace);
      }
      const last = vouch(this.#meta, end, crc);
      writeAll(this.#disk, fd, last, end);
      await this.#disk.sync(fd);
      this.#disk.rename(path, this.#layout.index);
      end += last.length;
    } catch (error) {
      this.#disk.close(fd);
      this.#disk.remove(path);
      throw error;
    }
    this.close();
    this.#fd = fd;
    this.#end = end;
    for (const { row, at } of moved) catalog.moved(row, at);
    // From here on appends go there: without its name they would be lost.
    await this.#disk.syncFolder(this.#layout.dialogs).catch((error: unknown) => {
      throw notConfirmed(error);
    });
  }

  /** Complete lines, about a megabyte at a time. A partial last line is left out. */
  *#chunks(size: number): Generator<{ chunk: Buffer; at: number }> {
    let buffer = Buffer.allocUnsafe(Math.min(CHUNK, size));
    for (let at = 0; at < size;) {
      const read = this.#disk.read(this.#descriptor(), buffer.subarray(0, Math.min(buffer.length, size - at)), at);
      const end = buffer.subarray(0, read).lastIndexOf(10) + 1;
      if (end > 0) yield { chunk: buffer.subarray(0, end), at };
      else if (read < buffer.length || at + read === size) return;
      else buffer = Buffer.allocUnsafe(buffer.length * 2);
      at += end;
    }
  }

  readonly #readLine = (at: number, bytes: number): string => {
    const line = Buffer.allocUnsafe(bytes);
    this.#disk.read(this.#descriptor(), line, at);
    return line.toString();
  };

  #descriptor(): number {
    return (this.#fd ??= this.#disk.open(this.#layout.index, "write"));
  }
}

/** Compacting needs free space; without it the long file stays in use. */
function unlessFull(error: unknown): void {
  if (!isFull(error)) throw error;
}

const vouch = ({ pos, freed }: Meta, bytes: number, crc: number): Buffer =>
  Buffer.from(`${JSON.stringify({ meta: 1, v: VERSION, pos, freed, bytes, crc })}\n`);

function parseMeta(chunk: Buffer, at: number, end: number): (Meta & { v: number; bytes: number; crc: number }) | undefined {
  if (chunk.toString("latin1", at, at + 8) !== '{"meta":') return undefined;
  try {
    return JSON.parse(chunk.toString("utf8", at, end)) as Meta & { v: number; bytes: number; crc: number };
  } catch {
    return undefined; // a damaged one confirms nothing
  }
}
