const SIZE = 1 << 18;

/**
 * Where records are encoded as they come, so that nothing of them is kept as text. Bytes are named by their place in all that was ever put here.
 * A full buffer is let go and a new one taken, never used again: what is on its way into course files still points into it.
 */
export class Arena {
  #buffer = Buffer.allocUnsafeSlow(SIZE);
  /** The place of the buffer's first byte. */
  #base = 0;
  /** What is waiting to be written: from here … */
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

  /** Makes room for so many bytes behind the end, with all that waits in one buffer. */
  fit(bytes: number): void {
    if (this.#end - this.#base + bytes > this.#buffer.length) this.#renew(0, bytes);
  }

  /** Adds a text. Returns how many bytes it has. */
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

  /** Puts room of so many bytes before all that waits. Returns where. */
  prefix(bytes: number): number {
    this.#renew(bytes, 0);
    return (this.#start -= bytes);
  }

  /** As it was before something was added that should not have been. */
  backTo(end: number): void {
    this.#end = end;
  }

  /** Takes what waits up to here out of it. */
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
