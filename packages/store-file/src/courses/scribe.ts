import { codeOf, type Disk, writeAll } from "../disk/disk.ts";
import { dirname } from "node:path";
import { aMoment, type Pace } from "../disk/pace.ts";

/** Bytes that belong at a place in a file. */
export interface Writing {
  readonly path: string;
  readonly at: number;
  /** One behind the other. */
  readonly pieces: readonly Uint8Array[];
  /** The file is new, and its folder may be. */
  readonly isNew: boolean;
}

const SLICE_MS = 3;

/**
 * Writes into many files: away from the main thread where the disk can do that, else a few milliseconds at a time. Returns what went wrong with
 * each. The bytes must stay as they are until then.
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

/** Its folder may have been lost with a crash, like the file. */
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
