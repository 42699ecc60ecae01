import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";

/**
 * The git folders of the project's own repository that are in the project: `.git`, or the folder that a file `.git` names, and those
 * of its worktrees. Ask before a command runs. Tools cannot change the files that are read here.
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

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // Not there: then git finds nothing there either.
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
    return []; // It leads nowhere.
  }
}
