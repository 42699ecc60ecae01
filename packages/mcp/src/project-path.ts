import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

const MAX_LINKS = 40;

/** A project's folder as a real path. */
export const realRoot = (dir: string): string => {
  try {
    return realpathSync.native(dir);
  } catch {
    return resolve(dir); // Missing: nothing is in it either.
  }
};

/** A path relative to the root, with slashes; undefined outside it, and empty for the root itself. */
export function insideOf(root: string, place: string): string | undefined {
  const way = relative(root, place);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way.split(sep).join("/");
}

/** The real path, even if its last parts are missing. */
export function realPlace(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    const parent = dirname(place);
    return parent === place ? place : join(realPlace(parent), place.slice(parent.length));
  }
}

/** Is this in the project, by its name or its real path? */
export const isIn = (root: string, place: string): boolean =>
  insideOf(root, place) !== undefined || insideOf(root, realPlace(place)) !== undefined;

/**
 * All names in the project by which a path could be changed: its target, and each link on the way. A replaced link leads elsewhere, so
 * it counts as much as the file.
 */
export function waysTo(root: string, place: string): readonly string[] {
  const ways = new Set<string>();
  const add = (path: string) => {
    const inside = insideOf(root, path);
    if (inside !== undefined && inside !== "") ways.add(inside);
  };
  let path = place;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const link = firstLink(path);
    if (!link) break;
    add(link.at);
    path = resolve(dirname(link.at), link.target, link.rest);
  }
  add(path);
  return [...ways];
}

function firstLink(path: string): { readonly at: string; readonly target: string; readonly rest: string } | undefined {
  const { root } = parse(path);
  let at = root;
  const parts = path.slice(root.length).split(sep);
  for (const [nth, part] of parts.entries()) {
    at = join(at, part);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (stat.isSymbolicLink()) return { at, target: readlinkSync(at), rest: parts.slice(nth + 1).join(sep) };
  }
  return undefined;
}
