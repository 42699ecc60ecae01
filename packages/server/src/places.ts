import { createReadStream, renameSync, rmSync, writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Project } from "@colloquy/library";
import { PROJECT_STREAM, type RootId } from "@colloquy/schema";

/** A commit to a tree, or to the project's own stream: where it stands in the project, and where in that log. */
export interface CommitPlace {
  readonly pos: number;
  readonly rootId: RootId | typeof PROJECT_STREAM;
  readonly seq: number;
  readonly at: string;
}

/** So many commits can be told again. */
const MAX_PLACES = 50_000;
const WRITE_MS = 50;
/** After a time without a server the trees that changed meanwhile are looked for, unless there are more than this. */
const MAX_TREES = 20_000;
/** A project with no more commits than this is read from its beginning where nothing was kept. */
const YOUNG = 2_000;
const BEGINNING = { pos: 0, at: "" };

/**
 * Where the last commits of a project stand: what a client needs to go on from a `pos`, also when the server was started again.
 * Kept in a file beside the log; what is not in it is found again from the logs, and what cannot be found is not claimed.
 */
export class Places {
  #all: CommitPlace[];
  /** Everything after this is known. */
  #floor: number;
  readonly #file: FileHandle | undefined;
  #unwritten: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(all: CommitPlace[], floor: number, file: FileHandle | undefined) {
    this.#all = all;
    this.#floor = floor;
    this.#file = file;
  }

  /** Without a path they are known as long as the server lives. Commits that come while this runs must be added afterwards. */
  static async open(project: Project, path: string | undefined): Promise<Places> {
    const head = project.health().pos;
    if (path === undefined) return new Places([], head, undefined);
    const kept = await readPlaces(path);
    const known = (await withGap(project, kept, head)) ?? [];
    const all = known.slice(-MAX_PLACES);
    const floor = all.length === 0 || all.length < known.length ? (all[0]?.pos ?? head) : (all[0]?.pos ?? head) - 1;
    rmSync(`${path}.tmp`, { force: true }); // left by a crash, perhaps with other permissions
    writeFileSync(`${path}.tmp`, all.map(lineOf).join(""), { mode: 0o600 });
    renameSync(`${path}.tmp`, path);
    return new Places(all, floor, await open(path, "a"));
  }

  /** The last commit that is known. */
  get end(): number {
    return Math.max(this.#floor, this.#all.at(-1)?.pos ?? 0);
  }

  get floor(): number {
    return this.#floor;
  }

  add(place: CommitPlace): void {
    this.#all.push(place);
    if (this.#all.length > MAX_PLACES * 1.5) {
      this.#all = this.#all.slice(-MAX_PLACES);
      this.#floor = this.#all[0]?.pos ?? this.#floor;
    }
    if (!this.#file) return;
    this.#unwritten.push(lineOf(place));
    this.#timer ??= setTimeout(() => this.#write(), WRITE_MS).unref();
  }

  /** At most so many behind this place, and never a part of a commit. */
  after(pos: number, most: number): readonly CommitPlace[] {
    let from = this.#all.length;
    while (from > 0 && (this.#all[from - 1]?.pos ?? 0) > pos) from--;
    let to = Math.min(from + most, this.#all.length);
    while (to < this.#all.length && this.#all[to]?.pos === this.#all[to - 1]?.pos) to++;
    return this.#all.slice(from, to);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#write();
    await this.#writing;
    await this.#file?.close();
  }

  #write(): void {
    this.#timer = undefined;
    const text = this.#unwritten.join("");
    this.#unwritten = [];
    // A cache: what is missing in it is found again.
    if (this.#file && text !== "") this.#writing = this.#writing.then(() => this.#file?.appendFile(text)).catch(() => undefined);
  }
}

const lineOf = ({ pos, rootId, seq, at }: CommitPlace): string => `${pos} ${rootId} ${seq} ${at}\n`;

async function readPlaces(path: string): Promise<CommitPlace[]> {
  const places: CommitPlace[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const [, pos, rootId, seq, at] = /^(\d+) ([0-9a-f]+|project) (\d+) (\S+)$/.exec(line) ?? [];
      // A torn end, or somebody's hand: what comes from here on is looked for in the logs.
      if (pos === undefined || Number(pos) < (places.at(-1)?.pos ?? 0)) return places;
      places.push({ pos: Number(pos), rootId: rootId as RootId, seq: Number(seq), at: at ?? "" });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  // The trees of a commit stand behind its project: what ends with a project may be half of one.
  while (places.at(-1)?.rootId === PROJECT_STREAM) places.pop();
  return places;
}

/** With the commits that were made without us. Undefined when not all of them can be found. */
async function withGap(project: Project, kept: readonly CommitPlace[], head: number): Promise<readonly CommitPlace[] | undefined> {
  const last = kept.at(-1) ?? (head <= YOUNG ? BEGINNING : undefined);
  if (!last || last.pos > head) return undefined;
  if (last.pos === head) return kept;
  if (project.dialogs.count() > MAX_TREES) return undefined;
  const found: CommitPlace[] = [];
  for (const { rootId, lastModified } of project.dialogs.list()) {
    // Of a tree that cannot be read the places stay unknown: then not all of them are found, and older cursors are refused.
    if (lastModified >= last.at) found.push(...(await placesBehind(project, rootId, last.pos).catch(() => [])));
  }
  const gap = found.toSorted((a, b) => a.pos - b.pos);
  const isWhole = new Set(gap.map(({ pos }) => pos)).size === head - last.pos;
  return isWhole ? [...kept, ...gap] : undefined;
}

async function placesBehind(project: Project, rootId: RootId, pos: number): Promise<readonly CommitPlace[]> {
  const { seq } = await project.dialogs.view(rootId);
  // Backwards, a little more each time: what is new is near the end of the log.
  for (let back = 32; ; back *= 8) {
    const lines = await project.dialogs.events(rootId, Math.max(0, seq - back));
    if (back < seq && (lines[0]?.pos ?? 0) > pos) continue;
    return lines.filter((line) => line.pos > pos).map((line) => ({ pos: line.pos, rootId, seq: line.seq, at: line.at }));
  }
}
