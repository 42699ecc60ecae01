import { join } from "node:path";
import { folded, isInPackages } from "../../../tools/files/hidden.ts";
import { commandsTakenOver } from "../../../tools/protected/own-command.ts";
import { statOf } from "../../identity.ts";
import { contentHash } from "../content-hash.ts";
import type { GitChange } from "./git-facts.ts";
import { ID, refsIn, short, textOf } from "./git-files.ts";
import type { GitReader } from "./git-reader.ts";
import { isManifest, manifestAt } from "../reaching-out.ts";
import { stagedEntries, UNKNOWN_INDEX } from "../staged-work.ts";

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
  const [committed, staged] = [await newVersions(change), await newlyStaged(change)];
  const isPlanted = ({ path, id }: Version): boolean => {
    if (!isPlainPath(path)) return true;
    if (!rules.isClosed(path)) return false;
    const place = join(rules.root, path);
    return /[^0]/.test(id) ? contentHash(place, git.algorithm) !== id : statOf(place) !== undefined;
  };
  const told = (where: string, versions: readonly Version[]) =>
    [...new Set(versions.filter(isPlanted).map(({ path }) => path))].map((path) => `${where} has its own version of ${path}`);
  return [
    ...(committed === undefined ? ["new commits that git cannot compare"] : told("a new commit", committed)),
    ...(staged === undefined ? [UNKNOWN_INDEX] : told("the index", staged)),
    ...(await takenInGit(git, rules.root, [...(committed ?? []), ...(staged ?? [])])),
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

/** Changes in commits that were unreachable before: those of branches, tags and stashes, and those that unfinished work continues with. Nothing if git fails. */
async function newVersions({ git, before, after }: GitChange): Promise<readonly Version[] | undefined> {
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
function versionsIn(raw: string | undefined): readonly Version[] | undefined {
  if (raw === undefined) return undefined;
  const fields = raw.split("\0");
  return fields.flatMap((field, at) => {
    const meta = /(?:^|\n)(:+[0-7 ]+.*)$/.exec(field)?.[1]?.split(" ");
    return meta ? [{ path: fields[at + 1] ?? "", id: meta.at(-2) ?? "" }] : [];
  });
}

async function newlyStaged({ git, operations }: GitChange): Promise<readonly Version[] | undefined> {
  if (!operations.some(({ path, do: kind }) => path === "index" && kind === "put")) return [];
  const before = await stagedEntries(git, "before");
  if (before === undefined) return undefined;
  const old = new Set(before.map(({ path, id }) => `${id} ${path}`));
  return (await stagedEntries(git, "after"))?.filter(({ path, id }) => !old.has(`${id} ${path}`));
}

/** Each takes a process of git. */
const MAX_MANIFESTS = 20;

/** Manifests that the project does not have yet, by which `npx colloquy` would start a file once they are checked out. */
async function takenInGit(git: GitReader, root: string, versions: readonly Version[]): Promise<readonly string[]> {
  const manifests = versions.filter(
    ({ path, id }) => isManifest(path) && !isInPackages(path) && /[^0]/.test(id) && contentHash(join(root, path), git.algorithm) !== id,
  );
  if (manifests.length > MAX_MANIFESTS) return [`${manifests.length} versions of package.json in git, too many to read`];
  const facts: string[] = [];
  for (const { path, id } of manifests) {
    const taken = commandsTakenOver((await git.run("after", ["cat-file", "blob", id])) ?? "", manifestAt(root, path));
    if (taken.length > 0) facts.push(`"bin" of ${path} in git takes over ${taken.join(", ")}, which people run outside of the sandbox`);
  }
  return [...new Set(facts)];
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
