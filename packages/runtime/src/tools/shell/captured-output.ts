import { withoutEscapes } from "@colloquy/schema";

/** What is kept of the beginning, and of the end. */
const KEPT_BYTES = 1_500_000;

/** The output of a command: all of it, or its beginning and its end. It never grows beyond that. */
export class CapturedOutput {
  readonly #kept: number;
  readonly #head: Buffer[] = [];
  #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #bytes = 0;

  constructor(keptBytes = KEPT_BYTES) {
    this.#kept = keptBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const toHead = chunk.subarray(0, Math.max(0, this.#kept - this.#headBytes));
    if (toHead.length > 0) {
      this.#head.push(toHead);
      this.#headBytes += toHead.length;
    }
    const toTail = chunk.subarray(toHead.length);
    if (toTail.length === 0) return;
    this.#tail.push(toTail);
    this.#tailBytes += toTail.length;
    // Joined now and then rather than at each chunk.
    if (this.#tailBytes > 2 * this.#kept) this.#cutTail();
  }

  /** Without the signs that colour a terminal and move its cursor. */
  text(): string {
    this.#cutTail();
    const left = this.#bytes - this.#headBytes - this.#tailBytes;
    const between = left > 0 ? [Buffer.from(`\n… ${left} bytes left out …\n`)] : [];
    return withoutEscapes(Buffer.concat([...this.#head, ...between, ...this.#tail]).toString("utf8"));
  }

  #cutTail(): void {
    if (this.#tailBytes <= this.#kept) return;
    const tail = Buffer.concat(this.#tail);
    this.#tail = [tail.subarray(tail.length - this.#kept)];
    this.#tailBytes = this.#kept;
  }
}
