import type { LogCursor } from "@colloquy/store";
import { type Disk, readWhole, replaceFile } from "./disk/disk.ts";

/**
 * A follower's position in a file of its own, replaced as a whole. The store's lock keeps other processes away, so nobody else claims it.
 * A file that cannot be read counts as a position before everything: sending twice is better than losing.
 */
export function fileCursor(disk: Disk, path: string, during: <Value>(work: () => Promise<Value>) => Promise<Value>): LogCursor {
  return {
    claim: () =>
      during(async () => {
        const bytes = readWhole(disk, path);
        return { pos: bytes && positionIn(bytes) };
      }),
    save: (pos) =>
      during(async () => {
        await replaceFile(disk, path, Buffer.from(`${JSON.stringify({ pos })}\n`));
        return true;
      }),
    release: async () => undefined,
  };
}

function positionIn(bytes: Buffer): number {
  try {
    const { pos } = JSON.parse(bytes.toString()) as { readonly pos?: unknown };
    return typeof pos === "number" && pos >= 0 ? pos : 0;
  } catch {
    return 0; // edited by hand, or torn
  }
}
