import { createHash, type Hash } from "node:crypto";

interface Blob {
  readonly id: string;
  readonly hash: Hash;
  left: number;
}

/** Reads the output of `git cat-file --batch` and collects the intact blobs: those whose content hashes to their name. */
export class BatchReader {
  readonly whole = new Set<string>();
  readonly #algorithm: "sha1" | "sha256";
  #header = "";
  #blob: Blob | undefined;

  constructor(algorithm: "sha1" | "sha256") {
    this.#algorithm = algorithm;
  }

  add(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0;) rest = this.#blob ? this.#content(this.#blob, rest) : this.#line(rest);
  }

  /** A new process starts at a header. */
  restart(): void {
    this.#header = "";
    this.#blob = undefined;
  }

  #line(chunk: Buffer): Buffer {
    const end = chunk.indexOf(0x0a);
    if (end < 0) {
      this.#header += chunk.toString("latin1");
      return Buffer.alloc(0);
    }
    const [, id, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(this.#header + chunk.toString("latin1", 0, end)) ?? [];
    this.#header = "";
    if (id !== undefined && size !== undefined) {
      const hash = createHash(this.#algorithm).update(`blob ${size}\0`);
      this.#blob = { id, hash, left: Number(size) };
      if (size === "0") this.#end(this.#blob);
    }
    return chunk.subarray(end + 1);
  }

  #content(blob: Blob, chunk: Buffer): Buffer {
    const part = chunk.subarray(0, blob.left);
    blob.hash.update(part);
    blob.left -= part.length;
    if (blob.left === 0) this.#end(blob);
    return chunk.subarray(part.length);
  }

  /** The line break after the content is read as an empty line. */
  #end({ id, hash }: Blob): void {
    if (hash.digest("hex") === id) this.whole.add(id);
    this.#blob = undefined;
  }
}
