import { createReadStream, renameSync, rmSync, writeFileSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Project } from "@colloquy/library";
import { PROJECT_STREAM, type RootId } from "@colloquy/schema";

/** A commit to a tree or to the project's own stream: its position in the project and in that log. */
export interface CommitPlace {
  readonly pos: number;
  readonly rootId: RootId | typeof PROJECT_STREAM;
  readonly seq: number;
  readonly at: string;
}

/** How many commits can be replayed. */
const MAX_PLACES = 50_000;
const WRITE_MS = 50;
/** After a restart, up to this many trees that changed meanwhile are searched. */
const MAX_TREES = 20_000;
/** Without a file, a project with at most this many commits is read from its beginning. */
const MAX_READ_COMMITS = 2_000;
const BEGINNING = { pos: 0, at: "" };

/**
 * The positions of a project's latest commits, which a client needs to resume from a `pos`, even after a restart of the server.
 * Cached in a file beside the log. Missing positions are recovered from the logs; older cursors are refused if that fails.
 */
export class Places {
  #all: CommitPlace[];
  /** All commits after this position are known. */
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

  /** Without a path, positions are lost with the process. Add commits that arrive meanwhile after this resolves. */
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

  /** About `most` rows after this position, always whole commits. */
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
    // A cache: missing rows are recovered.
    if (this.#file && text !== "") this.#writing = this.#writing.then(() => this.#file?.appendFile(text)).catch(() => undefined);
  }
}

const lineOf = ({ pos, rootId, seq, at }: CommitPlace): string => `${pos} ${rootId} ${seq} ${at}\n`;

async function readPlaces(path: string): Promise<CommitPlace[]> {
  const places: CommitPlace[] = [];
  try {
    for await (const line of createInterface({ input: createReadStream(path) })) {
      const [, pos, rootId, seq, at] = /^(\d+) ([0-9a-f]+|project) (\d+) (\S+)$/.exec(line) ?? [];
      // A torn or edited line: everything from here on is recovered from the logs.
      if (pos === undefined || Number(pos) < (places.at(-1)?.pos ?? 0)) return places;
      places.push({ pos: Number(pos), rootId: rootId as RootId, seq: Number(seq), at: at ?? "" });
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  // A commit's project row comes before its trees, so a file that ends with a project row may lack the rest.
  while (places.at(-1)?.rootId === PROJECT_STREAM) places.pop();
  return places;
}

/** Adds commits made while no server ran. Undefined if some cannot be found. */
async function withGap(project: Project, kept: readonly CommitPlace[], head: number): Promise<readonly CommitPlace[] | undefined> {
  const last = kept.at(-1) ?? (head <= MAX_READ_COMMITS ? BEGINNING : undefined);
  if (!last || last.pos > head) return undefined;
  if (last.pos === head) return kept;
  if (project.dialogs.count() > MAX_TREES) return undefined;
  const found: CommitPlace[] = [];
  for (const { rootId, lastModified } of project.dialogs.list()) {
    // An unreadable tree leaves a gap, so older cursors are refused.
    if (lastModified >= last.at) found.push(...(await placesBehind(project, rootId, last.pos).catch(() => [])));
  }
  const gap = found.toSorted((a, b) => a.pos - b.pos);
  const isWhole = new Set(gap.map(({ pos }) => pos)).size === head - last.pos;
  return isWhole ? [...kept, ...gap] : undefined;
}

async function placesBehind(project: Project, rootId: RootId, pos: number): Promise<readonly CommitPlace[]> {
  const found: CommitPlace[] = [];
  // Backwards in growing steps: new commits are near the end of the log.
  for (let before = Infinity, events = 32; before > 1; events *= 8) {
    const { lines } = await project.dialogs.eventsBefore(rootId, before, events);
    const newer = lines.filter((line) => line.pos > pos);
    found.unshift(...newer.map((line) => ({ pos: line.pos, rootId, seq: line.seq, at: line.at })));
    if (newer.length < lines.length) return found;
    before = lines[0]?.seq ?? 0;
  }
  return found;
}
