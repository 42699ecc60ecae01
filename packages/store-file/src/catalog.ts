import { PROJECT_STREAM, type RootId, type Status, type StreamId } from "@colloquy/schema";
import type { ListQuery } from "@colloquy/store";
import type { EntryText } from "./commit-record.ts";
import { Endings } from "./endings.ts";
import { type IndexRow, parseHead, parseRow } from "./index-row.ts";
import { type Mark, MARKS } from "./marks.ts";

/** How far a stream goes, and what its entry says. */
export interface Known {
  readonly seq: number;
  readonly course: number;
  /** Bytes of the course file that commits go to. */
  readonly size: number;
  readonly entry: EntryText | undefined;
}

const MARK_BITS = Object.entries(MARKS) as [Mark, number][];
const STATUSES: readonly (Status | undefined)[] = ["running", "completed", "archived", undefined];
/** Two bits for the status, three for the marks, one for what is due. */
const MARKS_AT = 2;
const DUE = 32;

/**
 * All streams of a project. What the index file holds stays there: a resting tree is a few bytes here (where its line is, status, marks),
 * and its line is read when somebody asks. What is newer than the file is kept whole until the file has it.
 */
export class Catalog {
  readonly #readLine: (at: number, bytes: number) => string;
  readonly #rows = new Map<StreamId, number>();
  #at = new Float64Array(1024);
  #bytes = new Uint32Array(1024);
  #flags = new Uint8Array(1024);
  readonly #fresh = new Map<StreamId, Known>();
  readonly #marked: Readonly<Record<Mark, Set<RootId>>> = { hot: new Set(), asking: new Set(), timed: new Set() };
  readonly #counts = [0, 0, 0, 0];
  /** Ids of trees with an entry, oldest first; made when first asked for. */
  #order: RootId[] | undefined;
  #endings: Endings | undefined;
  /** Bytes of the index file that are not superseded. */
  liveBytes = 0;

  constructor(readLine: (at: number, bytes: number) => string) {
    this.#readLine = readLine;
  }

