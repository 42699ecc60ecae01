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
    // Below a file there is nothing.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
};

/** In order. None of what is no folder, or is closed to us: there we can change nothing either. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** What stood at a place, so that it is known again. Of a folder: all that is in it. */
export interface Identity {
  readonly kind: NodeKind;
  readonly ino: string;
  /** Size and time of change; of a folder, a digest of those of all that is in it. */
  readonly state: string;
  /** When its name, its permissions or its content last changed. Our own link to it changes this too. */
  readonly ctimeNs: string;
}

/** How places are looked at. */
export type Look = (place: string) => Identity | undefined;

export const identityAt: Look = (place) => identityOf(place, ({ size, mtimeNs, ctimeNs }) => `${size}:${mtimeNs}:${ctimeNs}`);

/** The same after it was moved away and back: what an undo of a later command leaves. Its content was not written meanwhile. */
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

/** The same, and untouched since. */
export const isSame = (one: Identity | undefined, other: Identity | undefined): boolean =>
  isSameContent(one, other) && one?.ctimeNs === other?.ctimeNs;

/** The same as far as its content goes: our own links and renames leave this as it is. */
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
