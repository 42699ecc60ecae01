import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 256 * 1024;

/** The name that git gives to a file's content; undefined if it can't be read. */
export function contentHash(file: string, algorithm: "sha1" | "sha256"): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined; // Gone or unreadable: equal to nothing else.
  }
  try {
    const hash = createHash(algorithm).update(`blob ${fstatSync(fd).size}\0`);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) hash.update(chunk.subarray(0, read));
    return hash.digest("hex");
  } finally {
    closeSync(fd);
  }
}
