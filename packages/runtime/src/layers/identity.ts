import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

export type NodeKind = "file" | "folder" | "link" | "other";

export const kindOf = (stat: BigIntStats): NodeKind =>
  stat.isDirectory() ? "folder" : stat.isFile() ? "file" : stat.isSymbolicLink() ? "link" : "other";

export const statOf = (place: string): BigIntStats | undefined => {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // A file has nothing below it.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
};

/** Sorted. Empty if it isn't a folder or is closed to us: then we can't change anything there either. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** Identifies what was at a path, so that it can be recognized. For a folder: everything in it. */
export interface Identity {
  readonly kind: NodeKind;
  readonly ino: string;
  /** Size and mtime; for a folder, a digest over everything in it. */
  readonly state: string;
  /** ctime: the last change of name, permissions or content. Our own link to it changes this too. */
  readonly ctimeNs: string;
  /** For git's index: a digest of its entries. */
  readonly entries?: string | undefined;
}

/** How paths are inspected. */
export type Look = (place: string) => Identity | undefined;

export const identityAt: Look = (place) => identityOf(place, ({ size, mtimeNs, ctimeNs }) => `${size}:${mtimeNs}:${ctimeNs}`);

/** Equal even if it was moved away and back, as undoing a later command does: its content wasn't written meanwhile. */
export const contentIdentityAt: Look = (place) => identityOf(place, ({ size, mtimeNs }) => `${size}:${mtimeNs}`);

function identityOf(place: string, stateInFolder: (stat: BigIntStats) => string): Identity | undefined {
  const stat = statOf(place);
  if (!stat) return undefined;
  const kind = kindOf(stat);
  return {
    kind,
    ino: String(stat.ino),
    state: kind === "folder" ? folderDigest(place, stateInFolder) : `${stat.size}:${stat.mtimeNs}`,
    ctimeNs: kind === "folder" ? "" : String(stat.ctimeNs),
  };
}

/** Equal, and untouched since. */
export const isSame = (one: Identity | undefined, other: Identity | undefined): boolean =>
  isSameContent(one, other) && one?.ctimeNs === other?.ctimeNs;

/** Equal in content: our own links and renames don't matter. */
export const isSameContent = (one: Identity | undefined, other: Identity | undefined): boolean =>
  one?.kind === other?.kind && one?.ino === other?.ino && one?.state === other?.state;

function folderDigest(folder: string, stateOf: (stat: BigIntStats) => string): string {
  const hash = createHash("sha256");
  const add = (place: string, inside: string): void => {
    for (const name of namesIn(place)) {
      const path = `${inside}/${name}`;
      const stat = statOf(join(place, name));
      if (!stat) continue;
      const isFolder = stat.isDirectory();
      hash.update(`${path}\0${stat.ino}\0${isFolder ? stat.mode : stateOf(stat)}\0`);
      if (isFolder) add(join(place, name), path);
    }
  };
  add(folder, "");
  return hash.digest("hex");
}
