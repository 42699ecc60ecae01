import { chmodSync } from "node:fs";
import { join } from "node:path";
import { namesIn, statOf } from "../identity.ts";

const MAX_LAYER_BYTES = 4_000_000_000;
const MAX_LAYER_FILES = 500_000;
/** Of the 4,096 that a path may have, less a name and the folders around a copy. */
const MAX_PATH_BYTES = 3_500;

export interface Measured {
  readonly files: number;
  readonly bytes: number;
  /** Permissions as the command left them, where we could not have looked. */
  readonly modes: ReadonlyMap<string, number>;
  /** Beyond what a layer may hold; the rest was not looked at. */
  readonly isTooLarge: boolean;
  /** Folders in folders beyond what programs can name. */
  readonly isTooDeep: boolean;
}

/** Counts what a command wrote, and opens what it closed: without powers, we could not look into it. */
export const measureLayer = (folder: string): Measured => measure(folder, process.getuid?.() !== 0);

/** Counts what a project holds, apart from `.dialogs/`. */
export const measureProject = (root: string): Measured => measure(root, false);

function measure(folder: string, opens: boolean): Measured {
  const modes = new Map<string, number>();
  let [files, bytes] = [0, 0];
  let isTooDeep = false;
  const look = (place: string, inside: string): void => {
    // A path that is longer cannot be opened.
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
