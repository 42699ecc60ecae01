import { PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import type { Catalog } from "../catalog.ts";
import { type Disk, isFull, replaceFile } from "../disk/disk.ts";
import { isOfOneFile } from "../inspect/faults.ts";
import { INCOMING, type Layout, PLACES, type StatusFolder, type TreeFolder } from "../disk/layout.ts";
import type { Pace } from "../disk/pace.ts";
import { emptyFolder } from "./empty-folder.ts";
import { attempt, writeAside, type Writing } from "./scribe.ts";

/** Bytes of a course file that are durable in the journal but not yet in the file. */
export interface Piece {
  readonly course: number;
  /** Position in the file. */
  readonly at: number;
  readonly bytes: number;
  /** Where they are until then. */
  readonly buffer: Buffer;
  readonly from: number;
  /** Found in the journal at start-up: the crash may have lost its folder. */
  readonly isFound?: boolean;
}

/** Written since the last checkpoint, to be synced. */
export interface Dirt {
  readonly files: readonly { readonly stream: StreamId; readonly course: number }[];
  /** Streams with new files in their folders. By stream, because a folder may move before it is synced. */
  readonly streams: readonly StreamId[];
  /** Folders that trees moved into or out of. */
  readonly places: readonly string[];
}

/** This many streams at a time. */
const STREAMS_AT_ONCE = 64;

/** What a stream has to write, in order. */
interface Due {
  readonly stream: StreamId;
  readonly pieces: number;
  readonly writings: readonly (Writing & { readonly course: number })[];
}

/**
 * Moves lines from the journal into course files, and folders to where their status says. It writes at the position that the journal names,
 * so repeating it is harmless. Nothing here is synced: the journal keeps it until a checkpoint.
 */
export class WriteBehind {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #pace: Pace;
  readonly #catalog: Catalog;
  readonly #pieces = new Map<StreamId, Piece[]>();
  /** Folders that are not where their status says. */
  readonly #elsewhere = new Map<StreamId, TreeFolder>();
  /** From the journal: the crash may have come before or after their folders moved. */
  readonly #unsure = new Set<StreamId>();
  /** Streams with something else in the place of their folder or files. Their lines are kept aside, and nobody else waits for them. */
  readonly #stuck = new Set<StreamId>();
  /** Trees that were deleted since the last checkpoint: their folders go, and nothing is written for them. */
  readonly #deleted = new Set<StreamId>();
  /** Those whose folders are still to be removed. */
  readonly #leftovers = new Set<StreamId>();
  /** Called for each, with the reason. */
  onStuck: (stream: StreamId, error: unknown) => void = () => undefined;
  #writing: Promise<void> | undefined;
  #dirtyFiles = new Map<string, { stream: StreamId; course: number }>();
  #dirtyStreams = new Set<StreamId>();
  #dirtyPlaces = new Set<string>();

  constructor(disk: Disk, layout: Layout, pace: Pace, catalog: Catalog) {
    this.#disk = disk;
    this.#layout = layout;
    this.#pace = pace;
    this.#catalog = catalog;
  }

  get isIdle(): boolean {
    return this.#pieces.size === 0 && this.#leftovers.size === 0 && [...this.#elsewhere.keys()].every((stream) => this.#stuck.has(stream));
  }

  add(stream: StreamId, piece: Piece): void {
    const pieces = this.#pieces.get(stream);
    if (pieces) pieces.push(piece);
    else this.#pieces.set(stream, [piece]);
  }

  /** A piece that start-up found in the journal. */
  redo(stream: StreamId, piece: Piece): void {
    this.#unsure.add(stream);
    this.add(stream, { ...piece, isFound: true });
  }

  /** The tree is deleted: its pending lines are dropped, and its folder is removed with the next write. */
  remove(stream: StreamId): void {
    this.#pieces.delete(stream);
    this.#elsewhere.delete(stream);
    this.#unsure.delete(stream);
    this.#stuck.delete(stream);
    this.#dirtyStreams.delete(stream);
    for (const [key, file] of this.#dirtyFiles) if (file.stream === stream) this.#dirtyFiles.delete(key);
    this.#deleted.add(stream);
    this.#leftovers.add(stream);
  }

  isDeleted(stream: StreamId): boolean {
    return this.#deleted.has(stream);
  }

  /** Deleted trees of which no file is left. */
  takeRemoved(): readonly StreamId[] {
    return [...this.#deleted].filter((stream) => !this.#leftovers.has(stream));
  }

  /** Their deletion is durable without the journal: their ids may be used again. */
  forgetDeleted(streams: readonly StreamId[]): void {
    for (const stream of streams) this.#deleted.delete(stream);
  }

  /** Are some of its lines not yet in its file? */
  isPending(stream: StreamId): boolean {
    return this.#pieces.has(stream);
  }

  piecesOf(stream: StreamId, course: number): readonly Piece[] {
    return this.#pieces.get(stream)?.filter((piece) => piece.course === course) ?? [];
  }

  /** To be called before the catalog learns of a new status. */
  willMove(stream: StreamId, to: StatusFolder): void {
    if (this.#catalog.statusOf(stream) === undefined && !this.#catalog.head(stream)) return; // it has no folder yet
    const from = this.placeOf(stream);
    if (from === to) this.#elsewhere.delete(stream);
    else this.#elsewhere.set(stream, from);
  }

  /** A commit continues the past that was stored for this new tree. */
  continues(stream: StreamId): void {
    this.#elsewhere.set(stream, INCOMING);
  }

  /** The current place of a stream's folder. */
  placeOf(stream: StreamId): TreeFolder {
    if (this.#unsure.delete(stream)) this.locate(stream);
    return this.#elsewhere.get(stream) ?? this.#target(stream);
  }

  /** Looks up the folder's real place. Returns it if its status says otherwise. */
  locate(stream: StreamId): TreeFolder | undefined {
    if (stream === PROJECT_STREAM) return undefined;
    if (this.#isThere(stream, this.#target(stream))) {
      // Its status may have changed since it was found elsewhere.
      this.#elsewhere.delete(stream);
      return undefined;
    }
    const places: readonly TreeFolder[] = [...Object.values(PLACES), INCOMING];
    const found = places.find((place) => this.#isThere(stream, place));
    if (found) this.#elsewhere.set(stream, found);
    return found;
  }

  /**
   * Writes everything pending into its files, and moves folders. Failures are retried next time. `setsAside`: lines that only their own
   * tree's files block are kept aside instead, because others need the journal's space.
   */
  async write({ setsAside = false } = {}): Promise<void> {
    await this.whenWritten();
    await (this.#writing = this.#writeAll(setsAside).finally(() => (this.#writing = undefined)));
  }

  /** Resolves when nothing is being written. */
  async whenWritten(): Promise<void> {
    while (this.#writing) await this.#writing.catch(() => {}); // the caller that began it is told
  }

  takeDirt(): Dirt {
    const dirt = { files: [...this.#dirtyFiles.values()], streams: [...this.#dirtyStreams], places: [...this.#dirtyPlaces] };
    this.#dirtyFiles = new Map();
    this.#dirtyStreams = new Set();
    this.#dirtyPlaces = new Set();
    return dirt;
  }

  async #writeAll(setsAside: boolean): Promise<void> {
    const moving = [...this.#elsewhere.keys()].filter((stream) => !this.#stuck.has(stream));
    const streams = [...new Set([...this.#pieces.keys(), ...moving])];
    // First, because it makes room.
    let failure: unknown = await this.#removeDeleted();
    for (let n = 0; n < streams.length; n += STREAMS_AT_ONCE) {
      const due = streams.slice(n, n + STREAMS_AT_ONCE).map((stream) => this.#due(stream));
      const failures = await writeAside(
        this.#disk,
        this.#pace,
        due.flatMap(({ writings }) => writings),
      );
      let at = 0;
      // One tree's failure must not affect the others, but a full disk affects all of them.
      for (const one of due) {
        const failed = this.#written(one, failures.slice(at, (at += one.writings.length)));
        if (setsAside && isOfOneFile(failed) && one.stream !== PROJECT_STREAM) await this.#setAside(one, failed);
        else failure ??= failed;
      }
      if (isFull(failure)) break;
    }
    if (failure !== undefined) throw failure;
  }

  /** A folder may be in any place: the crash may have come before or after it moved. */
  async #removeDeleted(): Promise<unknown> {
    let failure: unknown;
    for (const stream of this.#leftovers) {
      try {
        for (const place of [...Object.values(PLACES), INCOMING] as const) {
          if (!this.#isThere(stream, place)) continue;
          await emptyFolder(this.#disk, this.#pace, this.#layout.folder(stream, place));
          this.#disk.removeFolder(this.#layout.folder(stream, place));
          this.#dirtyPlaces.add(this.#layout.place(place));
        }
        this.#leftovers.delete(stream);
      } catch (error) {
        failure ??= error;
      }
    }
    return failure;
  }

  #due(stream: StreamId): Due {
    const pieces = this.#pieces.get(stream) ?? [];
    const writings: (Writing & { course: number })[] = [];
    for (let n = 0; n < pieces.length;) {
      const { course, at, isFound = false } = pieces[n] as Piece;
      const bytes: Uint8Array[] = [];
      let end = at;
      for (; pieces[n]?.course === course && pieces[n]?.at === end; n += 1) {
        const piece = pieces[n] as Piece;
        bytes.push(piece.buffer.subarray(piece.from, piece.from + piece.bytes));
        end += piece.bytes;
      }
      writings.push({
        course,
        path: this.#layout.course(stream, this.placeOf(stream), course),
        at,
        pieces: bytes,
        isNew: at === 0 || isFound,
      });
    }
    return { stream, pieces: pieces.length, writings };
  }

  /** Only bytes already in their file are to be synced: a checkpoint may be running. Returns the errors. */
  #written({ stream, pieces, writings }: Due, failures: readonly unknown[]): unknown {
    if (this.#deleted.has(stream)) return undefined;
    const failed = failures.find((one) => one !== undefined);
    if (failed !== undefined) return failed;
    for (const { course, isNew } of writings) {
      this.#dirtyFiles.set(`${stream}/${course}`, { stream, course });
      if (!isNew) continue;
      this.#dirtyStreams.add(stream);
      if (stream !== PROJECT_STREAM) this.#dirtyPlaces.add(this.#layout.place(this.placeOf(stream))).add(this.#layout.dialogs);
    }
    const waiting = this.#pieces.get(stream) ?? [];
    if (waiting.length > pieces) this.#pieces.set(stream, waiting.slice(pieces));
    else this.#pieces.delete(stream);
    return this.#elsewhere.has(stream) ? attempt(() => this.#move(stream)) : undefined;
  }

  /** The journal must be free for others: lines that cannot be written are kept beside it, where `repair` finds them. */
  async #setAside({ stream, pieces, writings }: Due, error: unknown): Promise<void> {
    for (const { course, at, pieces: bytes } of writings)
      await replaceFile(this.#disk, this.#layout.unwritten(stream, course, at), Buffer.concat(bytes));
    const waiting = this.#pieces.get(stream) ?? [];
    if (waiting.length > pieces) this.#pieces.set(stream, waiting.slice(pieces));
    else this.#pieces.delete(stream);
    this.#stuck.add(stream);
    this.onStuck(stream, error);
  }

  #move(stream: StreamId): void {
    const from = this.#elsewhere.get(stream);
    if (!from || this.#pieces.has(stream)) return;
    const to = this.#target(stream);
    const [oldPlace, newPlace] = [this.#layout.place(from), this.#layout.place(to)];
    this.#disk.makeFolder(newPlace);
    this.#disk.rename(this.#layout.folder(stream, from), this.#layout.folder(stream, to));
    this.#elsewhere.delete(stream);
    this.#dirtyPlaces.add(oldPlace).add(newPlace).add(this.#layout.dialogs);
  }

  #target(stream: StreamId): StatusFolder {
    return PLACES[this.#catalog.statusOf(stream) ?? "running"];
  }

  #isThere(stream: StreamId, place: TreeFolder): boolean {
    return this.#disk.stat(this.#layout.folder(stream, place)) !== undefined;
  }
}
