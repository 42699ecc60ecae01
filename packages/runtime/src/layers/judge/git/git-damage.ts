import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { MAX_GIT_LIST_BYTES } from "../../../tools/files/bounded-text.ts";
import { statOf } from "../../identity.ts";
import type { GitChange } from "./git-facts.ts";
import { filesBelow, ID, refsIn, short, textOf } from "./git-files.ts";

/** Finds what a command left unreadable for git, and what it removed from git's store. */
export async function damagedGit(change: GitChange): Promise<readonly string[]> {
  return [
    ...damagedHead(change),
    ...closedFiles(change),
    ...endlessLists(change),
    ...(await damagedList(change)),
    ...(await damagedRefs(change)),
    ...rewrittenObjects(change),
    ...(await lostObjects(change)),
    ...(await damagedCaches(change)),
    ...(change.operations.some(({ path, do: kind }) => path === "shallow" && kind !== "meta") ? ["history cut off (shallow)"] : []),
  ];
}

function damagedHead({ after, operations }: GitChange): readonly string[] {
  if (!operations.some(({ path }) => path === "HEAD")) return [];
  const head = textOf(join(after, "HEAD"));
  return /^(?:ref: refs\/[^\s~^:?*[\\]+|[0-9a-f]{40,64})\n?$/.test(head) && !ODD_NAME.test(head.trim().replace("ref: ", ""))
    ? []
    : ["HEAD damaged"];
}

/** Longer than what we read: what such a list says would go unseen. */
function endlessLists({ after, operations }: GitChange): readonly string[] {
  const isList = (path: string) => !/^(?:objects|lfs|index)(?:\/|$)/.test(path);
  const written = operations.flatMap(({ do: kind, path }) => (kind === "put" && isList(path) ? filesBelow(after, path) : []));
  return written
    .filter((path) => (statOf(join(after, path))?.size ?? 0) > MAX_GIT_LIST_BYTES)
    .map((path) => `.git/${path} too long to compare`);
}

/** One unreadable line, and git finds no reference at all. */
async function damagedList({ git, operations }: GitChange): Promise<readonly string[]> {
  if (!operations.some(({ path, do: kind }) => path === "packed-refs" && kind === "put")) return [];
  return (await git.run("after", ["for-each-ref", "--count=1"])) === undefined ? ["packed-refs damaged"] : [];
}

/** Files and folders that their owner, and so the owner's git, can no longer use. */
function closedFiles({ operations }: GitChange): readonly string[] {
  const closed = operations.filter((operation) => {
    if (operation.do === "put") return operation.mode !== undefined && (operation.mode & 0o400) === 0;
    if (operation.do !== "meta") return false;
    const needed = operation.before.kind === "folder" ? 0o700 : 0o600;
    return ((operation.was?.mode ?? needed) & ~operation.mode & needed) !== 0;
  });
  return closed.map(({ path }) => `.git/${path} closed to its owner`);
}

/** Git refuses such names to people: a branch that begins with `-` would pass for an option. */
// oxlint-disable-next-line no-control-regex
const ODD_NAME = /[\u0000- \u007F~^:?*[\\]|\.\.|@\{|\/(?:[-.]|\/|$)|\.(?:lock)?(?:\/|$)/;

/** References to missing objects, and new commits with missing parts. */
async function damagedRefs({ git, before, after }: GitChange): Promise<readonly string[]> {
  const old = refsIn(before);
  const changed = [...refsIn(after)].filter(([name, id]) => old.get(name) !== id);
  if (changed.length === 0) return [];
  const ids = [...new Set(changed.flatMap(([, id]) => (ID.test(id) ? [id] : [])))];
  const odd = changed.filter(([name]) => ODD_NAME.test(name)).map(([name]) => `reference with an odd name: ${name}`);
  const found = await git.contents("after", ids);
  const damaged = changed.filter(([, id]) => !found?.has(id) && !/^ref: refs\/\S+$/.test(id)).map(([name]) => `reference ${name} damaged`);
  if (damaged.length > 0 || git.isPartial) return [...odd, ...damaged];
  const known = [...new Set(old.values())].filter((id) => ID.test(id));
  const input = [...ids, ...known.map((id) => `^${id}`)].map((id) => `${id}\n`).join("");
  // It fails at the first missing object.
  const isComplete = (await git.run("after", ["rev-list", "--objects", "--quiet", "--stdin"], input)) !== undefined;
  return isComplete ? odd : [...odd, `parts of new commits missing (${ids.slice(0, 3).map(short).join(", ")})`];
}

/** Git never changes an existing object or pack. */
function rewrittenObjects({ operations }: GitChange): readonly string[] {
  const rewritten = operations.filter(
    ({ do: kind, path, before }) =>
      kind === "put" && before !== undefined && before.kind !== "folder" && /^objects\/(?!info\/|pack\/multi-pack-index)/.test(path),
  ).length;
  return rewritten > 0 ? [`${rewritten} ${rewritten === 1 ? "object" : "objects"} rewritten`] : [];
}

/** After objects were removed: those that are gone, and new ones that should replace them but are damaged. */
async function lostObjects({ git, after, operations }: GitChange): Promise<readonly string[]> {
  if (!operations.some(({ do: kind, path }) => kind === "remove" && /^objects(?:\/|$)/.test(path))) return [];
  const all = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"];
  const [old, left] = [await git.run("before", all), await git.run("after", all)];
  if (old === undefined || left === undefined) return ["objects deleted"];
  const kept = new Set(left.split("\n"));
  const lost = old.split("\n").filter((id) => id !== "" && !kept.has(id)).length;
  const fresh = operations.flatMap(({ do: kind, path }) => (kind === "put" && path.startsWith("objects") ? filesBelow(after, path) : []));
  const packs = fresh.filter((path) => /^objects\/pack\/pack-[0-9a-f]+\.idx$/.test(path));
  const isWhole =
    packs.length === 0 || (await git.run("after", ["verify-pack", ...packs.map((path) => join(git.folder, path))])) !== undefined;
  const loose = fresh.filter((path) => /^objects\/[0-9a-f]{2}\/[0-9a-f]{38,62}$/.test(path));
  const damaged = loose.filter((path) => !isWholeObject(join(after, path), path.slice(8).replace("/", ""))).length;
  return [
    ...(lost > 0 ? [`${lost} ${lost === 1 ? "object" : "objects"} deleted`] : []),
    ...(isWhole ? [] : ["packs damaged"]),
    ...(damaged > 0 ? [`${damaged} ${damaged === 1 ? "object" : "objects"} damaged`] : []),
  ];
}

function isWholeObject(file: string, id: string): boolean {
  try {
    const content = inflateSync(readFileSync(file), { maxOutputLength: 500_000_000 });
    return (
      createHash(id.length === 64 ? "sha256" : "sha1")
        .update(content)
        .digest("hex") === id
    );
  } catch {
    return false; // Git could not read it either.
  }
}

/** Git trusts what it has computed before, so a wrong cache breaks it. */
async function damagedCaches({ git, operations }: GitChange): Promise<readonly string[]> {
  const isWritten = (name: RegExp) => operations.some(({ do: kind, path }) => kind === "put" && name.test(path));
  const facts: string[] = [];
  if (isWritten(/^objects\/info\/commit-graph/) && (await git.run("after", ["commit-graph", "verify"])) === undefined)
    facts.push("commit-graph damaged");
  if (isWritten(/^objects\/pack\/multi-pack-index/) && (await git.run("after", ["multi-pack-index", "verify"])) === undefined)
    facts.push("multi-pack-index damaged");
  return facts;
}
