import type { FileRow } from "./file-row.ts";
import type { GitReader } from "./git-reader.ts";

/** What a build makes again. It counts only where git ignores it as well. */
const REGENERABLE_FOLDERS = new Set([
  "node_modules",
  "dist",
  "build",
  "out",
  "coverage",
  "target",
  ".cache",
  ".next",
  ".turbo",
  "__pycache__",
  ".venv",
]);
const REGENERABLE_FILES = /\.(?:pyc|log|tsbuildinfo)$/;

export interface LossQuestion {
  readonly rows: readonly FileRow[];
  readonly git: GitReader | undefined;
  /** Moved elsewhere, or made by agents: nothing is lost with it. */
  readonly isKept: (row: FileRow) => boolean;
  /** The name that git gives to what the file held before, or holds now. */
  readonly hashBefore: (row: FileRow) => string | undefined;
  readonly hashAfter: (row: FileRow) => string | undefined;
}

/** Files whose former content is nowhere any more: neither in git nor in another file. */
export async function findLosses({ rows, git, isKept, hashBefore, hashAfter }: LossQuestion): Promise<ReadonlySet<FileRow>> {
  const held = rows.filter(
    (row) => row.kind !== "created" && row.kind !== "mode" && row.before && row.before.bytes > 0 && !row.before.isLink,
  );
  const gone = held.filter((row) => row.kind !== "changed" && !isKept(row));
  if (!git) return new Set(gone);
  const ignored = await ignoredOf(git, gone);
  const doubtful = [...gone.filter((row) => !ignored.has(row)), ...held.filter((row) => row.kind === "changed" && !isKept(row))];
  if (doubtful.length === 0) return new Set();
  const known = await knownContents(git, doubtful);
  return new Set(
    doubtful.filter((row) => {
      const { all, committed } = known.get(row) ?? NOTHING;
      const old = hashBefore(row);
      if (old !== undefined && all.has(old)) return false;
      if (row.kind !== "changed") return true;
      // Ordinary editing loses nothing that anybody would look for; going back to what git has does.
      const fresh = hashAfter(row);
      return fresh !== undefined && committed.has(fresh);
    }),
  );
}

interface Known {
  readonly all: ReadonlySet<string>;
  /** In the commit that was current or is now, or in the index. */
  readonly committed: ReadonlySet<string>;
}
const NOTHING: Known = { all: new Set(), committed: new Set() };

/** What git has for each path: where it can be found by name. */
async function knownContents(git: GitReader, rows: readonly FileRow[]): Promise<ReadonlyMap<FileRow, Known>> {
  const { head } = git;
  const versions = [...(head === undefined ? [] : [`${head}:`]), "HEAD:", ":0:", "refs/stash:", "refs/stash^2:", "refs/stash^3:"];
  const committed = versions.length - 3;
  const named = rows.filter(({ path }) => !path.includes("\n"));
  const input = named.flatMap(({ path }) => versions.map((version) => `${version}${path}\n`)).join("");
  const answer = await git.run("after", ["cat-file", "--batch-check=%(objectname)"], input);
  const lines = answer?.split("\n") ?? [];
  return new Map(
    named.map((row, at) => {
      const found = lines
        .slice(at * versions.length, (at + 1) * versions.length)
        .map((line) => (/^[0-9a-f]{40,64}$/.test(line) ? line : ""));
      return [row, { all: new Set(found.filter(Boolean)), committed: new Set(found.slice(0, committed).filter(Boolean)) }];
    }),
  );
}

/** As git saw it before the command, which may have changed what is ignored. */
async function ignoredOf(git: GitReader, rows: readonly FileRow[]): Promise<ReadonlySet<FileRow>> {
  const tops = new Map(
    rows.flatMap((row) => (regenerableIn(row.path) === undefined ? [] : [[row, regenerableIn(row.path) ?? ""] as const])),
  );
  if (tops.size === 0) return new Set();
  const answer = await git.run(
    "before",
    ["check-ignore", "-z", "--stdin"],
    [...new Set(tops.values())].map((path) => `${path}\0`).join(""),
  );
  const ignored = new Set(answer?.split("\0"));
  return new Set([...tops].filter(([, top]) => ignored.has(top)).map(([row]) => row));
}

function regenerableIn(path: string): string | undefined {
  if (path.startsWith(":")) return undefined; // Git would take it for a pattern.
  const parts = path.split("/");
  const at = parts.findIndex((part, place) => place < parts.length - 1 && REGENERABLE_FOLDERS.has(part));
  if (at >= 0) return parts.slice(0, at + 1).join("/");
  return REGENERABLE_FILES.test(path) ? path : undefined;
}
