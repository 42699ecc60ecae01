import { join } from "node:path";
import { gitJudge } from "../../tools/protected/git-shape.ts";
import { folded, isHidden, isReadOnly } from "../../tools/files/hidden.ts";
import { ownGitFolders } from "../../tools/protected/own-git.ts";
import { standIns } from "../../tools/shell/stand-ins.ts";
import { type NodeKind, statOf } from "../identity.ts";

/** Nobody works in folders that deep, and looking at each of their parents takes for ever. */
const MAX_DEPTH = 200;

/** What a command may not make, change or remove, by path. */
export type Refuser = (path: string, kind: NodeKind) => boolean;

/** `merged`: the project as the command left it; the project itself is as it was. */
export function refuser(
  root: string,
  merged: string,
  { programs, code }: { readonly programs: readonly string[]; readonly code: readonly string[] },
): Refuser {
  const stoodFor = standIns(root);
  const judge = gitJudge({
    has: (path) => statOf(join(root, path)) !== undefined || statOf(join(merged, path)) !== undefined,
    own: ownGitFolders(root),
  });
  const isRun = belowAny([...programs, ...code]);
  const isAboveRun = aboveAny([...programs, ...code]);
  const hasTasks = statOf(join(root, "tasks")) !== undefined;
  return (path, kind) => {
    // Nobody could name it again to look at it or to remove it.
    if (path.includes("\uFFFD")) return true;
    if (path.split("/", MAX_DEPTH + 1).length > MAX_DEPTH) return true;
    // Pipes, sockets and devices lead to processes and to the machine.
    if (kind === "other") return true;
    const names = [path, stoodFor(path)];
    if (names.some(isHidden) || (!hasTasks && folded(path.split("/")[0] ?? "") === "tasks")) return true;
    if (names.some(isRun)) return true;
    // By a link above it, what we run would be found somewhere else.
    if (kind === "link" && isAboveRun(path)) return true;
    const git = judge(path, kind);
    // A lock that a command leaves behind would stop the person's git; one that was there belongs to it.
    if (git === "data" && path.endsWith(".lock")) return true;
    return git === "closed" || (git === "free" && names.some(isReadOnly));
  };
}

/** Is a path one of these, or below one? For many paths. */
function belowAny(paths: readonly string[]): (path: string) => boolean {
  const known = new Set(paths.map(foldedPath));
  if (known.size === 0) return () => false;
  if (known.has("")) return () => true;
  return (path) => {
    const parts = path.split("/").map(folded);
    return parts.some((_, at) => known.has(parts.slice(0, at + 1).join("/")));
  };
}

/** Is a path a folder that one of these is in? */
function aboveAny(paths: readonly string[]): (path: string) => boolean {
  const parents = paths.flatMap((path) => {
    const parts = path.split("/").map(folded);
    return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
  });
  const known = new Set(parents);
  return (path) => known.has(foldedPath(path));
}

const foldedPath = (path: string): string => (path === "" ? "" : path.split("/").map(folded).join("/"));
