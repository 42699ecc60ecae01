import { PROJECT_STREAM, type RootId, type Status, type StreamId } from "@colloquy/schema";
import type { ListQuery } from "@colloquy/store";
import type { EntryText } from "./journal/commit-record.ts";
import { type IndexRow, parseHead, parseRow, type RowHead } from "./courses/index-row.ts";
import { type Mark, MARKS, MAX_QUESTIONS, QUESTIONS_AT } from "./journal/marks.ts";
import { ENDING, StreamIds } from "./courses/stream-ids.ts";

/** How far a stream goes, and what its entry says. */
export interface Known {
  readonly seq: number;
  readonly course: number;
  /** Bytes of the course file that commits go to. */
  readonly size: number;
  /** Its last commit. Rows of earlier versions do not say. */
  readonly pos?: number | undefined;
  readonly entry: EntryText | undefined;
}

const STATUSES: readonly (Status | undefined)[] = ["running", "completed", "archived", undefined];
/** Two bits for the status, twelve for marks and open questions, one for outdated files, one for a row that is counted. */
const STATUS = 3;
const MARKS_AT = 2;
const DUE = 1 << 14;
const COUNTED = 1 << 15;
const NO_ENTRY = 3;
/** The position of a removed stream's row. */
const NOWHERE = -1;

/**
 * All streams of a project. An idle tree takes a few bytes here (its id, the position of its line, status, marks); its line in the index
 * file is read on demand. Rows newer than the file are kept in full until the file has them.
 */
export class Catalog {
  readonly #readLine: (at: number, bytes: number) => string;
  readonly #ids = new StreamIds();
  #at = new Float64Array(1024);
  #bytes = new Uint32Array(1024);
  #flags = new Uint16Array(1024).fill(NO_ENTRY);
  readonly #fresh = new Map<StreamId, Known>();
  /** Rows whose only news is that files for people are outdated, and the index file says so. */
  readonly #caughtUp = new Set<number>();
  /** Removed streams that the index file still has. */
  readonly #removed = new Set<StreamId>();
  /** Rows with each mark. */
  readonly #marked: Readonly<Record<Mark, Set<number>>> = { hot: new Set(), asking: new Set(), timed: new Set(), faulted: new Set() };
  readonly #counts = [0, 0, 0, 0];
  #openQuestions = 0;
  /** Rows with too many open questions to count. */
  readonly #uncounted = new Set<number>();
  /** Rows of trees with an entry, oldest first; built on first use. */
  #order: number[] | undefined;
  /** Bytes of the index file that are not superseded. */
  liveBytes = 0;

  constructor(readLine: (at: number, bytes: number) => string) {
    this.#readLine = readLine;
  }

