import { dirname, join } from "node:path";
import type { RootId } from "@colloquy/schema";
import { checkBlobName, isBlobName } from "@colloquy/store";
import { codeOf, type Disk, readWhole, replaceFile } from "../disk/disk.ts";

/** Beyond this many, the cache is dropped: that costs a few syncs, and no memory. */
const MAX_KNOWN_BLOBS = 1_000;

/** Contents too large for events, as files in a tree's folder. */
export class Blobs {
  readonly #disk: Disk;
  readonly #folderOf: (stream: RootId) => string;
  /**
   * Trees whose blob folders are known to be durable. Existence proves nothing: the process that made one may have died before its sync.
   */
  readonly #safe = new Set<RootId>();
  #drafts = 0;

  /** `folderOf`: the current folder of the tree; it may move while we write. */
  constructor(disk: Disk, folderOf: (stream: RootId) => string) {
    this.#disk = disk;
    this.#folderOf = folderOf;
  }

  /** Durable once resolved. */
  async put(stream: RootId, name: string, content: Uint8Array): Promise<void> {
    checkBlobName(name);
    const draft = `${name}.${(this.#drafts += 1)}.tmp`; // two callers may store the same one at once
    for (let attempt = 1; ; attempt += 1) {
      const folder = join(this.#folderOf(stream), "blobs");
      this.#disk.makeFolder(folder);
      try {
        await replaceFile(this.#disk, join(folder, name), content, join(folder, draft));
        if (!this.#safe.has(stream)) await this.#makeSafe(stream, folder);
        return;
      } catch (error) {
        if (codeOf(error) !== "ENOENT" || attempt === 3) throw error;
      }
    }
  }

  get(stream: RootId, name: string): Uint8Array | undefined {
    checkBlobName(name);
    const bytes = readWhole(this.#disk, join(this.#folderOf(stream), "blobs", name));
    return bytes && new Uint8Array(bytes);
  }

  /** The tree is deleted. */
  forget(stream: RootId): void {
    this.#safe.delete(stream);
  }

  /** Drafts that a crash left behind are no blobs. */
  names(stream: RootId): string[] {
    const folder = join(this.#folderOf(stream), "blobs");
    if (!this.#disk.stat(folder)) return [];
    return this.#disk
      .list(folder)
      .filter((name) => isBlobName(name) && !/\.\d+\.tmp$/.test(name))
      .sort();
  }

  /** The folder itself, the tree's folder and its parent. */
  async #makeSafe(stream: RootId, folder: string): Promise<void> {
    for (const above of [1, 2, 3]) await this.#disk.syncFolder(ancestor(folder, above));
    if (this.#safe.size >= MAX_KNOWN_BLOBS) this.#safe.clear();
    this.#safe.add(stream);
  }
}

const ancestor = (path: string, steps: number): string => (steps === 0 ? path : ancestor(dirname(path), steps - 1));
