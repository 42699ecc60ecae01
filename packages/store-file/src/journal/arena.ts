const SIZE = 1 << 18;

/**
 * Records are encoded here as they come, so that nothing of them is kept as text. Bytes are addressed by their position in everything ever
 * added. A full buffer is dropped and never reused: bytes on their way into course files still point into it.
 */
export class Arena {
  #buffer = Buffer.allocUnsafeSlow(SIZE);
  /** Position of the buffer's first byte. */
  #base = 0;
  /** Waiting to be written: from here … */
  #start = 0;
  /** … to here. */
  #end = 0;

  get buffer(): Buffer {
    return this.#buffer;
  }

  get base(): number {
    return this.#base;
  }

  get end(): number {
    return this.#end;
  }

  get waiting(): number {
    return this.#end - this.#start;
  }

  /** Makes room for this many bytes after the end, with everything waiting in one buffer. */
  fit(bytes: number): void {
    if (this.#end - this.#base + bytes > this.#buffer.length) this.#renew(0, bytes);
  }

  /** Adds a text. Returns its length in bytes. */
  add(text: string): number {
    this.fit(text.length * 3);
    const bytes = this.#buffer.write(text, this.#end - this.#base);
    this.#end += bytes;
    return bytes;
  }

  /** Leaves room, to be filled in later. */
  skip(bytes: number): void {
    this.fit(bytes);
    this.#end += bytes;
  }

  /** Makes room for this many bytes before everything waiting. Returns its position. */
  prefix(bytes: number): number {
    this.#renew(bytes, 0);
    return (this.#start -= bytes);
  }

  /** Undoes an addition that failed. */
  backTo(end: number): void {
    this.#end = end;
  }

  /** Removes what was waiting up to here. */
  taken(end: number): void {
    this.#start = end;
  }

  #renew(before: number, behind: number): void {
    const { waiting } = this;
    const renewed = Buffer.allocUnsafeSlow(Math.max(SIZE, before + (waiting + behind) * 2));
    this.#buffer.copy(renewed, before, this.#start - this.#base, this.#end - this.#base);
    this.#buffer = renewed;
    this.#base = this.#start - before;
  }
}
