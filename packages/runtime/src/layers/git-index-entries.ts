import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ownGitFolders } from "../tools/protected/own-git.ts";
import { type Identity, isSameContent, type Look } from "./identity.ts";

const MAX_BYTES = 200_000_000;
const STAT_BYTES = 40;
const MODE_AT = 24;
const EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;
/** Some of the entries are in another file. */
const SPLIT = "link";

/**
 * A digest of git's index: paths, versions, modes and flags. Every `git status` rewrites the index to remember file times, which this
 * leaves out. Undefined if the index is missing or unreadable.
 */
export function indexEntries(place: string): string | undefined {
  const bytes = bytesOf(place);
  if (!bytes || bytes.length < 12 || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  // Only the end of the file tells how long object names are.
  return digestOf(bytes, 20) ?? digestOf(bytes, 32);
}

function bytesOf(place: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined; // Missing, or closed to us.
  }
  try {
    const stat = fstatSync(fd);
    return stat.isFile() && stat.size <= MAX_BYTES ? readFileSync(fd) : undefined;
  } finally {
    closeSync(fd);
  }
}

function digestOf(bytes: Buffer, idBytes: number): string | undefined {
  const [version, count, end] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8), bytes.length - idBytes];
  if (version < 2 || version > 4) return undefined;
  const hash = createHash("sha256");
  let at = 12;
  let path = Buffer.alloc(0);
  for (let nth = 0; nth < count; nth += 1) {
    const flagsAt = at + STAT_BYTES + idBytes;
    if (flagsAt + 4 > end) return undefined;
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = version > 2 && (flags & EXTENDED) !== 0;
    const name = nameAt(bytes, flagsAt + (isExtended ? 4 : 2), version === 4 ? path : undefined);
    if (!name || name.end > end) return undefined;
    path = name.path;
    hash.update(bytes.subarray(at + MODE_AT, at + MODE_AT + 4)).update(bytes.subarray(at + STAT_BYTES, flagsAt));
    hash.update(`${flags & ~NAME_LENGTH & ~EXTENDED}:${isExtended ? bytes.readUInt16BE(flagsAt + 2) : 0}:${path.length}:`).update(path);
    // Padded with at least one zero to a multiple of eight.
    at = version === 4 ? name.end : at + Math.ceil((name.end - at) / 8) * 8;
  }
  return hasWholeExtensions(bytes, at, end) ? hash.digest("hex") : undefined;
}

/** The path and the offset after its zero byte. In version 4 it shares a prefix with the previous path. */
function nameAt(
  bytes: Buffer,
  from: number,
  previous: Buffer | undefined,
): { readonly path: Buffer<ArrayBuffer>; readonly end: number } | undefined {
  let at = from;
  let dropped = 0;
  if (previous) {
    let byte = bytes[at++] ?? 0;
    dropped = byte & 127;
    for (; byte & 128 && dropped < MAX_BYTES; dropped = (dropped + 1) * 128 + (byte & 127)) byte = bytes[at++] ?? 0;
    if (dropped > previous.length) return undefined;
  }
  const zero = bytes.indexOf(0, at);
  if (zero < 0) return undefined;
  const own = bytes.subarray(at, zero);
  return { path: Buffer.concat(previous ? [previous.subarray(0, previous.length - dropped), own] : [own]), end: zero + 1 };
}

function hasWholeExtensions(bytes: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end) {
    if (bytes.toString("latin1", at, at + 4) === SPLIT) return false;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at === end;
}

/** Is this the index of the project's own repository, or of one of its worktrees? */
export const isOwnIndex = (root: string, path: string): boolean =>
  path.endsWith("/index") && ownGitFolders(root).some((folder) => path === `${folder}/index`);

/** Treats an index that was only refreshed since as unchanged. */
export function orRefreshed(root: string, path: string, was: Identity, look: Look): Identity {
  if (was.entries === undefined || !isOwnIndex(root, path)) return was;
  const place = join(root, path);
  const now = look(place);
  if (now === undefined || indexEntries(place) !== was.entries) return was;
  // It may have been written while it was read.
  return isSameContent(look(place), now) ? { ...now, entries: was.entries } : was;
}
