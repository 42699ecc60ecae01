import { dirname, join } from "node:path";
import { Bug, type RootId } from "@colloquy/schema";
import type { Projection } from "@colloquy/store";
import { type Disk, isFull, readWhole, replaceCache } from "./disk/disk.ts";
import type { Pace } from "./disk/pace.ts";
import { yamlText } from "./yaml-text.ts";

export type Make = () => readonly Projection[];

const REST_MS = 1000;
const SLICE_MS = 5;

/** A file that was written or removed, by its path in its tree's folder. */
export interface Written {
  readonly rootId: RootId;
  readonly path: string;
}

interface Waiting {
  readonly make: Make;
  readonly seq: number | undefined;
  /** Called when they are written, or cannot be. */
  readonly listeners: readonly (() => void)[];
}

export interface ProjectionHost {
  folderOf(rootId: RootId): string;
  /** Time of the tree's last commit. */
  changedMs(rootId: RootId): number;
  onWritten(rootId: RootId, seq: number | undefined): void;
}

/** Files for people, written when a tree has been idle for a second, a few milliseconds at a time. The newest version of each file wins. */
export class Projections {
  readonly #disk: Disk;
  readonly #pace: Pace;
  readonly #host: ProjectionHost;
  readonly #waiting = new Map<RootId, Waiting>();
  /** Trees with a file that could not be written: later files do not make them complete. */
  readonly #incomplete = new Set<RootId>();
  #isOver = false;
  /** By path: one without room is retried. */
  #written = new Map<string, Written>();

  constructor(disk: Disk, pace: Pace, host: ProjectionHost) {
    this.#disk = disk;
    this.#pace = pace;
    this.#host = host;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Written since last taken, to be synced before anyone is told. */
  takeWritten(): readonly Written[] {
    const written = [...this.#written.values()];
    this.#written = new Map();
    return written;
  }

  /** `seq`: the last event that they show, if known. Resolves when they are written, or cannot be. */
  put(rootId: RootId, make: Make, seq?: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    const before = this.#waiting.get(rootId);
    // A submission may hold only the changed files: a pending file stays until there is a newer one.
    const all = before && newest([...before.make(), ...make()]);
    return new Promise((tell) => {
      this.#waiting.set(rootId, { make: all ? () => all : make, seq, listeners: [...(before?.listeners ?? []), tell] });
    });
  }

  /** Writes the files of trees that are idle by now. A file that fails for any reason but a full disk is skipped. */
  slice(nowMs: number): void {
    const untilMs = this.#pace.nowMs() + SLICE_MS;
    for (const [rootId, waiting] of this.#waiting) {
      if (nowMs - this.#host.changedMs(rootId) < REST_MS) continue;
      this.#waiting.delete(rootId);
      try {
        for (const projection of waiting.make()) this.#write(rootId, projection);
      } catch (error) {
        if (isFull(error)) this.#waiting.set(rootId, waiting);
        else {
          this.#incomplete.add(rootId);
          for (const tell of waiting.listeners) tell();
        }
        throw error;
      }
      if (!this.#incomplete.has(rootId)) this.#host.onWritten(rootId, waiting.seq);
      for (const tell of waiting.listeners) tell();
      if (this.#pace.nowMs() > untilMs) return;
    }
  }

  /** The tree is deleted. */
  drop(rootId: RootId): void {
    for (const tell of this.#waiting.get(rootId)?.listeners ?? []) tell();
    this.#waiting.delete(rootId);
    this.#incomplete.delete(rootId);
    for (const [path, written] of this.#written) if (written.rootId === rootId) this.#written.delete(path);
  }

  /** Nothing more is written. */
  stop(): void {
    this.#isOver = true;
    for (const { listeners } of this.#waiting.values()) for (const tell of listeners) tell();
    this.#waiting.clear();
  }

  #write(rootId: RootId, { path, content }: Projection): void {
    checkPath(path);
    const file = join(this.#host.folderOf(rootId), path);
    this.#written.set(`${rootId}/${path}`, { rootId, path });
    if (content === undefined) return this.#disk.remove(file);
    const bytes = projectionBytes(path, content);
    // A correct file is not put at risk: until it is synced, a new one may be lost.
    if (readWhole(this.#disk, file)?.equals(bytes)) return;
    this.#disk.makeFolder(dirname(file));
    replaceCache(this.#disk, file, bytes);
  }
}

/** The last version of each file. */
const newest = (all: readonly Projection[]): readonly Projection[] => [...new Map(all.map((one) => [one.path, one])).values()];

export const projectionBytes = (path: string, content: unknown): Buffer =>
  Buffer.from(path.endsWith(".json") ? `${JSON.stringify(content, null, 2)}\n` : yamlText(content));

/** Below the tree's folder, and none of the log's files or caches. */
function checkPath(path: string): void {
  const isInside = path.split("/").every((name) => /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(name));
  if (!isInside || /^(course-|snapshot\.json$|blobs\/)/.test(path)) throw new Bug(`Not a path for a projection: ${JSON.stringify(path)}`);
}
