import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

/** Larger than the index of any real project. */
const MAX_INDEX_BYTES = 200_000_000;
/** The size of an entry before its name. */
const ENTRY_BYTES = 62;
const EXTENDED = 0x4000;
const NAME_LENGTH = 0xfff;

/**
 * The files that git tracks in a folder, read from its index: running git would first obey the folder's own settings. None if the index
 * is missing or unreadable.
 */
export function trackedFiles(dir: string): readonly string[] {
  const bytes = readIndex(dir);
  if (!bytes || bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return [];
  const version = bytes.readUInt32BE(4);
  const names: string[] = [];
  let at = 12;
  let before = "";
  for (let left = bytes.readUInt32BE(8); left > 0 && at + ENTRY_BYTES < bytes.length; left -= 1) {
    const flags = bytes.readUInt16BE(at + 60);
    let from = at + ENTRY_BYTES + (flags & EXTENDED ? 2 : 0);
    let kept = "";
    if (version === 4) {
      const cut = varint(bytes, from);
      from = cut.end;
      kept = before.slice(0, Math.max(0, before.length - cut.value));
    }
    const isShort = version < 4 && (flags & NAME_LENGTH) < NAME_LENGTH;
    const to = isShort ? from + (flags & NAME_LENGTH) : bytes.indexOf(0, from);
    if (to < 0) break;
    before = kept + bytes.toString("utf8", from, to);
    names.push(before);
    // Up to version 3 entries are padded with zeros to a multiple of eight.
    at = version === 4 ? to + 1 : at + Math.ceil((to - at + 1) / 8) * 8;
  }
  return names;
}

/** Git's encoding for the number of characters to cut off the previous name. */
function varint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } {
  let at = from;
  let byte = bytes[at++] ?? 0;
  let value = byte & 0x7f;
  while (byte & 0x80) {
    byte = bytes[at++] ?? 0;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, end: at };
}

function readIndex(dir: string): Buffer | undefined {
  try {
    const git = join(dir, ".git");
    const folder = statSync(git).isDirectory()
      ? git
      : resolve(
          dir,
          readFile(git, 10_000)
            .toString()
            .replace(/^gitdir: /, "")
            .trim(),
        );
    return readFile(join(folder, "index"), MAX_INDEX_BYTES);
  } catch {
    return undefined; // not a repository, or not readable
  }
}

/** Regular files only: opening a pipe would block for ever. */
function readFile(path: string, maxBytes: number): Buffer {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > maxBytes) throw new Error(`${path} is not a file of a size to read`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Files that contain keys, by name; examples contain none. */
export const isSecretFile = (path: string): boolean => /(?:^|\/)\.env(?:\.(?!example$|sample$|template$|dist$)[^/]*)?$/i.test(path);