  get(stream: StreamId): Known | undefined {
    const fresh = this.#fresh.get(stream);
    if (fresh) return fresh;
    const row = this.#filedRow(stream);
    return row === undefined ? undefined : parseRow(this.#lineOf(row));
  }

  /** Cheaper than `get` if the entry does not matter. */
  head(stream: StreamId): Omit<Known, "entry"> | undefined {
    const fresh = this.#fresh.get(stream);
    if (fresh) return fresh;
    const row = this.#filedRow(stream);
    return row === undefined ? undefined : parseHead(this.#lineOf(row));
  }

  statusOf(stream: StreamId): Status | undefined {
    const row = this.#ids.rowOf(stream);
    return row === undefined ? undefined : STATUSES[this.#flagsOf(row) & STATUS];
  }

  /** Newer than the index file. `isDue`: the files for people are outdated. */
  put(stream: StreamId, known: Known, isDue = true): void {
    this.#fresh.set(stream, known);
    this.#removed.delete(stream);
    const { status, marks = 0 } = known.entry ?? {};
    const row = this.#rowFor(stream);
    this.#caughtUp.delete(row);
    this.#flag(row, flagsFor(status, marks, isDue && stream !== PROJECT_STREAM), stream === PROJECT_STREAM);
  }

  /** The stream is gone. The index file is told with the next append. */
  remove(stream: StreamId): void {
    const row = this.#ids.rowOf(stream);
    if (row === undefined) return;
    this.#fresh.delete(stream);
    this.#caughtUp.delete(row);
    this.#uncount(row);
    this.#setPlace(row, NOWHERE, 0);
    this.#removed.add(stream);
  }

  /** The files for people are up to date with the log. */
  projected(stream: RootId): void {
    const row = this.#ids.rowOf(stream);
    if (row === undefined || !(this.#flagsOf(row) & DUE)) return;
    this.#flag(row, this.#flagsOf(row) & ~DUE, false);
    if (!this.#fresh.has(stream)) this.#caughtUp.add(row);
  }

  /** Trees whose files for people are outdated, evaluated lazily; those updated meanwhile are skipped. */
  *due(): IterableIterator<RootId> {
    for (let row = 0, end = this.#ids.size; row < end; row += 1) if (this.#flagsOf(row) & DUE) yield this.#ids.at(row) as RootId;
  }

  /** Rows that the index file does not have yet. */
  fresh(): IndexRow[] {
    const caughtUp = Array.from(this.#caughtUp, (row) => ({ stream: this.#ids.at(row), known: parseRow(this.#lineOf(row)), isDue: false }));
    const removed = Array.from(this.#removed, (stream) => ({ stream, known: undefined, isDue: false }));
    return [...Array.from(this.#fresh, ([stream, known]) => ({ stream, known, isDue: this.isDue(stream) })), ...caughtUp, ...removed];
  }

  hasFresh(): boolean {
    return this.#fresh.size > 0 || this.#caughtUp.size > 0 || this.#removed.size > 0;
  }

  isFresh(stream: StreamId): boolean {
    return this.#fresh.has(stream);
  }

  /** The index file has this row now, unless it changed again in the meantime. */
  wrote({ stream, known, isDue }: IndexRow, at: number, bytes: number): void {
    if (!known) return void this.#removed.delete(stream);
    // It was removed meanwhile, which the next append says.
    if (this.#removed.has(stream)) return;
    const row = this.#rowFor(stream);
    this.#setPlace(row, at, bytes);
    this.#caughtUp.delete(row);
    if (this.#fresh.get(stream) === known) this.#fresh.delete(stream);
    if (isDue && !this.isDue(stream) && !this.#fresh.has(stream)) this.#caughtUp.add(row);
  }

  /** A row of the index file; later ones win. */
  loaded(line: Buffer, { idAt, idEnd, status, marks, isDue, isProject, isGone }: RowHead, at: number, bytes: number): void {
    const row = this.#ids.addFrom(line, idAt, idEnd);
    if (row === undefined) return; // the checksum shows that this is not what was written
    this.#fit(row);
    if (isGone) this.#uncount(row);
    else this.#flag(row, flagsFor(status, marks, isDue), isProject);
    this.#setPlace(row, isGone ? NOWHERE : at, isGone ? 0 : bytes);
  }

  /** The stream whose row is there, if it still counts. */
  rowAt(line: Buffer, { idAt, idEnd }: RowHead, at: number): number | undefined {
    const row = this.#ids.rowFrom(line, idAt, idEnd);
    return row !== undefined && this.#at[row] === at ? row : undefined;
  }

  moved(row: number, at: number): void {
    this.#at[row] = at;
  }

  count(status?: Status): number {
    const [running = 0, completed = 0, archived = 0] = this.#counts;
    return status === undefined ? running + completed + archived : (this.#counts[STATUSES.indexOf(status)] ?? 0);
  }

  /** Open questions, except those of trees with too many to count. */
  questions(): { readonly counted: number; readonly uncounted: readonly RootId[] } {
    return { counted: this.#openQuestions, uncounted: Array.from(this.#uncounted, (row) => this.#ids.at(row) as RootId) };
  }

  /** Trees that nobody could make an entry for. */
  entryless(): number {
    return this.#counts[NO_ENTRY] ?? 0;
  }

  /** Newest first. */
  marked(mark: Mark): RootId[] {
    return Array.from(this.#marked[mark], (row) => this.#ids.at(row) as RootId)
      .sort()
      .reverse();
  }

  list({ status, after, limit = Infinity }: ListQuery): RootId[] {
    const order = this.#sorted();
    const found: RootId[] = [];
    for (let n = (after === undefined ? order.length : this.#lowerBound(order, after)) - 1; n >= 0 && found.length < limit; n -= 1) {
      const row = order[n] as number;
      if (status === undefined || STATUSES[this.#flagsOf(row) & STATUS] === status) found.push(this.#ids.at(row) as RootId);
    }
    return found;
  }

  /** Newest first. A few last digits, as a person types them, are searched in all ids. */
  find(digits: string, limit: number): RootId[] {
    const order = this.#sorted();
    const idOf = (row: number) => this.#ids.at(row) as RootId;
    const found = new Set<RootId>();
    for (let n = this.#lowerBound(order, digits); n < order.length && idOf(order[n] as number).startsWith(digits); n += 1)
      found.add(idOf(order[n] as number));
    const ending =
      digits.length < ENDING
        ? order.filter((row) => idOf(row).endsWith(digits))
        : this.#ids.endingWith(digits).filter((row) => this.#hasEntry(row));
    for (const row of ending) found.add(idOf(row));
    return [...found].sort().reverse().slice(0, limit);
  }

  *streams(): IterableIterator<StreamId> {
    for (let row = 0; row < this.#ids.size; row += 1) if (this.#isCounted(row)) yield this.#ids.at(row);
  }

  #sorted(): number[] {
    return (this.#order ??= this.#ids.sorted().filter((row) => this.#hasEntry(row)));
  }

  #hasEntry(row: number): boolean {
    return (this.#flagsOf(row) & STATUS) !== NO_ENTRY;
  }

  isDue(stream: StreamId): boolean {
    const row = this.#ids.rowOf(stream);
    return row !== undefined && (this.#flagsOf(row) & DUE) !== 0;
  }

  #flag(row: number, flags: number, isProject: boolean): void {
    const isNew = !this.#isCounted(row);
    const before = this.#flagsOf(row);
    this.#flags[row] = flags | COUNTED;
    if (isProject || (!isNew && before === flags)) return;
    if (!isNew) this.#tally(row, before, -1);
    this.#tally(row, flags, 1);
    const marked = isNew ? 0 : before & MARK_BITS;
    if (marked !== (flags & MARK_BITS)) this.#mark(row, marked, flags);
    const isListed = !isNew && (before & STATUS) !== NO_ENTRY;
    if (this.#order && !isListed && (flags & STATUS) !== NO_ENTRY) this.#insert(this.#order, row);
  }

  /** As if it had never been. */
  #uncount(row: number): void {
    if (!this.#isCounted(row)) return;
    const flags = this.#flagsOf(row);
    this.#tally(row, flags, -1);
    this.#mark(row, flags & MARK_BITS, 0);
    this.#flags[row] = NO_ENTRY;
    if (this.#order && (flags & STATUS) !== NO_ENTRY) this.#order = this.#order.filter((one) => one !== row);
  }

  /** The row of a stream that the index file has. */
  #filedRow(stream: StreamId): number | undefined {
    const row = this.#ids.rowOf(stream);
    return row === undefined || this.#at[row] === NOWHERE ? undefined : row;
  }

  #mark(row: number, before: number, flags: number): void {
    for (const mark of EVERY_MARK) {
      const bit = MARKS[mark] << MARKS_AT;
      if (((before ^ flags) & bit) === 0) continue;
      if (flags & bit) this.#marked[mark].add(row);
      else this.#marked[mark].delete(row);
    }
  }

  #tally(row: number, flags: number, by: 1 | -1): void {
    this.#counts[flags & STATUS] = (this.#counts[flags & STATUS] ?? 0) + by;
    const questions = (flags >> (MARKS_AT + QUESTIONS_AT)) & MAX_QUESTIONS;
    if (questions < MAX_QUESTIONS) this.#openQuestions += by * questions;
    else if (by === 1) this.#uncounted.add(row);
    else this.#uncounted.delete(row);
  }

  #rowFor(stream: StreamId): number {
    const row = this.#ids.add(stream);
    this.#fit(row);
    return row;
  }

  #fit(row: number): void {
    if (row < this.#at.length) return;
    this.#at = grown(this.#at, new Float64Array(row * 2));
    this.#bytes = grown(this.#bytes, new Uint32Array(row * 2));
    this.#flags = grown(this.#flags, new Uint16Array(row * 2).fill(NO_ENTRY));
  }

  #setPlace(row: number, at: number, bytes: number): void {
    this.liveBytes += bytes - (this.#bytes[row] ?? 0);
    this.#at[row] = at;
    this.#bytes[row] = bytes;
  }

  #lineOf(row: number): string {
    return this.#readLine(this.#at[row] ?? 0, this.#bytes[row] ?? 0);
  }

  #isCounted(row: number): boolean {
    return ((this.#flags[row] ?? 0) & COUNTED) !== 0;
  }

  #flagsOf(row: number): number {
    return (this.#flags[row] ?? NO_ENTRY) & ~COUNTED;
  }

  /** The first position whose id is not smaller. */
  #lowerBound(order: readonly number[], id: string): number {
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ids.at(order[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Ids are chronological, so this nearly always appends. */
  #insert(order: number[], row: number): void {
    const id = this.#ids.at(row);
    const last = order.at(-1);
    if (last === undefined || this.#ids.at(last) < id) order.push(row);
    else order.splice(this.#lowerBound(order, id), 0, row);
  }
}

const EVERY_MARK = Object.keys(MARKS) as Mark[];
const MARK_BITS = EVERY_MARK.reduce((bits, mark) => bits | (MARKS[mark] << MARKS_AT), 0);

const flagsFor = (status: Status | undefined, marks: number, isDue: boolean): number =>
  STATUSES.indexOf(status) | (marks << MARKS_AT) | (isDue ? DUE : 0);

function grown<Numbers extends Float64Array | Uint32Array | Uint16Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}
