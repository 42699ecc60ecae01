import { type BigIntStats, closeSync, constants, openSync, readlinkSync, readSync } from "node:fs";
import { join } from "node:path";
import { kindOf, namesIn, statOf } from "../identity.ts";

/** A changed path, relative to the project, with slashes. */
export interface Change {
  readonly path: string;
  readonly before: BigIntStats | undefined;
  /** Absent: deleted. */
  readonly after: BigIntStats | undefined;
  /** The content is unchanged: only permissions or times differ. */
  readonly isMeta: boolean;
}

export interface Changes {
  readonly changes: readonly Change[];
  /** Names that the command created and that aren't valid text. */
  readonly unnamed: readonly string[];
}

export interface Scene {
  /** The project. */
  readonly lower: string;
  /** The command's writes; absent: `merged` is a copy of the project. */
  readonly upper: string | undefined;
  readonly merged: string;
  /** When the copy was complete: anything older is untouched, unless its folder has moved. */
  readonly copiedNs?: bigint;
  /** The folders of the copy when it was made: inode numbers by path. */
  readonly copiedFolders?: ReadonlyMap<string, string>;
  /** When the layer was made: anything newer in the project was made by somebody else. */
  readonly sinceNs: bigint;
  /** Permissions that a command took from us, and that we restored in order to look. */
  readonly modes: ReadonlyMap<string, number>;
}

/**
 * The differences between the project and the view that a command left. With an overlay only the command's writes are inspected: in a
 * folder with the same inode number as the one below, the entries of `upper` are everything. A replaced or moved folder is compared as
 * a whole.
 */
export function findChanges(scene: Scene): Changes {
  const finder = new Finder(scene);
  if (scene.upper === undefined) finder.compare("");
  else finder.merge("");
  return finder;
}

class Finder implements Changes {
  readonly unnamed: string[] = [];
  readonly changes: Change[] = [];
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  merge(folder: string): void {
    const { lower, upper = "", merged } = this.#scene;
    for (const name of namesIn(join(upper, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`;
      const [below, over, after] = [statOf(join(lower, path)), statOf(join(upper, path)), statOf(join(merged, path))];
      if (path.includes("\uFFFD")) this.unnamed.push(path);
      else if (!over || isWhiteout(over) || !after) {
        if (below) this.#add(path, below, undefined);
      } else if (below?.isDirectory() && over.isDirectory() && after.isDirectory()) {
        if (modeOf(below) !== this.#modeOf(path, over)) this.#add(path, below, over, true);
        if (after.ino === below.ino) this.merge(path);
        else this.compare(path);
      } else this.#judge(path, below, after);
    }
  }

  compare(folder: string): void {
    const { lower, upper, merged } = this.#scene;
    const [old, fresh] = [namesIn(join(lower, folder)), namesIn(join(merged, folder))];
    const isInPlace = this.#isInPlace(folder);
    for (const name of [...new Set([...old, ...fresh])].toSorted()) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (upper === undefined && path === ".dialogs") continue;
      if (path.includes("\uFFFD")) {
        if (!old.includes(name)) this.unnamed.push(path);
        continue;
      }
      const [below, after] = [statOf(join(lower, path)), statOf(join(merged, path))];
      if (this.#isElsewhere(below, after, isInPlace)) continue;
      if (!after) {
        if (below) this.#add(path, below, undefined);
      } else if (below?.isDirectory() && after.isDirectory()) {
        if (modeOf(below) !== this.#modeOf(path, after)) this.#add(path, below, after, true);
        // One folder below, and the command wrote nothing in it.
        if (upper !== undefined && after.ino === below.ino && statOf(join(upper, path)) === undefined) continue;
        this.compare(path);
      } else this.#judge(path, below, after);
    }
  }

  /** With a copy: true if they differ because somebody else changed the project meanwhile, not the command. */
  #isElsewhere(below: BigIntStats | undefined, after: BigIntStats | undefined, isInPlace: boolean): boolean {
    const { upper, copiedNs = 0n, sinceNs } = this.#scene;
    if (upper !== undefined) return false;
    if (!after) return below !== undefined && below.ctimeNs > sinceNs;
    return isInPlace && !after.isDirectory() && after.ctimeNs <= copiedNs;
  }

  /** With a copy: is this folder where it was copied to? Moving a folder doesn't change the files in it. */
  #isInPlace(folder: string): boolean {
    const { merged, copiedFolders } = this.#scene;
    return copiedFolders?.get(folder) === String(statOf(join(merged, folder))?.ino);
  }

  #judge(path: string, below: BigIntStats | undefined, after: BigIntStats): void {
    const { lower, merged } = this.#scene;
    if (!below || kindOf(below) !== kindOf(after)) this.#add(path, below, after);
    else if (after.isSymbolicLink()) {
      if (readlinkSync(join(lower, path)) !== readlinkSync(join(merged, path))) this.#add(path, below, after);
    } else if (!after.isFile() || !hasSameBytes(join(lower, path), below, join(merged, path), after)) this.#add(path, below, after);
    else if (modeOf(below) !== this.#modeOf(path, after) || below.mtimeNs !== after.mtimeNs) this.#add(path, below, after, true);
  }

  #modeOf(path: string, stat: BigIntStats): number {
    return this.#scene.modes.get(path) ?? modeOf(stat);
  }

  #add(path: string, before: BigIntStats | undefined, after: BigIntStats | undefined, isMeta = false): void {
    this.changes.push({ path, before, after, isMeta });
  }
}

export const modeOf = (stat: BigIntStats): number => Number(stat.mode) & 0o7777;

/** overlayfs's whiteout for a deleted path. A command can't make one. */
const isWhiteout = (stat: BigIntStats): boolean => stat.isCharacterDevice() && stat.rdev === 0n;

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 256 * 1024;

function hasSameBytes(one: string, oneStat: BigIntStats, other: string, otherStat: BigIntStats): boolean {
  if (oneStat.size !== otherStat.size) return false;
  let [first, second] = [-1, -1];
  try {
    [first, second] = [openSync(one, READ), openSync(other, READ)];
    const [left, right] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)];
    for (;;) {
      const [read, readToo] = [readSync(first, left), readSync(second, right)];
      if (read !== readToo || left.compare(right, 0, readToo, 0, read) !== 0) return false;
      if (read === 0) return true;
    }
  } catch (error) {
    // A file that we can't read isn't known to be the same.
    if ((error as NodeJS.ErrnoException).code === "EACCES") return false;
    throw error;
  } finally {
    for (const fd of [first, second]) if (fd >= 0) closeSync(fd);
  }
}
