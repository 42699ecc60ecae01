import { join } from "node:path";
import { contentHash } from "./content-hash.ts";
import type { GitReader } from "./git/git-reader.ts";
import { knownContents, NOTHING } from "./known-contents.ts";
import type { Operation } from "../operation.ts";

const EMPTY_TREE = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};
const EMPTY_BLOB = {
  sha1: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  sha256: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
};

/** Git fails: what the index holds would go unseen. */
export const UNKNOWN_INDEX = "the index changed, and git cannot compare it";

/** Content that was staged and is now nowhere: a file could be deleted first and removed from the index second. */
export async function unstagedWork(git: GitReader, merged: string, operations: readonly Operation[]): Promise<readonly string[]> {
  if (!operations.some(({ path }) => path === `${git.folder}/index`)) return [];
  const { algorithm } = git;
  const before = await stagedEntries(git, "before");
  if (before === undefined) return [UNKNOWN_INDEX];
  const staged = before.filter(({ id }) => /[^0]/.test(id) && id !== EMPTY_BLOB[algorithm]);
  if (staged.length === 0) return [];
  const after = await stagedEntries(git, "after");
  if (after === undefined) return [UNKNOWN_INDEX];
  const current = new Set(after.flatMap(({ path, id }) => (/[^0]/.test(id) ? [path] : [])));
  // Staging something else is editing; going back to the committed version takes the work out of git.
  const left = staged.filter(({ path }) => !current.has(path));
  const missing = left.filter(({ path, id }) => contentHash(join(merged, path), algorithm) !== id);
  const known = await knownContents(
    git,
    missing.map((entry) => ({ key: entry, path: entry.path, content: entry.id })),
  );
  return missing.filter((entry) => !(known?.get(entry) ?? NOTHING).all.has(entry.id)).map(({ path }) => `staged content of ${path} lost`);
}

export interface StagedEntry {
  readonly path: string;
  /** Zeros: removed from the index, or in conflict. */
  readonly id: string;
}

type Staged = Promise<readonly StagedEntry[] | undefined>;
const answers = new WeakMap<GitReader, Map<string, Staged>>();

/** The index's differences from the commit before the command; nothing if git fails. Queried once per reader. */
export function stagedEntries(git: GitReader, when: "before" | "after"): Staged {
  const known = answers.get(git) ?? new Map<string, Staged>();
  answers.set(git, known);
  const base = git.head ?? EMPTY_TREE[git.algorithm];
  const asked =
    known.get(when) ?? git.run(when, ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", base]).then(entriesOf);
  known.set(when, asked);
  return asked;
}

function entriesOf(answer: string | undefined): readonly StagedEntry[] | undefined {
  if (answer === undefined) return undefined;
  const fields = answer.split("\0");
  const entries: StagedEntry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, , id = ""] = fields[at]?.split(" ") ?? [];
    // For a submodule the index has a commit, not content.
    if (mode !== "160000") entries.push({ path: fields[at + 1] ?? "", id });
  }
  return entries;
}
