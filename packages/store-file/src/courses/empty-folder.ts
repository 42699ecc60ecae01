import { join } from "node:path";
import type { Disk } from "../disk/disk.ts";
import { aMoment, type Pace } from "../disk/pace.ts";

/** Removals between two looks at other work. */
const MAX_FILES_AT_ONCE = 50;

/** Removes the files in a folder, and in those below it, a few at a time. */
export async function emptyFolder(disk: Disk, pace: Pace, folder: string): Promise<void> {
  for (const [nth, name] of disk.list(folder).entries()) {
    if (nth % MAX_FILES_AT_ONCE === MAX_FILES_AT_ONCE - 1) await aMoment(pace);
    const path = join(folder, name);
    if (disk.stat(path)?.isFolder) await emptyFolder(disk, pace, path);
    else disk.remove(path);
  }
}
