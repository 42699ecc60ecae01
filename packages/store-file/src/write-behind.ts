import { PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import type { Catalog } from "./catalog.ts";
import { codeOf, type Disk, writeAll } from "./disk.ts";
import { type Layout, PLACES, type Place } from "./layout.ts";
import type { Pace } from "./pace.ts";

/** Bytes of a course file that are durable in the journal and not in the file yet. */
export interface Piece {
  readonly course: number;
  /** Where in the file. */
  readonly at: number;
  readonly bytes: number;
  /** Where they are until then. */
  readonly buffer: Buffer;
  readonly from: number;
}

/** What was written since the last checkpoint and is to be synced. */
export interface Dirt {
  readonly files: readonly { readonly stream: StreamId; readonly course: number }[];
  /** Streams with new files in their folders. Named so, because a folder may move before it is synced. */
  readonly streams: readonly StreamId[];
  /** Folders that folders of trees came into or left. */
  readonly places: readonly string[];
}

const OPEN_FILES = 256;
const SLICE_MS = 3;

/**
 * Brings lines from the journal into course files, and folders to where their status says. It writes at the place that the journal names, so
 * doing it twice is doing it once. Nothing here is synced: the journal vouches for it until a checkpoint does.
 */
export class WriteBehind {
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #pace: Pace;
  readonly #catalog: Catalog;
  readonly #pieces = new Map<StreamId, Piece[]>();
  /** Where folders are that are elsewhere than their status says. */
  readonly #elsewhere = new Map<StreamId, Place>();
  /** Came out of the journal: a crash may have been before or after the move of their folders. */
  readonly #unsure = new Set<StreamId>();
  readonly #open = new Map<string, number>();
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
    return this.#pieces.size === 0 && this.#elsewhere.size === 0;
  }

  add(stream: StreamId, piece: Piece): void {
    const pieces = this.#pieces.get(stream);
    if (pieces) pieces.push(piece);
    else this.#pieces.set(stream, [piece]);
  }

  /** A piece that a start found in the journal. */
  redo(stream: StreamId, piece: Piece): void {
    this.#unsure.add(stream);
    this.add(stream, piece);
  }

  /** Are lines of it still on their way into its file? */
  isPending(stream: StreamId): boolean {
    return this.#pieces.has(stream);
  }

  piecesOf(stream: StreamId, course: number): readonly Piece[] {
    return this.#pieces.get(stream)?.filter((piece) => piece.course === course) ?? [];
  }

  /** To be called before the catalog learns of a new status. */
  willMove(stream: StreamId, to: Place): void {
    if (this.#catalog.statusOf(stream) === undefined) return;
    const from = this.placeOf(stream);
    if (from === to) this.#elsewhere.delete(stream);
    else this.#elsewhere.set(stream, from);
  }

  /** Where a stream's folder is now. */
  placeOf(stream: StreamId): Place {
    if (this.#unsure.delete(stream)) this.locate(stream);
    return this.#elsewhere.get(stream) ?? this.#target(stream);
  }

  /** Looks where the folder really is. Returns the place if it is not where its status says. */
  locate(stream: StreamId): Place | undefined {
    if (stream === PROJECT_STREAM || this.#isThere(stream, this.#target(stream))) return undefined;
    const found = Object.values(PLACES).find((place) => this.#isThere(stream, place));
    if (found) this.#elsewhere.set(stream, found);
    return found;
  }

  /** Streams with something to write or to move, as of now. */
  pending(): Iterator<StreamId> {
    return [...this.#pieces.keys(), ...this.#elsewhere.keys()].values();
  }

  /** Writes for a few milliseconds. Returns whether there are more of these. */
  slice(streams: Iterator<StreamId>): boolean {
    const untilMs = this.#pace.nowMs() + SLICE_MS;
    for (let next = streams.next(); !next.done; next = streams.next()) {
      this.#writeStream(next.value);
      if (this.#pace.nowMs() > untilMs) return true;
    }
    return false;
  }

  takeDirt(): Dirt {
    const dirt = { files: [...this.#dirtyFiles.values()], streams: [...this.#dirtyStreams], places: [...this.#dirtyPlaces] };
    this.#dirtyFiles = new Map();
    this.#dirtyStreams = new Set();
    this.#dirtyPlaces = new Set();
    return dirt;
  }

  /** The descriptor of a course file, kept open for a while. */
  descriptor(stream: StreamId, course: number): number {
    const key = `${stream}/${course}`;
    const kept = this.#open.get(key);
    if (kept !== undefined) {
      this.#open.delete(key);
      this.#open.set(key, kept);
      return kept;
    }
    const fd = this.#disk.open(this.#layout.course(stream, this.placeOf(stream), course), "write");
    this.#open.set(key, fd);
    const [oldest] = this.#open;
    if (oldest && this.#open.size > OPEN_FILES) {
      this.#open.delete(oldest[0]);
      this.#disk.close(oldest[1]);
    }
    return fd;
  }

  close(): void {
    for (const fd of this.#open.values()) this.#disk.close(fd);
    this.#open.clear();
  }

  #writeStream(stream: StreamId): void {
    const pieces = this.#pieces.get(stream) ?? [];
    for (let n = 0; n < pieces.length;) {
      const first = pieces[n] as Piece;
      const from = n;
      let end = first.at + first.bytes;
      for (n += 1; pieces[n]?.course === first.course && pieces[n]?.at === end; n += 1) end += pieces[n]?.bytes ?? 0;
      writeAll(this.#disk, this.#fileFor(stream, first), joined(pieces, from, n, end - first.at), first.at);
      this.#dirtyFiles.set(`${stream}/${first.course}`, { stream, course: first.course });
    }
    this.#pieces.delete(stream);
    if (this.#elsewhere.has(stream)) this.#move(stream);
  }

  #fileFor(stream: StreamId, { course, at }: Piece): number {
    const makeFolder = () => {
      const place = this.placeOf(stream);
      this.#disk.makeFolder(this.#layout.folder(stream, place));
      this.#dirtyPlaces.add(this.#layout.place(place)).add(this.#layout.dialogs);
    };
    if (at === 0) {
      if (course === 1 && stream !== PROJECT_STREAM) makeFolder();
      this.#dirtyStreams.add(stream);
    }
    try {
      return this.descriptor(stream, course);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      makeFolder(); // lost with a crash, like the file
      this.#dirtyStreams.add(stream);
      return this.descriptor(stream, course);
    }
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

  #target(stream: StreamId): Place {
    return PLACES[this.#catalog.statusOf(stream) ?? "running"];
  }

  #isThere(stream: StreamId, place: Place): boolean {
    return this.#disk.stat(this.#layout.folder(stream, place)) !== undefined;
  }
}

function joined(pieces: readonly Piece[], from: number, to: number, bytes: number): Buffer {
  const first = pieces[from] as Piece;
  if (to === from + 1) return first.buffer.subarray(first.from, first.from + first.bytes);
  const all = Buffer.allocUnsafe(bytes);
  for (const { buffer, from: begin, at, bytes: length } of pieces.slice(from, to)) buffer.copy(all, at - first.at, begin, begin + length);
  return all;
}
