import type { Operation } from "../../operation.ts";
import type { GitReader } from "./git-reader.ts";
import { isPlainPath } from "./git-versions.ts";

/**
 * The index decides where git writes files when a person restores them. An index that names a path outside the project or in a git
 * folder, such as a hook, is not applied. Returns its path if it does, or if it is unreadable.
 */
export async function unsafeIndex(git: GitReader, operations: readonly Operation[]): Promise<string | undefined> {
  if (!isWritten(git, operations)) return undefined;
  const listed = await entriesOf(git, "after");
  return listed === undefined || listed.some(({ path }) => !isPlainPath(path)) ? `${git.folder}/index` : undefined;
}

/** Files that `git status` and `git diff` no longer compare: what agents do to them later would go unseen. */
export async function unseenFiles(git: GitReader, operations: readonly Operation[]): Promise<readonly string[]> {
  if (!isWritten(git, operations)) return [];
  const unseen = ((await entriesOf(git, "after")) ?? []).filter(isUnseen);
  if (unseen.length === 0) return [];
  const before = new Set(((await entriesOf(git, "before")) ?? []).filter(isUnseen).map(({ path }) => path));
  return unseen
    .filter(({ path }) => !before.has(path))
    .map(({ path }) => `git no longer compares ${path} (assume-unchanged or skip-worktree)`);
}

const isWritten = (git: GitReader, operations: readonly Operation[]): boolean =>
  operations.some((operation) => operation.path === `${git.folder}/index` && operation.do === "put");

interface Entry {
  readonly path: string;
  /** As `git ls-files -v` writes it. */
  readonly tag: string;
}

const isUnseen = ({ tag }: Entry): boolean => tag === "S" || tag !== tag.toUpperCase();

const answers = new WeakMap<GitReader, Map<string, Promise<readonly Entry[] | undefined>>>();

/** Queried once per reader. */
function entriesOf(git: GitReader, when: "before" | "after"): Promise<readonly Entry[] | undefined> {
  const known = answers.get(git) ?? new Map<string, Promise<readonly Entry[] | undefined>>();
  answers.set(git, known);
  const asked =
    known.get(when) ?? git.run(when, ["ls-files", "-v", "-z", "--cached"]).then((answer) => answer?.split("\0").flatMap(entryOf));
  known.set(when, asked);
  return asked;
}

const entryOf = (line: string): readonly Entry[] => (line === "" ? [] : [{ tag: line[0] ?? "", path: line.slice(2) }]);
