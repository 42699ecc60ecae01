import { join, resolve } from "node:path";
import type { FileRow } from "./file-row.ts";
import type { GitReader } from "./git/git-reader.ts";
import { statOf } from "../identity.ts";
import type { Repositories } from "./git/repositories.ts";
import { knownContents, NOTHING } from "./known-contents.ts";

/** Build output. It counts only if git ignores it as well. */
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

/** The object name of a file's content before or now. */
export interface Hashes {
  readonly before: (row: FileRow) => string | undefined;
  readonly after: (row: FileRow) => string | undefined;
}

export interface LossQuestion {
  readonly root: string;
  readonly rows: readonly FileRow[];
  readonly repositories: Repositories;
  /** Made by agents and untouched by anybody else: deleting it loses nothing of a person's. */
  readonly isAgents: (row: FileRow) => boolean;
  /** The new file with the content of a deleted one. */
  readonly movedTo: (row: FileRow) => FileRow | undefined;
  readonly hashes: Hashes;
}

/** Files whose former content is gone: neither in git nor in another file. Ordinary edits don't count. */
export async function findLosses(question: LossQuestion): Promise<ReadonlySet<FileRow>> {
  const { rows, repositories, isAgents, movedTo } = question;
  const held = rows.filter(
    (row) => row.kind !== "created" && row.kind !== "mode" && row.before && row.before.bytes > 0 && !row.before.isLink && !isAgents(row),
  );
  const gone = held.filter((row) => row.kind !== "changed");
  const spare = new Set<FileRow>();
  for (const [git, group] of byRepository(repositories, [...gone, ...gone.flatMap((row) => movedTo(row) ?? [])]))
    if (git) for (const row of await regenerable(question.root, git, group)) spare.add(row);
  // The next command may delete files among build output without asking: a file moved there is lost, in whichever repository.
  const isKept = (row: FileRow): boolean => {
    const target = movedTo(row);
    return spare.has(row) || (target !== undefined && !spare.has(target));
  };
  const lost: FileRow[] = [];
  for (const [git, group] of byRepository(repositories, held)) {
    if (git) lost.push(...(await lostFrom(git, group, question, isKept)));
    else lost.push(...group.filter((row) => row.kind !== "changed" && !isKept(row)));
  }
  return new Set(lost);
}

function byRepository(repositories: Repositories, rows: readonly FileRow[]): ReadonlyMap<GitReader | undefined, readonly FileRow[]> {
  const groups = new Map<GitReader | undefined, FileRow[]>();
  for (const row of rows) {
    const git = repositories.of(row.path);
    const group = groups.get(git);
    if (group) group.push(row);
    else groups.set(git, [row]);
  }
  return groups;
}

/** The same for the files of one repository. */
async function lostFrom(
  git: GitReader,
  held: readonly FileRow[],
  { hashes }: LossQuestion,
  isKept: (row: FileRow) => boolean,
): Promise<readonly FileRow[]> {
  // An object with the same content shows that a file went back to something git has; ordinary editing makes new content.
  const doubtful = held.filter((row) => (row.kind === "changed" ? git.mayHave(hashes.after(row)) : !isKept(row)));
  if (doubtful.length === 0) return [];
  const known = await knownContents(
    git,
    doubtful.map((row) => ({ key: row, path: git.inside(row.path), content: hashes.before(row) })),
  );
  const unknown = doubtful.filter((row) => {
    const old = hashes.before(row);
    return old === undefined || !(known?.get(row) ?? NOTHING).all.has(old);
  });
  // Ordinary editing loses nothing that anybody would look for; going back to what git has does. If git didn't answer, an object with
  // the content is reason enough to ask.
  const isBack = (row: FileRow) => known === undefined || (known.get(row) ?? NOTHING).committed.has(hashes.after(row) ?? "");
  const back = unknown.filter((row) => row.kind === "changed" && isBack(row));
  const old = await git.contents("before", [...new Set(back.flatMap((row) => hashes.after(row) ?? []))]);
  return [...unknown.filter((row) => row.kind !== "changed"), ...back.filter((row) => old?.has(hashes.after(row) ?? "") ?? true)];
}

/**
 * Build output that git ignores, by the rules from before the command. A rule younger than a file doesn't count for it: one command
 * could write the rule, and the next delete the file.
 */
async function regenerable(root: string, git: GitReader, rows: readonly FileRow[]): Promise<ReadonlySet<FileRow>> {
  const tops = new Map(
    rows.flatMap((row) => {
      const top = regenerableIn(git.inside(row.path));
      return top === undefined ? [] : [[row, top] as const];
    }),
  );
  if (tops.size === 0) return new Set();
  const input = [...new Set(tops.values())].map((path) => `${path}\0`).join("");
  const answer = await git.run("before", ["check-ignore", "-z", "--verbose", "--stdin"], input);
  const fields = answer?.split("\0") ?? [];
  const since = new Map<string, bigint>();
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [source = "", , pattern = "", path = ""] = fields.slice(at, at + 4);
    if (!pattern.startsWith("!")) since.set(path, ruleTime(root, git, source));
  }
  return new Set(
    [...tops].flatMap(([row, top]) => {
      const ruledNs = since.get(top);
      const state = row.before ?? row.after;
      return ruledNs !== undefined && state && (!row.before || state.bornNs >= ruledNs) ? [row] : [];
    }),
  );
}

/** When a file of ignore rules last changed. Agents can't write those in the git folder. */
function ruleTime(root: string, git: GitReader, source: string): bigint {
  const place = resolve(root, git.place, source);
  if (place.startsWith(`${join(root, git.folder)}/`)) return 0n;
  return statOf(place)?.ctimeNs ?? 0n;
}

function regenerableIn(path: string): string | undefined {
  if (path.startsWith(":")) return undefined; // Git would read it as a pattern.
  const parts = path.split("/");
  const at = parts.findIndex((part, place) => place < parts.length - 1 && REGENERABLE_FOLDERS.has(part));
  if (at >= 0) return parts.slice(0, at + 1).join("/");
  return REGENERABLE_FILES.test(path) ? path : undefined;
}
