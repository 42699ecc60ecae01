import { join } from "node:path";
import type { Operation } from "../../operation.ts";
import { damagedGit } from "./git-damage.ts";
import { addedLines, ID, isBeginning, filesBelow, linesOf, refsIn, short, textOf } from "./git-files.ts";
import type { GitReader } from "./git-reader.ts";
import { endedWork } from "./git-work.ts";

const MAX_FACTS = 50;

/** What a command did to a repository: the folder as it was, and as it is now. */
export interface GitChange {
  readonly git: GitReader;
  readonly before: string;
  readonly after: string;
  /** Those in the git folder, with paths relative to it. */
  readonly operations: readonly Operation[];
}

/** Nothing where the command left the repository alone. */
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

/** What git can no longer find or read after a command, in the words of git. */
export async function gitFacts(change: GitChange): Promise<readonly string[]> {
  const left = await resets(change);
  const facts = [
    ...deletedRefs(change),
    // A reset that is told by its log is not told twice.
    ...(await movedRefs(change)).filter(({ id }) => !left.some((fact) => fact.includes(`from ${short(id)} `))).map(({ fact }) => fact),
    ...droppedStashes(change),
    ...changedLogs(change),
    ...left,
    ...endedWork(change),
    ...(await damagedGit(change)),
  ];
  return facts;
}

/** The first of many. */
export const firstFacts = (facts: readonly string[]): readonly string[] =>
  facts.length > MAX_FACTS ? [...facts.slice(0, MAX_FACTS), `and ${facts.length - MAX_FACTS} more`] : facts;

function deletedRefs({ before, after }: GitChange): readonly string[] {
  const left = refsIn(after);
  return [...refsIn(before)].flatMap(([name, id]) => {
    if (left.has(name)) return [];
    if (name.startsWith("refs/heads/")) return [`branch ${name.slice(11)} deleted (was ${short(id)})`];
    return name.startsWith("refs/tags/") ? [`tag ${name.slice(10)} deleted (was ${short(id)})`] : [];
  });
}

interface Moved {
  readonly id: string;
  readonly fact: string;
}

/** A branch, tag, stash or HEAD that was moved, and whose old commit no name leads to any more. */
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

/** Does a reference lead to this commit, or HEAD itself? */
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

/** Git only adds to its logs. A log that goes with its branch is told with that. */
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
