// Which paths belong to git. A git folder names programs that git starts (hooks, `core.fsmonitor`, `core.pager`, filters), and people
// and editors run git without a second thought. So tools neither make one nor change one, under any name: git takes every folder
// with `HEAD`, `objects` and `refs` for a repository, and one with `HEAD` and `commondir` for a part of one.
// Pure: paths are relative to the project, with slashes and without links, and the caller says what else is there.
import { folded, isDotGit } from "../files/hidden.ts";

export interface GitSurroundings {
  /**
   * Does this path exist, links included? For a command that has run: before or after it, so that a repository counts if the command
   * created, moved or dismantled it.
   */
  readonly has: (path: string) => boolean;
  /** The git folders of the project and its worktrees, as they were before any change. Default: `.git`. */
  readonly own?: readonly string[];
}

/**
 * - `free`: git has nothing to do with it.
 * - `data`: git itself writes this in the project's own repository. Commands may, file tools may not.
 * - `closed`: it decides what git runs or where git looks, or it belongs to another repository or makes a new one.
 */
export type GitVerdict = "free" | "data" | "closed";

export type EntryKind = "file" | "folder" | "link";

/** May this path be created, changed or removed, as far as git is concerned? Fast for many paths of the same moment. */
export function gitJudge({ has, own = [".git"] }: GitSurroundings): (path: string, kind?: EntryKind) => GitVerdict {
  const ownFolders = new Set(own);
  const seen = new Map<string, boolean>();
  const isThere = (path: string): boolean => {
    const known = seen.get(path);
    if (known !== undefined) return known;
    const answer = has(path);
    seen.set(path, answer);
    return answer;
  };
  const hasShape = (folder: string, made: string): boolean => {
    const hasPiece = (piece: string) => folded(made) === folded(piece) || isThere(folder === "" ? piece : `${folder}/${piece}`);
    return hasPiece("HEAD") && (hasPiece("commondir") || (hasPiece("objects") && hasPiece("refs")));
  };

  return (path, kind) => {
    const parts = path.split("/");
    let base: string | undefined;
    for (const [at, part] of parts.entries()) {
      const folder = parts.slice(0, at).join("/");
      if (ownFolders.has(folder)) base = folder;
      else if (hasShape(folder, part)) return "closed";
      const here = parts.slice(0, at + 1).join("/");
      if (isDotGit(part) && !ownFolders.has(here)) return "closed";
    }
    if (ownFolders.has(path)) return kind === "folder" && isThere(path) ? "data" : "closed";
    if (base === undefined) return "free";
    // Git puts no links into its folder; one would lead its data or its readers elsewhere.
    return kind !== "link" && isData(path.slice(base.length + 1), kind) ? "data" : "closed";
  };
}

/** Is this file in a git folder? `beside`: the names in its folder. */
export const isInGit = (path: string, beside: () => readonly string[]): boolean =>
  path.split("/").slice(0, -1).some(isDotGit) || isGitFolder(beside());

/** Does git treat a folder with these entries as a repository, or a part of one? */
export function isGitFolder(names: readonly string[]): boolean {
  const plain = new Set(names.map(folded));
  return plain.has("head") && (plain.has("commondir") || (plain.has("objects") && plain.has("refs")));
}

/** Folders that hold only data: objects, references and their history, and the state of a rebase, a pick or a conflict. */
const DATA_FOLDERS = new Set([
  "objects",
  "refs",
  "reftable",
  "logs",
  "lfs",
  "rr-cache",
  "rebase-merge",
  "rebase-apply",
  "sequencer",
  "lost-found",
  "NOTES_MERGE_WORKTREE",
]);

const DATA_FILES = new Set([
  "HEAD",
  "packed-refs",
  "index",
  "shallow",
  "COMMIT_EDITMSG",
  "TAG_EDITMSG",
  "NOTES_EDITMSG",
  "SQUASH_MSG",
  "MERGE_MSG",
  "MERGE_MODE",
  "MERGE_RR",
  "MERGE_AUTOSTASH",
  "AUTO_MERGE",
  "ADD_EDIT.patch",
  "addp-hunk-edit.diff",
  "gc.log",
  "gc.pid",
]);

/** `ORIG_HEAD`, `FETCH_HEAD` and the like; a bisection; a split index; drafts of the index. */
const DATA_NAMES = /^(?:[A-Z]+(?:_[A-Z]+)*_HEAD|BISECT_[A-Z_]+|NOTES_MERGE_[A-Z]+|sharedindex\.\w+|index\.stash\.\d+|next-index-\d+)$/;

/** Other places where git looks for objects: outside the project, or prepared by somebody. */
const ALTERNATES = /^objects\/info\/(?:http-)?alternates/;

/** An allow list of what git writes, since a newer git may obey files that we don't know. A folder named `ORIG_HEAD` stops git. */
function isData(inside: string, kind: EntryKind | undefined): boolean {
  const [first = "", ...below] = inside.split("/");
  if (below.length > 0) return DATA_FOLDERS.has(first) && !ALTERNATES.test(inside.split("/").map(folded).join("/"));
  const name = first.replace(/\.lock$/, "");
  if (DATA_FOLDERS.has(name)) return kind !== "file" || name !== first;
  return kind !== "folder" && (DATA_FILES.has(name) || DATA_NAMES.test(name));
}
