import { dirname, join } from "node:path";
import { Bug, type RootId } from "@colloquy/schema";
import type { Projection } from "@colloquy/store";
import { dump } from "js-yaml";
import { type Disk, isFull, replaceCache } from "./disk.ts";

export type Make = () => readonly Projection[];

const REST_MS = 1000;
const SLICE_MS = 5;

export interface ProjectionHost {
  folderOf(rootId: RootId): string;
  /** When the tree was last committed to. */
  changedMs(rootId: RootId): number;
  onWritten(rootId: RootId): void;
}

/** Files for people, written when a tree has been at rest for a second, a few milliseconds at a time. The newest wins. */
export class Projections {
  readonly #disk: Disk;
  readonly #host: ProjectionHost;
  readonly #waiting = new Map<RootId, Make>();

  constructor(disk: Disk, host: ProjectionHost) {
    this.#disk = disk;
    this.#host = host;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  put(rootId: RootId, make: Make): void {
    this.#waiting.set(rootId, make);
  }

  /** Writes those that are at rest by now. One whose writing fails for any reason but a full disk is left out. */
  slice(nowMs: number): void {
    const untilMs = performance.now() + SLICE_MS;
    for (const [rootId, make] of this.#waiting) {
      if (nowMs - this.#host.changedMs(rootId) < REST_MS) continue;
      this.#waiting.delete(rootId);
      try {
        for (const projection of make()) this.#write(this.#host.folderOf(rootId), projection);
      } catch (error) {
        if (isFull(error)) this.#waiting.set(rootId, make);
        throw error;
      }
      this.#host.onWritten(rootId);
      if (performance.now() > untilMs) return;
    }
  }

  #write(folder: string, { path, content }: Projection): void {
    checkPath(path);
    const file = join(folder, path);
    if (content === undefined) return this.#disk.remove(file);
    this.#disk.makeFolder(dirname(file));
    replaceCache(this.#disk, file, Buffer.from(path.endsWith(".json") ? `${JSON.stringify(content, null, 2)}\n` : yamlOf(content)));
  }
}

const yamlOf = (content: unknown): string => dump(content, { lineWidth: -1, noRefs: true, skipInvalid: true });

/** Below the tree's folder, and none of the files that are the log or its caches. */
function checkPath(path: string): void {
  const isInside = path.split("/").every((name) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name));
  if (!isInside || /^(course-|snapshot\.json$|blobs\/)/.test(path)) throw new Bug(`Not a path for a projection: ${JSON.stringify(path)}`);
}
