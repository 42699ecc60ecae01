import { type Line, PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import type { Opened } from "@colloquy/store";
import type { Catalog, Known } from "../catalog.ts";
import { checkpointSeqAtHead, Course, lastSeq, seqAtHead } from "./course.ts";
import { codeOf, type Disk, readWhole } from "../disk/disk.ts";
import { isOfOneFile, unreadable } from "../inspect/faults.ts";
import type { Layout } from "../disk/layout.ts";
import { placeBefore } from "./line-search.ts";
import { type PlacedSnapshot, snapshotFrom } from "./snapshot-file.ts";
import type { Piece, WriteBehind } from "./write-behind.ts";

type Head = Omit<Known, "entry">;

/** Up to this size a read on the main thread is cheaper than the thread pool. */
const SMALL = 1 << 18;
/** How much of a long file's end is tried first. */
const WINDOW = 1 << 16;
/** A checkpoint states how far it goes within this many bytes. */
const CHECKPOINT_HEAD_BYTES = 128;

/** Reads streams from course files, and from bytes not yet written to them. */
export class StreamReader {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #catalog: Catalog;
  readonly #behind: WriteBehind;

  constructor(disk: Disk, layout: Layout, catalog: Catalog, behind: WriteBehind) {
    this.#disk = disk;
    this.#layout = layout;
    this.#catalog = catalog;
    this.#behind = behind;
  }

  /** Lines with an event after `after`. */
  async read(stream: StreamId, after: number, limit = Infinity): Promise<Line[]> {
    const head = this.#catalog.head(stream);
    if (!head || after >= head.seq || limit <= 0) return [];
    const end = await this.#end(stream, head, after);
    if (end) return end.slice(0, limit);
    const few = limit < Infinity ? await this.#few(stream, head, after, limit) : undefined;
    if (few) return few;
    return this.#forward(stream, head, await this.#coursesBack(stream, head, (seq) => seq <= after), { after, limit, isHistory: true });
  }

  async open(stream: StreamId, reducer: number): Promise<Opened | undefined> {
    const head = this.#catalog.head(stream);
    if (!head) return undefined;
    const placed = this.#snapshot(stream, reducer);
    if (placed && placed.snapshot.seq <= head.seq) {
      const base = placed.snapshot;
      const lines = await this.#linesBehind(stream, head, placed);
      return { base, lines: lines ?? (await this.read(stream, base.seq)) };
    }
    const courses = await this.#coursesBack(stream, head, (seq, ofReducer) => seq > 0 && ofReducer === reducer);
    const first = courses[0]?.checkpoint;
    const base = first && first.seq > 0 && first.reducer === reducer ? first : undefined;
    return { base, lines: this.#forward(stream, head, courses, { after: base?.seq ?? 0, limit: Infinity, isHistory: false }) };
  }

  /** All bytes of a course file, or those after `from`. */
  async bytesOf(stream: StreamId, course: number, from: number, to: number): Promise<Buffer> {
    const pieces = this.#behind.piecesOf(stream, course);
    const bytes = Buffer.alloc(Math.max(0, to - from)); // missing bytes stay zero, which is no line
    const firstPiece = pieces[0]?.at ?? Infinity;
    if (firstPiece > from) await this.#fromFile(stream, course, bytes, from);
    for (const piece of pieces) overlay(bytes, piece, from);
    return bytes;
  }

  /** The file's name in messages. */
  nameOf(stream: StreamId, course: number): string {
    return this.#layout.name(this.#layout.course(stream, this.#behind.placeOf(stream), course));
  }

  /** The file's length including bytes not yet written; undefined if there is none. */
  sizeOf(stream: StreamId, course: number): number | undefined {
    const inFile = this.#disk.stat(this.#layout.course(stream, this.#behind.placeOf(stream), course))?.size;
    const last = this.#behind.piecesOf(stream, course).at(-1);
    return last ? Math.max(inFile ?? 0, last.at + last.bytes) : inFile;
  }

  /** File and line of an event, for messages. */
  async placeOfEvent(stream: StreamId, seq: number): Promise<string> {
    const head = this.#catalog.head(stream);
    for (let course = head?.course ?? 1; course >= 1; course -= 1) {
      const size = course === head?.course ? head.size : (this.sizeOf(stream, course) ?? 0);
      const texts = (await this.bytesOf(stream, course, 0, size)).toString().split("\n");
      const n = texts.findLastIndex((text) => (seqAtHead(text) ?? Infinity) <= seq);
      if (n >= 0) return `${this.nameOf(stream, course)}:${n + 1}`;
    }
    return `${this.nameOf(stream, 1)}:1`;
  }

  #snapshot(stream: StreamId, reducer: number): PlacedSnapshot | undefined {
    try {
      const bytes = readWhole(this.#disk, this.#layout.snapshot(stream, this.#behind.placeOf(stream)));
      return bytes && snapshotFrom(bytes.toString(), reducer);
    } catch {
      return undefined; // a cache: an unreadable one counts as missing
    }
  }

  /** The lines after a snapshot, if they are where it says. */
  async #linesBehind(stream: StreamId, head: Head, { snapshot, course, at, after }: PlacedSnapshot): Promise<Line[] | undefined> {
    if (course !== head.course || at > head.size) return undefined;
    if (after === head.seq) return at === head.size ? [] : undefined;
    try {
      const end = new Course(stream, "", await this.bytesOf(stream, course, at, head.size));
      const { lines, next } = end.lines(0, { seq: after + 1 });
      return next === head.seq + 1 ? lines.filter((line) => lastSeq(line) > snapshot.seq) : undefined;
    } catch {
      return undefined; // then the whole file is read, and reports where it is wrong
    }
  }

  /** From the end of a long file, if that holds enough. */
  async #end(stream: StreamId, head: Head, after: number): Promise<Line[] | undefined> {
    if (head.size <= 2 * WINDOW) return undefined;
    const bytes = await this.bytesOf(stream, head.course, head.size - WINDOW, head.size);
    try {
      const end = new Course(stream, "", bytes.subarray(bytes.indexOf(10) + 1));
      if ((end.seqOf(0) ?? Infinity) > after + 1) return undefined;
      const { lines, next } = end.lines(end.startAfter(after, 0));
      return next === head.seq + 1 ? lines : undefined;
    } catch {
      return undefined; // as above
    }
  }

  /** A few lines from the middle, without reading everything before and after them; undefined if they are not where expected. */
  async #few(stream: StreamId, head: Head, after: number, limit: number): Promise<Line[] | undefined> {
    const course = await this.#courseBehind(stream, head, after);
    if (course === undefined) return undefined;
    const size = course === head.course ? head.size : (this.sizeOf(stream, course) ?? 0);
    const read = (from: number, to: number) => this.bytesOf(stream, course, from, to);
    const from = await placeBefore(read, size, after + 1);
    for (let bytes = WINDOW; ; bytes *= 4) {
      const isAll = from + bytes >= size;
      const found = await read(from, Math.min(from + bytes, size));
      try {
        const file = new Course(stream, "", found.subarray(0, found.lastIndexOf(10) + 1));
        const first = from === 0 && stream !== PROJECT_STREAM ? 1 : 0;
        const start = file.startAfter(after, first);
        if (file.length - start < limit && !isAll) continue;
        const { lines, next } = file.lines(start, { limit });
        const isThere = lines[0] !== undefined && lines[0].seq <= after + 1 && lastSeq(lines[0]) > after;
        if (!isThere && !isAll) continue; // a very long line
        const isEnough = lines.length === limit || next === head.seq + 1;
        return isEnough && isThere ? lines : undefined; // not enough: it continues in another file
      } catch {
        return undefined; // as above
      }
    }
  }

  /** The course of the event after this one. */
  async #courseBehind(stream: StreamId, head: Head, after: number): Promise<number | undefined> {
    if (stream === PROJECT_STREAM) return head.course;
    for (let course = head.course; course >= 1; course -= 1) {
      const seq = checkpointSeqAtHead((await this.bytesOf(stream, course, 0, CHECKPOINT_HEAD_BYTES)).toString("latin1"));
      if (seq === undefined || seq <= after) return seq === undefined ? undefined : course;
    }
    return undefined;
  }

  /** Course files from the newest back to the first usable checkpoint; oldest first. */
  async #coursesBack(stream: StreamId, head: Head, willDo: (seq: number, reducer: number) => boolean): Promise<OpenCourse[]> {
    const courses: OpenCourse[] = [];
    for (let course = head.course; course >= 1; course -= 1) {
      const size = course === head.course ? head.size : (this.sizeOf(stream, course) ?? 0);
      const file = new Course(stream, this.nameOf(stream, course), await this.bytesOf(stream, course, 0, size));
      const checkpoint = stream === PROJECT_STREAM ? undefined : file.checkpoint();
      courses.unshift({ file, checkpoint });
      if (checkpoint && willDo(checkpoint.seq, checkpoint.reducer)) break;
    }
    return courses;
  }

  #forward(
    stream: StreamId,
    head: Head,
    courses: readonly OpenCourse[],
    { after, limit, isHistory }: { after: number; limit: number; isHistory: boolean },
  ): Line[] {
    const all: Line[] = [];
    for (const [n, { file, checkpoint }] of courses.entries()) {
      const first = stream === PROJECT_STREAM ? 0 : 1;
      const from = (checkpoint?.seq ?? 0) >= after ? first : file.startAfter(after, first);
      const start = from === first ? { seq: (checkpoint?.seq ?? 0) + 1 } : {};
      const { lines, next } = file.lines(from, { ...start, limit: limit - all.length, isHistory });
      for (const line of lines) all.push(line);
      if (all.length >= limit) return all;
      if (next !== (courses[n + 1]?.checkpoint?.seq ?? head.seq) + 1) throw file.missing();
    }
    return all;
  }

  async #fromFile(stream: StreamId, course: number, into: Buffer, at: number): Promise<void> {
    const fd = this.#openFile(stream, course);
    if (fd === undefined) return;
    try {
      if (into.length <= SMALL) this.#disk.read(fd, into, at);
      else await this.#disk.readAsync(fd, into, at);
    } catch (error) {
      throw unreadable(stream, this.nameOf(stream, course), error);
    } finally {
      this.#disk.close(fd);
    }
  }

  #openFile(stream: StreamId, course: number): number | undefined {
    const open = () => this.#disk.open(this.#layout.course(stream, this.#behind.placeOf(stream), course), "read");
    try {
      return open();
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw isOfOneFile(error) ? unreadable(stream, this.nameOf(stream, course), error) : error;
      return this.#behind.locate(stream) ? open() : undefined;
    }
  }
}

interface OpenCourse {
  readonly file: Course;
  readonly checkpoint: ReturnType<Course["checkpoint"]> | undefined;
}

/** Copies a piece of a file over bytes that begin at `from`. */
function overlay(bytes: Buffer, piece: Piece, from: number): void {
  const cut = Math.max(0, from - piece.at);
  if (cut < piece.bytes) piece.buffer.copy(bytes, piece.at + cut - from, piece.from + cut, piece.from + piece.bytes);
}
