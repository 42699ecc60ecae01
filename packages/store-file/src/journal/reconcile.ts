import { type Fault, PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import type { Catalog, Known } from "../catalog.ts";
import { Course } from "../courses/course.ts";
import { type Disk, readWhole, replaceCache } from "../disk/disk.ts";
import { corrupt } from "../inspect/faults.ts";
import type { Layout } from "../disk/layout.ts";
import type { StreamReader } from "../courses/stream-reader.ts";
import type { WriteBehind } from "../courses/write-behind.ts";

interface ReconcilerParts {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly catalog: Catalog;
  readonly behind: WriteBehind;
}

/**
 * Compares the end of an idle stream's files with the index, before anybody builds on it. A file may be longer, if the journal lost what
 * the file already had, or if somebody restored an older index: complete lines that continue the stream are accepted, a partial one is cut
 * and kept. A shorter file misses something that was accepted.
 */
export class Reconciler {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #catalog: Catalog;
  readonly #behind: WriteBehind;
  readonly #reader: StreamReader;
  /** The highest commit number among the accepted lines. */
  pos = 0;

  constructor({ disk, layout, catalog, behind }: ReconcilerParts, reader: StreamReader) {
    this.#disk = disk;
    this.#layout = layout;
    this.#catalog = catalog;
    this.#behind = behind;
    this.#reader = reader;
  }

  /** Returns notices; throws `log_corrupt`. */
  check(stream: StreamId): readonly string[] {
    const head = this.#catalog.head(stream);
    // The index may be ahead of a file whose last lines are not yet written: the journal has them.
    if (!head || this.#catalog.isFresh(stream) || this.#behind.isPending(stream)) return [];
    const size = this.#sizeOf(stream, head.course);
    const hasNext = this.#hasCourse(stream, head.course + 1);
    if (size === head.size && !hasNext) return [];
    if (size === undefined) {
      const found = this.#behind.locate(stream);
      if (!found) throw corrupt(stream, `${this.#reader.nameOf(stream, head.course)}:1`);
      return [`The folder of ${stream} was in ${found}/; it goes back to where its status says.`, ...this.check(stream)];
    }
    if (!hasNext && this.#isEdited(stream, head, size)) return [];
    if (size < head.size) throw this.#tooShort(stream, head.course);
    return this.#takeIn(stream, head.course, hasNext);
  }

  /** Somebody edited lines by hand without removing any: folding shows whether they still make sense, and which one does not. */
  #isEdited(stream: StreamId, { seq, course }: Pick<Known, "seq" | "course">, size: number): boolean {
    const bytes = readWhole(this.#disk, this.#layout.course(stream, this.#behind.placeOf(stream), course)) ?? Buffer.alloc(0);
    try {
      const file = new Course(stream, this.#reader.nameOf(stream, course), bytes);
      const before = stream === PROJECT_STREAM ? 0 : file.checkpoint().seq;
      if (file.lines(stream === PROJECT_STREAM ? 0 : 1, { seq: before + 1 }).next !== seq + 1) return false;
    } catch {
      return false; // reported by the code that finds the line
    }
    this.#catalog.put(stream, { ...(this.#catalog.get(stream) as Known), size });
    return true;
  }

  /** By its length alone, without side effects: is the newest file complete according to the index? */
  looksWhole(stream: StreamId): boolean {
    const head = this.#catalog.head(stream);
    if (!head || this.#catalog.isFresh(stream) || this.#behind.isPending(stream)) return true;
    const size = this.#sizeOf(stream, head.course) ?? (this.#behind.locate(stream) ? this.#sizeOf(stream, head.course) : undefined);
    return size !== undefined && size >= head.size;
  }

  #takeIn(stream: StreamId, course: number, hasNext: boolean): string[] {
    const known = this.#catalog.get(stream) as Known;
    const path = this.#layout.course(stream, this.#behind.placeOf(stream), course);
    const bytes = readWhole(this.#disk, path) ?? Buffer.alloc(0);
    const end = bytes.lastIndexOf(10) + 1;
    const name = this.#reader.nameOf(stream, course);
    const before = bytes.subarray(0, known.size).toString().split("\n").length;
    const extra = new Course(stream, name, bytes.subarray(known.size, Math.max(end, known.size)), before);
    const { lines, next = known.seq + 1 } = extra.lines(0, { seq: known.seq + 1 });
    const notices: string[] = [];
    if (lines.length > 0) {
      this.pos = Math.max(this.pos, lines.at(-1)?.pos ?? 0);
      this.#catalog.put(stream, { ...known, seq: next - 1, size: end, pos: lines.at(-1)?.pos });
      notices.push(`${name} had ${lines.length} lines that the index did not know; they are taken in.`);
    }
    if (bytes.length > Math.max(end, known.size)) notices.push(this.#cut(path, name, bytes, Math.max(end, known.size)));
    if (!hasNext) return notices;
    const following = this.#layout.course(stream, this.#behind.placeOf(stream), course + 1);
    const followingBytes = readWhole(this.#disk, following) ?? Buffer.alloc(0);
    const checkpointEnd = followingBytes.indexOf(10) + 1;
    if (followingBytes.lastIndexOf(10) < checkpointEnd) return [...notices, this.#putAside(stream, course + 1, following)];
    this.#catalog.put(stream, { ...known, seq: next - 1, course: course + 1, size: checkpointEnd });
    return [...notices, ...this.#takeIn(stream, course + 1, this.#hasCourse(stream, course + 2))];
  }

  /** A course without a complete line after its checkpoint has not begun. */
  #putAside(stream: StreamId, course: number, path: string): string {
    const name = this.#reader.nameOf(stream, course);
    this.#disk.rename(path, `${path}.torn-0`);
    return `The first line of ${name} was cut off; what is left of it is kept in ${name}.torn-0.`;
  }

  #cut(path: string, name: string, bytes: Buffer, at: number): string {
    replaceCache(this.#disk, `${path}.torn-${at}`, bytes.subarray(at));
    const fd = this.#disk.open(path, "write");
    this.#disk.truncate(fd, at);
    this.#disk.close(fd);
    return `The last line of ${name} was cut off; what is left of it is kept in ${name}.torn-${at}.`;
  }

  /** Reports the wrong line; if none is wrong, the lines after the last one are missing. */
  #tooShort(stream: StreamId, course: number): Fault {
    const bytes = readWhole(this.#disk, this.#layout.course(stream, this.#behind.placeOf(stream), course)) ?? Buffer.alloc(0);
    const file = new Course(stream, this.#reader.nameOf(stream, course), bytes);
    if (stream !== PROJECT_STREAM) file.checkpoint();
    file.lines(stream === PROJECT_STREAM ? 0 : 1, { isHistory: true });
    return file.missing();
  }

  #hasCourse(stream: StreamId, course: number): boolean {
    return stream !== PROJECT_STREAM && this.#sizeOf(stream, course) !== undefined;
  }

  #sizeOf(stream: StreamId, course: number): number | undefined {
    return this.#disk.stat(this.#layout.course(stream, this.#behind.placeOf(stream), course))?.size;
  }
}
