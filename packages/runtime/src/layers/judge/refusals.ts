import { join } from "node:path";
import { gitJudge } from "../../tools/protected/git-shape.ts";
import { folded, isHidden, isReadOnly } from "../../tools/files/hidden.ts";
import { isStartedByNpx } from "../../tools/protected/own-code.ts";
import { ownGitFolders } from "../../tools/protected/own-git.ts";
import { standIns } from "../../tools/shell/stand-ins.ts";
import { type NodeKind, statOf } from "../identity.ts";

/** Nobody works in folders that deep, and checking each parent takes for ever. */
const MAX_DEPTH = 200;

/** Git files that hold the name of a commit, or of another such file. */
const NAMES_A_COMMIT = /(?:^|\/)[A-Z_]*HEAD$|(?:^|\/)refs\//;
const MAX_REF_BYTES = 1_000_000;

/** Paths that a command may not create, change or remove. */
export type Refuser = (path: string, kind: NodeKind) => boolean;

/** `merged`: the project after the command; the project itself is unchanged. */
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
    // Nobody could name it again in order to read or remove it.
    if (path.includes("\uFFFD")) return true;
    if (path.split("/", MAX_DEPTH + 1).length > MAX_DEPTH) return true;
    // Pipes, sockets and devices lead to processes and to the machine.
    if (kind === "other") return true;
    const names = [path, stoodFor(path)];
    if (names.some(isHidden) || (!hasTasks && folded(path.split("/")[0] ?? "") === "tasks")) return true;
    if (names.some(isRun) || names.some(isStartedByNpx)) return true;
    // A link above it would make our programs resolve elsewhere.
    if (kind === "link" && isAboveRun(path)) return true;
    const git = judge(path, kind);
    // A lock that a command leaves behind would block the person's git; an existing one belongs to it.
    if (git === "data" && path.endsWith(".lock")) return true;
    // Git reads these whole, at every command.
    if (
      git === "data" &&
      kind === "file" &&
      NAMES_A_COMMIT.test(path) &&
      !path.includes("/logs/") &&
      Number(statOf(join(merged, path))?.size ?? 0) > MAX_REF_BYTES
    )
      return true;
    return git === "closed" || (git === "free" && names.some(isReadOnly));
  };
}

/** Is a path one of these, or below one? Fast for many paths. */
export function belowAny(paths: readonly string[]): (path: string) => boolean {
  const known = new Set(paths.map(foldedPath));
  if (known.size === 0) return () => false;
  if (known.has("")) return () => true;
  return (path) => {
    const parts = path.split("/").map(folded);
    return parts.some((_, at) => known.has(parts.slice(0, at + 1).join("/")));
  };
}

/** Does a folder contain one of these? */
export function aboveAny(paths: readonly string[]): (path: string) => boolean {
  const parents = paths.flatMap((path) => {
    const parts = path.split("/").map(folded);
    return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
  });
  const known = new Set(parents);
  return (path) => known.has(foldedPath(path));
}

const foldedPath = (path: string): string => (path === "" ? "" : path.split("/").map(folded).join("/"));
