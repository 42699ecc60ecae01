import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { GitReader } from "./git-reader.ts";
import { statOf } from "../identity.ts";
import type { Operation } from "../operation.ts";

const MAX_FACTS = 50;
const short = (id: string): string => id.slice(0, 8);

/** What git can no longer find by name after a command, in the words of git. */
export async function gitFacts(
  git: GitReader,
  lower: string,
  merged: string,
  operations: readonly Operation[],
): Promise<readonly string[]> {
  const touched = operations.map(({ path }) => path).filter((path) => path === git.folder || path.startsWith(`${git.folder}/`));
  if (touched.length === 0) return [];
  const [before, after] = [join(lower, git.folder), join(merged, git.folder)];
  const left = await resets(git, before, after);
  const facts = [
    ...deletedRefs(before, after),
    // A reset that is told by its log is not told twice.
    ...(await movedRefs(git, before, after))
      .filter(({ id }) => !left.some((fact) => fact.includes(`from ${short(id)} `)))
      .map(({ fact }) => fact),
    ...rewrittenObjects(git.folder, operations),
    ...droppedStashes(before, after),
    ...shortenedLogs(before, after),
    ...left,
    ...(operations.some(({ do: kind, path }) => kind === "remove" && path.startsWith(`${git.folder}/objects`))
      ? await lostObjects(git)
      : []),
  ];
  return facts.length > MAX_FACTS ? [...facts.slice(0, MAX_FACTS), `and ${facts.length - MAX_FACTS} more`] : facts;
}

function deletedRefs(before: string, after: string): readonly string[] {
  const left = refsIn(after);
  return [...refsIn(before)].flatMap(([name, id]) => {
    if (left.has(name)) return [];
    if (name.startsWith("refs/heads/")) return [`branch ${name.slice(11)} deleted (was ${short(id)})`];
    return name.startsWith("refs/tags/") ? [`tag ${name.slice(10)} deleted (was ${short(id)})`] : [];
  });
}

/** A branch, tag or stash that was moved, and whose old commit no name leads to any more. */
async function movedRefs(
  git: GitReader,
  before: string,
  after: string,
): Promise<readonly { readonly id: string; readonly fact: string }[]> {
  const now = refsIn(after);
  const moved: { readonly id: string; readonly fact: string }[] = [];
  for (const [name, id] of refsIn(before)) {
    if (now.get(name) === id || !now.has(name) || !/^[0-9a-f]{40,64}$/.test(id) || moved.length >= MAX_FACTS) continue;
    if (name.startsWith("refs/tags/")) moved.push({ id, fact: `tag ${name.slice(10)} moved (was ${short(id)})` });
    else if (name === "refs/stash") {
      const isListed = linesOf(join(after, "logs/refs/stash")).some((line) => line.includes(id));
      if (!isListed) moved.push({ id, fact: `a stash dropped (was ${short(id)})` });
    } else {
      const holders = await git.run("after", ["for-each-ref", "--count=1", "--format=%(refname)", `--contains=${id}`]);
      if (holders === undefined || holders.trim() === "")
        moved.push({ id, fact: `${name.replace(/^refs\/heads\//, "branch ")} moved away from ${short(id)}` });
    }
  }
  return moved;
}

/** Git never changes an object or a pack that is there. */
function rewrittenObjects(folder: string, operations: readonly Operation[]): readonly string[] {
  const rewritten = operations.filter(
    ({ do: kind, path, before }) =>
      kind === "put" && before !== undefined && before.kind !== "folder" && path.startsWith(`${folder}/objects/`),
  ).length;
  return rewritten > 0 ? [`${rewritten} ${rewritten === 1 ? "object" : "objects"} rewritten`] : [];
}

function refsIn(folder: string): ReadonlyMap<string, string> {
  const packed = readText(join(folder, "packed-refs"))
    .split("\n")
    .flatMap((line) => {
      const [, id, name] = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line) ?? [];
      return id !== undefined && name !== undefined ? [[name, id] as const] : [];
    });
  return new Map([...packed, ...filesBelow(folder, "refs").map((name) => [name, readText(join(folder, name)).trim()] as const)]);
}

function droppedStashes(before: string, after: string): readonly string[] {
  const count = (folder: string) => linesOf(join(folder, "logs/refs/stash")).length || (refsIn(folder).has("refs/stash") ? 1 : 0);
  const dropped = count(before) - count(after);
  return dropped > 0 ? [`${dropped} ${dropped === 1 ? "stash" : "stashes"} dropped`] : [];
}

/** A log that goes with its branch is told with that. */
function shortenedLogs(before: string, after: string): readonly string[] {
  const left = refsIn(after);
  return filesBelow(before, "logs").flatMap((log) => {
    const name = log.slice("logs/".length);
    if (name === "refs/stash" || (name !== "HEAD" && !left.has(name))) return [];
    return linesOf(join(after, log)).length < linesOf(join(before, log)).length ? [`log of ${name} shortened`] : [];
  });
}

async function resets(git: GitReader, before: string, after: string): Promise<readonly string[]> {
  const added = linesOf(join(after, "logs/HEAD")).slice(linesOf(join(before, "logs/HEAD")).length);
  const facts: string[] = [];
  for (const line of added) {
    const [, from, to] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*\treset: moving to /.exec(line) ?? [];
    if (from === undefined || to === undefined || from === to) continue;
    const holders = await git.run("after", ["for-each-ref", "--count=1", "--format=%(refname)", `--contains=${from}`]);
    if (holders === undefined || holders.trim() === "") facts.push(`reset from ${short(from)} to ${short(to)} leaves commits behind`);
  }
  return facts;
}

async function lostObjects(git: GitReader): Promise<readonly string[]> {
  const all = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"];
  const [before, after] = [await git.run("before", all), await git.run("after", all)];
  if (before === undefined || after === undefined) return ["objects deleted"];
  const left = new Set(after.split("\n"));
  const lost = before.split("\n").filter((id) => id !== "" && !left.has(id)).length;
  return lost > 0 ? [`${lost} ${lost === 1 ? "object" : "objects"} deleted`] : [];
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // Not there.
  }
}

const linesOf = (file: string): readonly string[] => readText(file).split("\n").filter(Boolean);

function filesBelow(base: string, folder: string): readonly string[] {
  const stat = statOf(join(base, folder));
  if (!stat) return [];
  if (!stat.isDirectory()) return stat.isFile() ? [folder] : [];
  return readdirSync(join(base, folder)).flatMap((name) => filesBelow(base, `${folder}/${name}`));
}
