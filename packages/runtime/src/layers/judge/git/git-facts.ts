import { join } from "node:path";
import type { Operation } from "../../operation.ts";
import { damagedGit } from "./git-damage.ts";
import { addedLines, ID, isBeginning, filesBelow, linesOf, refsIn, short, textOf } from "./git-files.ts";
import type { GitReader } from "./git-reader.ts";
import { endedWork } from "./git-work.ts";

const MAX_FACTS = 50;

/** A command's changes to a repository: the folder before and after. */
export interface GitChange {
  readonly git: GitReader;
  readonly before: string;
  readonly after: string;
  /** Changes in the git folder, with paths relative to it. */
  readonly operations: readonly Operation[];
}

/** Nothing if the command left the repository alone. */
export function gitChange(git: GitReader, lower: string, merged: string, operations: readonly Operation[]): GitChange | undefined {
  const touched = operations.filter(({ path }) => path.startsWith(`${git.folder}/`));
  if (touched.length === 0) return undefined;
  return {
    git,
    before: join(lower, git.folder),
    after: join(merged, git.folder),
    operations: touched.map((operation) => ({ ...operation, path: operation.path.slice(git.folder.length + 1) })),
  };
}

/** What git can no longer find or read after a command, in git's terms. */
export async function gitFacts(change: GitChange): Promise<readonly string[]> {
  const left = await resets(change);
  const facts = [
    ...(await deletedRefs(change)),
    // A reset that its reflog shows isn't reported twice.
    ...(await movedRefs(change)).filter(({ id }) => !left.some((fact) => fact.includes(`from ${short(id)} `))).map(({ fact }) => fact),
    ...droppedStashes(change),
    ...changedLogs(change),
    ...left,
    ...endedWork(change),
    ...(await damagedGit(change)),
    ...(change.git.hasTables && change.operations.some(({ path }) => path.startsWith("reftable"))
      ? ["references changed, in a format that Colloquy cannot compare (reftable)"]
      : []),
  ];
  return facts;
}

/** The first of many. */
export const firstFacts = (facts: readonly string[]): readonly string[] =>
  facts.length > MAX_FACTS ? [...facts.slice(0, MAX_FACTS), `and ${facts.length - MAX_FACTS} more`] : facts;

/** Notes, remote branches and other references count if nothing else leads to their commit. Those of a rebase end with it. */
async function deletedRefs({ git, before, after }: GitChange): Promise<readonly string[]> {
  const left = refsIn(after);
  const facts: string[] = [];
  for (const [name, id] of refsIn(before)) {
    if (left.has(name) || name === "refs/stash" || facts.length >= MAX_FACTS) continue;
    const [, kind, named] = /^refs\/(heads|tags)\/(.*)$/.exec(name) ?? [];
    if (kind !== undefined) facts.push(`${kind === "heads" ? "branch" : "tag"} ${named} deleted (was ${short(id)})`);
    else if (ID.test(id) && !name.startsWith("refs/rewritten/") && !(await isHeld(git, after, id)))
      facts.push(`reference ${name} deleted (was ${short(id)})`);
  }
  return facts;
}

interface Moved {
  readonly id: string;
  readonly fact: string;
}

/** A branch, tag, stash or HEAD that was moved, leaving its old commit unreachable. */
async function movedRefs({ git, before, after }: GitChange): Promise<readonly Moved[]> {
  const now = refsIn(after);
  const moved: Moved[] = [];
  for (const [name, id] of refsIn(before)) {
    if (now.get(name) === id || !now.has(name) || !ID.test(id) || moved.length >= MAX_FACTS) continue;
    if (name.startsWith("refs/tags/")) moved.push({ id, fact: `tag ${name.slice(10)} moved (was ${short(id)})` });
    else if (name !== "refs/stash" && !(await isHeld(git, after, id)))
      moved.push({ id, fact: `${name.replace(/^refs\/heads\//, "branch ")} moved away from ${short(id)}` });
  }
  const head = textOf(join(before, "HEAD")).trim();
  if (ID.test(head) && textOf(join(after, "HEAD")).trim() !== head && !(await isHeld(git, after, head)))
    moved.push({ id: head, fact: `HEAD moved away from ${short(head)}` });
  return moved;
}

/** Is this commit reachable from a reference or HEAD? */
async function isHeld(git: GitReader, after: string, id: string): Promise<boolean> {
  const holders = await git.run("after", ["for-each-ref", "--count=1", "--format=%(refname)", `--contains=${id}`]);
  if (holders !== undefined && holders.trim() !== "") return true;
  return ID.test(textOf(join(after, "HEAD")).trim()) && (await git.run("after", ["merge-base", "--is-ancestor", id, "HEAD"])) !== undefined;
}

/** By their commits: dropping one rewrites the lines of the others. */
function droppedStashes({ before, after }: GitChange): readonly string[] {
  const stashesIn = (folder: string) => {
    const logged = linesOf(join(folder, "logs/refs/stash")).flatMap((line) => line.split(" ")[1] ?? []);
    const top = refsIn(folder).get("refs/stash");
    return new Set(top === undefined ? [] : [...logged, top]);
  };
  const left = stashesIn(after);
  const dropped = [...stashesIn(before)].filter((id) => !left.has(id)).length;
  return dropped > 0 ? [`${dropped} ${dropped === 1 ? "stash" : "stashes"} dropped`] : [];
}

/** Git only appends to its logs. A log deleted with its branch is reported with the branch. */
function changedLogs({ before, after }: GitChange): readonly string[] {
  const left = refsIn(after);
  return filesBelow(before, "logs").flatMap((log) => {
    const name = log.slice("logs/".length);
    if (name === "refs/stash" || (name !== "HEAD" && !left.has(name))) return [];
    const [old, fresh] = [linesOf(join(before, log)), linesOf(join(after, log))];
    if (fresh.length < old.length) return [`log of ${name} shortened`];
    return isBeginning(old, fresh) ? [] : [`log of ${name} rewritten`];
  });
}

async function resets({ git, before, after }: GitChange): Promise<readonly string[]> {
  const facts: string[] = [];
  for (const line of addedLines(join(before, "logs/HEAD"), join(after, "logs/HEAD"))) {
    const [, from, to] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*\treset: moving to /.exec(line) ?? [];
    if (from === undefined || to === undefined || from === to || facts.length >= MAX_FACTS) continue;
    if (!(await isHeld(git, after, from))) facts.push(`reset from ${short(from)} to ${short(to)} leaves commits behind`);
  }
  return facts;
}
