import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { boundedText, MAX_SETTINGS_BYTES } from "../files/bounded-text.ts";
import { OutOfReach } from "../files/open-at.ts";

/**
 * The git folders of the project's own repository inside the project: `.git`, or the folder that a `.git` file names, and those of its
 * worktrees. Ask before a command runs. Tools can't change the files that are read here.
 */
export function ownGitFolders(root: string): readonly string[] {
  const dotGit = join(root, ".git");
  const stat = lstatSync(dotGit, { throwIfNoEntry: false });
  if (!stat) return [];
  const named = stat.isFile() ? /^gitdir: (.*?)\r?\n?$/s.exec(readText(dotGit))?.[1] : ".git";
  if (named === undefined) return [];
  const folder = resolve(root, named);
  const common = readText(join(folder, "commondir")).trim();
  const main = common === "" ? folder : resolve(folder, common);
  const worktrees = foldersIn(join(main, "worktrees")).filter((place) => readText(join(place, "gitdir")) !== "");
  return [...new Set([folder, main, ...worktrees].flatMap((place) => insideOf(root, place)))];
}

/** Missing: git finds nothing there either. */
const readText = (file: string): string => boundedText(file, MAX_SETTINGS_BYTES) ?? "";

/** Files that git reads whole before it does anything. */
const READ_FIRST = ["HEAD", "config", "config.worktree", "commondir", "gitdir"];
/** Files that it reads for many answers. They may be long. */
const READ_LATER = ["index", "packed-refs", "shallow", "objects/info/alternates", "info/exclude", "info/attributes"];

/** Git would read such a file for minutes or wait for it for ever, at every command. Nobody has one by accident. */
export function assertReadableGit(root: string, top: string): void {
  const dotGit = join(top, ".git");
  for (const name of ["", ...READ_FIRST, ...READ_LATER]) {
    const place = join(dotGit, name);
    const stat = statIfAny(place);
    if (!stat || stat.isDirectory()) continue;
    if (!stat.isFile()) throw unreadable(root, place, "is neither a file nor a folder");
    if (stat.size > MAX_SETTINGS_BYTES && !READ_LATER.includes(name)) throw unreadable(root, place, `has ${stat.size} bytes`);
  }
}

export const unreadable = (root: string, place: string, problem: string): OutOfReach =>
  new OutOfReach(
    `${relative(root, place)} ${problem}, so git cannot work here. A person must repair or remove it; until then no command is run and no file written.`,
  );

function statIfAny(place: string): Stats | undefined {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    return undefined; // `.git` is a file, or a dangling link.
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return []; // No worktrees.
  }
}

function insideOf(root: string, place: string): readonly string[] {
  try {
    const inside = relative(root, realpathSync.native(place)).split(sep).join("/");
    return inside === "" || inside === ".." || inside.startsWith("../") ? [] : [inside];
  } catch {
    return []; // A dangling link.
  }
}