  get(stream: StreamId): Known | undefined {
    const fresh = this.#fresh.get(stream);
    if (fresh) return fresh;
    const row = this.#rows.get(stream);
    return row === undefined ? undefined : parseRow(this.#lineOf(row));
  }

  /** Cheaper than `get` where the entry does not matter. */
  head(stream: StreamId): Omit<Known, "entry"> | undefined {
    const fresh = this.#fresh.get(stream);
    if (fresh) return fresh;
    const row = this.#rows.get(stream);
    return row === undefined ? undefined : parseHead(this.#lineOf(row));
  }

  statusOf(stream: StreamId): Status | undefined {
    const row = this.#rows.get(stream);
    return row === undefined ? undefined : STATUSES[this.#flagsOf(row) & 3];
  }

  /** Newer than the index file. `isDue`: the files for people are behind. */
  put(stream: StreamId, known: Known, isDue = true): void {
    this.#fresh.set(stream, known);
    const { status, marks = 0 } = known.entry ?? {};
    this.#flag(stream, STATUSES.indexOf(status) | (marks << MARKS_AT) | (isDue && stream !== PROJECT_STREAM ? DUE : 0));
  }

  /** The files for people are as new as the log. */
  projected(stream: RootId): void {
    const row = this.#rows.get(stream);
    const known = row !== undefined && this.#flagsOf(row) & DUE ? this.get(stream) : undefined;
    if (known) this.put(stream, known, false);
  }

  /** Trees whose files for people are behind. */
  due(): RootId[] {
    const due: RootId[] = [];
    for (const [stream, row] of this.#rows) if (this.#flagsOf(row) & DUE) due.push(stream as RootId);
    return due;
  }

  /** What the index file does not have yet. */
  fresh(): IndexRow[] {
    return [...this.#fresh].map(([stream, known]) => ({ stream, known, isDue: this.#isDue(stream) }));
  }

  hasFresh(): boolean {
    return this.#fresh.size > 0;
  }

  isFresh(stream: StreamId): boolean {
    return this.#fresh.has(stream);
  }

  /** The index file has this row now, unless it has changed again in the meantime. */
  wrote({ stream, known }: IndexRow, at: number, bytes: number): void {
    this.#setPlace(this.#rowOf(stream), at, bytes);
    if (this.#fresh.get(stream) === known) this.#fresh.delete(stream);
  }

  /** A row as it stands in the index file; later ones win. */
  loaded(stream: StreamId, status: Status | undefined, marks: number, isDue: boolean, at: number, bytes: number): void {
    this.#flag(stream, STATUSES.indexOf(status) | (marks << MARKS_AT) | (isDue ? DUE : 0));
    this.#setPlace(this.#rowOf(stream), at, bytes);
  }

  isAt(stream: StreamId, at: number): boolean {
    const row = this.#rows.get(stream);
    return row !== undefined && this.#at[row] === at;
  }

  moved(stream: StreamId, at: number): void {
    this.#at[this.#rowOf(stream)] = at;
  }

  count(status?: Status): number {
    const [running = 0, completed = 0, archived = 0] = this.#counts;
    return status === undefined ? running + completed + archived : (this.#counts[STATUSES.indexOf(status)] ?? 0);
  }

  /** Trees of which nobody could say what they are. */
  entryless(): number {
    return this.#counts[3] ?? 0;
  }

  /** Newest first. */
  marked(mark: Mark): RootId[] {
    return [...this.#marked[mark]].sort().reverse();
  }

  list({ status, after, limit = Infinity }: ListQuery): RootId[] {
    const order = this.#sorted();
    const found: RootId[] = [];
    for (let n = (after === undefined ? order.length : lowerBound(order, after)) - 1; n >= 0 && found.length < limit; n -= 1) {
      const id = order[n] as RootId;
      if (status === undefined || this.statusOf(id) === status) found.push(id);
    }
    return found;
  }

  /** Newest first. Only a few last digits, as a person types them, are looked for in all ids. */
  find(digits: string, limit: number): RootId[] {
    const order = this.#sorted();
    const found = new Set<RootId>();
    for (let n = lowerBound(order, digits); order[n]?.startsWith(digits); n += 1) found.add(order[n] as RootId);
    this.#endings ??= new Endings(order);
    for (const id of this.#endings.find(digits) ?? order.filter((one) => one.endsWith(digits))) found.add(id);
    return [...found].sort().reverse().slice(0, limit);
  }

  streams(): IterableIterator<StreamId> {
    return this.#rows.keys();
  }

  #sorted(): RootId[] {
    return (this.#order ??= [...this.#rows.keys()].filter((stream) => this.statusOf(stream) !== undefined).sort() as RootId[]);
  }

  #isDue(stream: StreamId): boolean {
    const row = this.#rows.get(stream);
    return row !== undefined && (this.#flagsOf(row) & DUE) !== 0;
  }

  #flag(stream: StreamId, flags: number): void {
    const known = this.#rows.get(stream);
    const before = known === undefined ? undefined : this.#flagsOf(known);
    this.#flags[this.#rowOf(stream)] = flags;
    if (before === flags || stream === PROJECT_STREAM) return;
    if (before !== undefined) this.#tally(before, -1);
    this.#tally(flags, 1);
    for (const [mark, bit] of MARK_BITS) {
      if (flags & (bit << MARKS_AT)) this.#marked[mark].add(stream);
      else if (before) this.#marked[mark].delete(stream);
    }
    if (!this.#order || ((before ?? 3) & 3) !== 3 || (flags & 3) === 3) return;
    insert(this.#order, stream);
    this.#endings?.add(stream);
  }

  #tally(flags: number, by: number): void {
    this.#counts[flags & 3] = (this.#counts[flags & 3] ?? 0) + by;
  }

  #rowOf(stream: StreamId): number {
    const known = this.#rows.get(stream);
    if (known !== undefined) return known;
    const row = this.#rows.size;
    this.#rows.set(stream, row);
    if (row === this.#at.length) {
      this.#at = grown(this.#at, new Float64Array(row * 2));
      this.#bytes = grown(this.#bytes, new Uint32Array(row * 2));
      this.#flags = grown(this.#flags, new Uint8Array(row * 2));
    }
    this.#bytes[row] = 0;
    return row;
  }

  #setPlace(row: number, at: number, bytes: number): void {
    this.liveBytes += bytes - (this.#bytes[row] ?? 0);
    this.#at[row] = at;
    this.#bytes[row] = bytes;
  }

  #lineOf(row: number): string {
    return this.#readLine(this.#at[row] ?? 0, this.#bytes[row] ?? 0);
  }

  #flagsOf(row: number): number {
    return this.#flags[row] ?? 3;
  }
}

function grown<Numbers extends Float64Array | Uint32Array | Uint8Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

/** The first place whose id is not smaller. */
function lowerBound(order: readonly RootId[], id: string): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((order[middle] as RootId) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ids are made in order of time, so this nearly always adds at the end. */
function insert(order: RootId[], id: RootId): void {
  const last = order.at(-1);
  if (last === undefined || last < id) order.push(id);
  else order.splice(lowerBound(order, id), 0, id);
}
