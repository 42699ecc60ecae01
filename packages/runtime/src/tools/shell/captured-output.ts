import { type KeptOutput, type ReadableOutput, readableOutput } from "./readable-output.ts";
import { outputInThread } from "../files/files-job.ts";

/** Bounds of the kept beginning and end. */
const KEPT_BYTES = 1_500_000;
/** A longer output is read in a thread. */
const MAX_BYTES_HERE = 100_000;

/** A command's output: all of it, or its beginning and end. Bounded. */
export class CapturedOutput {
  readonly #kept: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  /** The newest bytes, in a ring: nothing is allocated for the bytes that are left out. */
  #ring: Buffer | undefined;
  #tailBytes = 0;

  constructor(keptBytes = KEPT_BYTES) {
    this.#kept = keptBytes;
  }

  get bytes(): number {
    return this.#headBytes + this.#tailBytes;
  }

  add(chunk: Buffer): void {
    const toHead = chunk.subarray(0, Math.max(0, this.#kept - this.#headBytes));
    if (toHead.length > 0) {
      this.#head.push(toHead);
      this.#headBytes += toHead.length;
    }
    if (toHead.length < chunk.length) this.#addToTail(chunk.subarray(toHead.length));
  }

  #addToTail(bytes: Buffer): void {
    this.#ring ??= Buffer.alloc(this.#kept);
    const newest = bytes.subarray(Math.max(0, bytes.length - this.#kept));
    const at = (this.#tailBytes + bytes.length - newest.length) % this.#kept;
    const copied = newest.copy(this.#ring, at);
    newest.copy(this.#ring, 0, copied);
    this.#tailBytes += bytes.length;
  }

  /** Without terminal escape sequences. */
  text(): string {
    return readableOutput(this.#keptOutput()).text;
  }

  /** The same, in a thread if it is long: an output may be nothing but escape sequences. */
  async readable(signal: AbortSignal): Promise<ReadableOutput> {
    const kept = this.#keptOutput();
    return this.bytes > MAX_BYTES_HERE ? outputInThread(kept, signal) : readableOutput(kept);
  }

  #keptOutput(): KeptOutput {
    const ring = this.#ring ?? Buffer.alloc(0);
    const end = this.#tailBytes % this.#kept;
    const isFull = this.#tailBytes > this.#kept;
    const tail = isFull ? Buffer.concat([ring.subarray(end), ring.subarray(0, end)]) : ring.subarray(0, this.#tailBytes);
    return { head: Buffer.concat(this.#head), tail, left: Math.max(0, this.#tailBytes - this.#kept) };
  }
}
