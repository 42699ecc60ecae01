import { join } from "node:path";
import { folded } from "../../../tools/files/hidden.ts";
import { statOf } from "../../identity.ts";
import { contentHash } from "../content-hash.ts";
import type { GitChange } from "./git-facts.ts";
import { ID, refsIn, short, textOf } from "./git-files.ts";
import { stagedEntries } from "../staged-work.ts";

export interface VersionRules {
  /** The project before the command. */
  readonly root: string;
  /** Is a command forbidden to write this? Then git must not write it for a person later. */
  readonly isClosed: (path: string) => boolean;
}

/**
 * Protected files (hooks, settings, hidden files) that git would write for a person who checks something out, restores, or continues a
 * rebase. A version that the project already has is no news.
 */
export async function plantedVersions(change: GitChange, rules: VersionRules): Promise<readonly string[]> {
  const { git } = change;
  const isPlanted = ({ path, id }: Version): boolean => {
    if (!isPlainPath(path)) return true;
    if (!rules.isClosed(path)) return false;
    const place = join(rules.root, path);
    return /[^0]/.test(id) ? contentHash(place, git.algorithm) !== id : statOf(place) !== undefined;
  };
  const told = (where: string, versions: readonly Version[]) =>
    [...new Set(versions.filter(isPlanted).map(({ path }) => path))].map((path) => `${where} has its own version of ${path}`);
  return [
    ...told("a new commit", await newVersions(change)),
    ...told("the index", await newlyStaged(change)),
    ...replacements(change),
    ...plannedCommands(change),
  ];
}

interface Version {
  readonly path: string;
  /** Zeros: deleted. */
  readonly id: string;
}

export const isPlainPath = (path: string): boolean =>
  path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && folded(part) !== ".git" && !/^git~\d+$/i.test(part));

/** Changes in commits that were unreachable before: those of branches, tags and stashes, and those that unfinished work continues with. */
async function newVersions({ git, before, after }: GitChange): Promise<readonly Version[]> {
  const rootsIn = (folder: string) =>
    new Set(
      [...refsIn(folder).values(), ...PENDING.flatMap((name) => textOf(join(folder, name)).split(/\s+/))].filter((id) => ID.test(id)),
    );
  const old = rootsIn(before);
  const fresh = [...rootsIn(after)].filter((id) => !old.has(id));
  if (fresh.length === 0) return [];
  const input = [...fresh, ...[...old].map((id) => `^${id}`)].map((id) => `${id}\n`).join("");
  // For a merge, changes that none of its parents have.
  const how = ["--format=", "--raw", "-z", "-r", "-c", "--root", "--no-renames", "--no-abbrev", "--ignore-missing", "--stdin"];
  return versionsIn(await git.run("after", ["log", ...how], input));
}

/** Where git keeps unfinished work. */
const PENDING =
  "HEAD ORIG_HEAD MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD FETCH_HEAD MERGE_AUTOSTASH rebase-merge/git-rebase-todo rebase-merge/autostash rebase-merge/onto rebase-apply/autostash sequencer/todo".split(
    " ",
  );

/** In raw lines the content comes last before the status, after one per parent. */
function versionsIn(raw: string | undefined): readonly Version[] {
  const fields = raw?.split("\0") ?? [];
  return fields.flatMap((field, at) => {
    const meta = /(?:^|\n)(:+[0-7 ]+.*)$/.exec(field)?.[1]?.split(" ");
    return meta ? [{ path: fields[at + 1] ?? "", id: meta.at(-2) ?? "" }] : [];
  });
}

async function newlyStaged({ git, operations }: GitChange): Promise<readonly Version[]> {
  if (!operations.some(({ path, do: kind }) => path === "index" && kind === "put")) return [];
  const old = new Set((await stagedEntries(git, "before")).map(({ path, id }) => `${id} ${path}`));
  return (await stagedEntries(git, "after")).filter(({ path, id }) => !old.has(`${id} ${path}`));
}

/** Replace refs: git shows another object instead of the named one. */
function replacements({ before, after }: GitChange): readonly string[] {
  const old = refsIn(before);
  return [...refsIn(after)].flatMap(([name, id]) =>
    name.startsWith("refs/replace/") && old.get(name) !== id ? [`object ${short(name.slice(13))} replaced by ${short(id)}`] : [],
  );
}

/** Commands that `git rebase --continue` would run. */
function plannedCommands({ before, after }: GitChange): readonly string[] {
  const todo = "rebase-merge/git-rebase-todo";
  const commandsIn = (folder: string) =>
    textOf(join(folder, todo))
      .split("\n")
      .filter((line) => /^\s*(?:x|exec)\s/.test(line));
  const old = new Set(commandsIn(before));
  return commandsIn(after).flatMap((line) => (old.has(line) ? [] : [`an unfinished rebase would run: ${line.trim().slice(0, 200)}`]));
}
