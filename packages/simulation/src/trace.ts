import { crc32 } from "node:zlib";

const MAX_KEPT_LINES = 60;

/** What happened, as lines: the last ones for reading, all of them as one hash. */
export class Trace {
  readonly #last: string[] = [];
  #nth = 0;
  hash = 0;

  add(nowMs: number, what: string): void {
    const line = `${(nowMs / 1000).toFixed(4)} ${what}`;
    this.hash = crc32(line, this.hash);
    this.#nth += 1;
    this.#last.push(line);
    if (this.#last.length > MAX_KEPT_LINES) this.#last.shift();
  }

  get lines(): readonly string[] {
    return this.#last;
  }

  get length(): number {
    return this.#nth;
  }
}
