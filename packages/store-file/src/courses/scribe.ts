import { codeOf, type Disk, writeAll } from "../disk/disk.ts";
import { dirname } from "node:path";
import { aMoment, type Pace } from "../disk/pace.ts";

/** Bytes for a position in a file. */
export interface Writing {
  readonly path: string;
  readonly at: number;
  /** In order, without gaps. */
  readonly pieces: readonly Uint8Array[];
  /** The file is new, and its folder may be. */
  readonly isNew: boolean;
}

const SLICE_MS = 3;

/**
 * Writes into many files: off the main thread if the disk supports it, else a few milliseconds at a time. Returns the error of each. The
 * bytes must not change until then.
 */
export async function writeAside(disk: Disk, pace: Pace, writings: readonly Writing[]): Promise<readonly unknown[]> {
  if (disk.writeMany) return disk.writeMany(writings);
  const failures: unknown[] = [];
  let untilMs = pace.nowMs() + SLICE_MS;
  for (const writing of writings) {
    if (pace.nowMs() > untilMs) {
      await aMoment(pace);
      untilMs = pace.nowMs() + SLICE_MS;
    }
    failures.push(attempt(() => writeOne(disk, writing)));
  }
  return failures;
}

export function writeOne(disk: Disk, { path, at, pieces, isNew }: Writing): void {
  if (isNew) disk.makeFolder(dirname(path));
  const fd = openAgain(disk, path);
  try {
    let from = at;
    for (const bytes of pieces) {
      writeAll(disk, fd, bytes, from);
      from += bytes.length;
    }
  } finally {
    disk.close(fd);
  }
}

/** A crash may have lost its folder as well as the file. */
function openAgain(disk: Disk, path: string): number {
  try {
    return disk.open(path, "write");
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    disk.makeFolder(dirname(path));
    return disk.open(path, "write");
  }
}

export function attempt(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
