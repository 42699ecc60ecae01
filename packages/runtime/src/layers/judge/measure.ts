import { chmodSync } from "node:fs";
import { join } from "node:path";
import { namesIn, statOf } from "../identity.ts";

const MAX_LAYER_BYTES = 4_000_000_000;
const MAX_LAYER_FILES = 500_000;
/** A path may have 4,096 bytes; this leaves room for a name and the folders around a copy. */
const MAX_PATH_BYTES = 3_500;

export interface Measured {
  readonly files: number;
  readonly bytes: number;
  /** Original permissions of paths that we had to open in order to look. */
  readonly modes: ReadonlyMap<string, number>;
  /** The layer is over its size limit; the rest wasn't inspected. */
  readonly isTooLarge: boolean;
  /** Folders nested deeper than programs can name. */
  readonly isTooDeep: boolean;
}

/** Counts what a command wrote, and opens what it closed: without root we couldn't look into it. */
export const measureLayer = (folder: string): Measured => measure(folder, process.getuid?.() !== 0);

/** Counts what a project holds, except `.dialogs/`. */
export const measureProject = (root: string): Measured => measure(root, false);

function measure(folder: string, opens: boolean): Measured {
  const modes = new Map<string, number>();
  let [files, bytes] = [0, 0];
  let isTooDeep = false;
  const look = (place: string, inside: string): void => {
    // A longer path can't be opened.
    if (Buffer.byteLength(place) > MAX_PATH_BYTES) isTooDeep = true;
    if (isTooDeep) return;
    for (const name of namesIn(place)) {
      if (files > MAX_LAYER_FILES || bytes > MAX_LAYER_BYTES) return;
      const path = inside === "" ? name : `${inside}/${name}`;
      if (path === ".dialogs") continue;
      const stat = statOf(join(place, name));
      if (!stat) continue;
      files += 1;
      const needed = stat.isDirectory() ? 0o700 : stat.isFile() ? 0o400 : 0;
      const mode = Number(stat.mode) & 0o7777;
      if (opens && (mode & needed) !== needed) {
        modes.set(path, mode);
        chmodSync(join(place, name), mode | needed);
      }
      if (stat.isFile()) bytes += Number(stat.size);
      else if (stat.isDirectory()) look(join(place, name), path);
    }
  };
  look(folder, "");
  return { files, bytes, modes, isTooLarge: files > MAX_LAYER_FILES || bytes > MAX_LAYER_BYTES, isTooDeep };
}
