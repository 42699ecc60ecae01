import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Larger than any settings file. */
export const MAX_SETTINGS_BYTES = 4_000_000;
/** Bound of git's reference lists and logs. */
export const MAX_GIT_LIST_BYTES = 100_000_000;

/** The text of a regular file; undefined if it is missing or longer than this: sparse files cost nothing to make and gigabytes to read. */
export function boundedText(path: string, maxBytes: number): string | undefined {
  let fd: number;
  try {
    // Opening a pipe would block.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined; // Missing, or closed to us.
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(fd, "utf8") : undefined;
  } finally {
    closeSync(fd);
  }
}
