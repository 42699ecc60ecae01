import { dirname, join } from "node:path";
import type { RootId } from "@colloquy/schema";
import { checkBlobName } from "@colloquy/store";
import { codeOf, type Disk, readWhole, replaceFile } from "../disk/disk.ts";

/** Beyond so many, what is known of them is forgotten: that costs a few syncs, and no memory. */
const KNOWN = 1_000;

/** What is too large for events, as files of a tree's folder. */
export class Blobs {
  readonly #disk: Disk;
  readonly #folderOf: (stream: RootId) => string;
  /** Trees whose folders for blobs are known to be safe. That one is there says nothing: who made it may not have come to it yet. */
  readonly #safe = new Set<RootId>();
  #drafts = 0;

  /** `folderOf`: where the tree's folder is now; it may move while we write. */
  constructor(disk: Disk, folderOf: (stream: RootId) => string) {
    this.#disk = disk;
    this.#folderOf = folderOf;
  }

  /** Durable once resolved. */
  async put(stream: RootId, name: string, content: Uint8Array): Promise<void> {
    checkBlobName(name);
    const draft = `${name}.${(this.#drafts += 1)}.tmp`; // two may put the same one at once
    for (let attempt = 1; ; attempt += 1) {
      const folder = join(this.#folderOf(stream), "blobs");
      this.#disk.makeFolder(folder);
      try {
        await replaceFile(this.#disk, join(folder, name), content, folder, join(folder, draft));
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

  /** The names of the folder, of the tree's and of the place that this is in. */
  async #makeSafe(stream: RootId, folder: string): Promise<void> {
    for (const above of [1, 2, 3]) await this.#disk.syncFolder(ancestor(folder, above));
    if (this.#safe.size >= KNOWN) this.#safe.clear();
    this.#safe.add(stream);
  }
}

const ancestor = (path: string, steps: number): string => (steps === 0 ? path : ancestor(dirname(path), steps - 1));
