import { PROJECT_STREAM, type StreamId } from "@colloquy/schema";

/** Every id made in a tree contains this many last digits of the tree's id. */
export const ENDING = 8;

const NONE = -1;

/**
 * The ids of all streams, by row. Stored as bytes: as strings in a map a hundred thousand of them take twenty megabytes. The hash table
 * uses the id's last digits, so it also leads from a question or a dialog to its tree.
 */
export class StreamIds {
  #bytes = Buffer.alloc(1 << 14);
  /** End of each id's bytes. */
  #ends = new Uint32Array(1 << 10);
  /** Rows at the slot given by their last digits, or the next free one. At most half full. */
  #table = new Int32Array(1 << 11).fill(NONE);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  rowOf(id: StreamId): number | undefined {
    for (let place = this.#placeOf(endOf(id)); ; place = this.#next(place)) {
      const row = this.#table[place] as number;
      if (row === NONE) return undefined;
      if (this.at(row) === id) return row;
    }
  }

  /** The row of an id, new or known. */
  add(id: StreamId): number {
    const known = this.rowOf(id);
    if (known !== undefined) return known;
    this.#fit(id.length / 2);
    const from = this.#endOf(this.#size - 1);
    return this.#added(from + (id === PROJECT_STREAM ? 0 : this.#bytes.write(id, from, "hex")));
  }

  /** The same for an id given as digits; undefined if it is none. */
  addFrom(digits: Buffer, at: number, end: number): number | undefined {
    const to = this.#readDigits(digits, at, end);
    return to === undefined ? undefined : (this.#rowOfBytes(to) ?? this.#added(to));
  }

  rowFrom(digits: Buffer, at: number, end: number): number | undefined {
    const to = this.#readDigits(digits, at, end);
    return to === undefined ? undefined : this.#rowOfBytes(to);
  }

  at(row: number): StreamId {
    const [from, to] = [this.#endOf(row - 1), this.#endOf(row)];
    return from === to ? PROJECT_STREAM : (this.#bytes.toString("hex", from, to) as StreamId);
  }

  /** Rows whose ids end with these digits, of which there must be enough. */
  endingWith(digits: string): number[] {
    const rows: number[] = [];
    for (let place = this.#placeOf(endOf(digits)); ; place = this.#next(place)) {
      const row = this.#table[place] as number;
      if (row === NONE) return rows;
      if (this.at(row).endsWith(digits)) rows.push(row);
    }
  }

  /** All rows in the order of their ids. */
  sorted(): number[] {
    // Numbers first: an id begins with its time, and few share one.
    const times = Float64Array.from({ length: this.#size }, (_, row) => this.#timeOf(row));
    const inOrder = (a: number, b: number) => (times[a] as number) - (times[b] as number) || (this.at(a) < this.at(b) ? -1 : 1);
    return Array.from(times, (_, row) => row).sort(inOrder);
  }

  /** Appends an id's bytes. Returns their end. */
  #readDigits(digits: Buffer, at: number, end: number): number | undefined {
    const from = this.#endOf(this.#size - 1);
    this.#fit((end - at) / 2);
    if (isProject(digits, at, end)) return from;
    if (end - at !== 32 && end - at !== 64) return undefined;
    let to = from;
    for (let n = at; n < end; n += 2) {
      const byte = ((VALUE[digits[n] as number] as number) << 4) | (VALUE[digits[n + 1] as number] as number);
      if (byte < 0) return undefined;
      this.#bytes[to++] = byte;
    }
    return to;
  }

  /** The row of the id whose bytes were appended last. */
  #rowOfBytes(to: number): number | undefined {
    const from = this.#endOf(this.#size - 1);
    for (let place = this.#placeOf(this.#lastDigits(from, to)); ; place = this.#next(place)) {
      const row = this.#table[place] as number;
      if (row === NONE) return undefined;
      if (this.#bytes.compare(this.#bytes, from, to, this.#endOf(row - 1), this.#endOf(row)) === 0) return row;
    }
  }

  #timeOf(row: number): number {
    const [from, to] = [this.#endOf(row - 1), this.#endOf(row)];
    return from === to ? Infinity : this.#bytes.readUIntBE(from, 6);
  }

  #added(to: number): number {
    const row = this.#size++;
    this.#ends[row] = to;
    if (this.#size * 2 > this.#table.length) this.#widen();
    else this.#enter(row);
    return row;
  }

  #enter(row: number): void {
    const [from, to] = [this.#endOf(row - 1), this.#endOf(row)];
    let place = this.#placeOf(this.#lastDigits(from, to));
    while (this.#table[place] !== NONE) place = this.#next(place);
    this.#table[place] = row;
  }

  #lastDigits(from: number, to: number): number {
    return from === to ? NO_DIGITS : this.#bytes.readUInt32BE(to - 4);
  }

  #widen(): void {
    this.#table = new Int32Array(this.#table.length * 2).fill(NONE);
    for (let row = 0; row < this.#size; row += 1) this.#enter(row);
  }

  #fit(bytes: number): void {
    if (this.#size === this.#ends.length) {
      const ends = new Uint32Array(this.#size * 2);
      ends.set(this.#ends);
      this.#ends = ends;
    }
    const end = this.#endOf(this.#size - 1);
    if (end + bytes > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2);
  }

  #endOf(row: number): number {
    return row < 0 ? 0 : (this.#ends[row] as number);
  }

  /** Mixed, because ids that are not random may have similar ends. */
  #placeOf(end: number): number {
    const mixed = Math.imul(end ^ (end >>> 16), 0x45d9f3b);
    return (mixed ^ (mixed >>> 16)) & (this.#table.length - 1);
  }

  #next(place: number): number {
    return (place + 1) & (this.#table.length - 1);
  }
}

/** The key of an id without digits, the project's. */
const NO_DIGITS = 0;
const endOf = (id: string): number => Number.parseInt(id.slice(-ENDING), 16) || NO_DIGITS;

const isProject = (digits: Buffer, at: number, end: number): boolean =>
  end - at === PROJECT_STREAM.length && digits.toString("latin1", at, end) === PROJECT_STREAM;

/** Each character's value as a digit; negative if it is none. */
const VALUE = Int32Array.from({ length: 256 }, (_, code) =>
  /[0-9a-f]/.test(String.fromCharCode(code)) ? Number.parseInt(String.fromCharCode(code), 16) : -256,
);
