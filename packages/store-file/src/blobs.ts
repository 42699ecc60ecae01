import { dirname, join } from "node:path";
import { checkBlobName } from "@colloquy/store";
import { codeOf, type Disk, readWhole, replaceFile } from "./disk.ts";

/** Durable once resolved. `folderOf`: where the tree's folder is now; it may move while we write. */
export async function putBlob(disk: Disk, folderOf: () => string, name: string, content: Uint8Array): Promise<void> {
  checkBlobName(name);
  for (let attempt = 1; ; attempt += 1) {
    const folder = join(folderOf(), "blobs");
    disk.makeFolder(folder);
    try {
      await replaceFile(disk, join(folder, name), content, folder);
      // A folder that is there may be so only as long as the machine runs: whoever made it has not synced it yet, or has died.
      for (const above of [1, 2, 3]) await disk.syncFolder(ancestor(folder, above));
      return;
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || attempt === 3) throw error;
    }
  }
}

export function getBlob(disk: Disk, folder: string, name: string): Uint8Array | undefined {
  checkBlobName(name);
  const bytes = readWhole(disk, join(folder, "blobs", name));
  return bytes && new Uint8Array(bytes);
}

const ancestor = (path: string, steps: number): string => (steps === 0 ? path : ancestor(dirname(path), steps - 1));
