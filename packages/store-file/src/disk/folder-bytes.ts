import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";

/** The size of all files below a folder. Each is asked for by itself, so that nothing else waits; what vanishes meanwhile counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await opendir(folder).catch(() => undefined);
  if (!entries) return 0;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await folderBytes(path);
    else if (entry.isFile())
      bytes += await stat(path).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}
