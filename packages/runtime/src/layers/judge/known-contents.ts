import type { GitReader } from "./git/git-reader.ts";

/** The contents that git has for a path, by object name. */
export interface Known {
  /** Found by name, and readable. */
  readonly all: ReadonlySet<string>;
  /** In the commit that was or is checked out, or in the index. */
  readonly committed: ReadonlySet<string>;
}
export const NOTHING: Known = { all: new Set(), committed: new Set() };

export interface Wanted<Key> {
  readonly key: Key;
  readonly path: string;
  /** The content to look for. Git must be able to read it intact. */
  readonly content: string | undefined;
}

/**
 * The contents that git has for each path in places where people find them: a commit, the index or the newest stash. Nothing if git
 * fails.
 */
export async function knownContents<Key>(git: GitReader, wanted: readonly Wanted<Key>[]): Promise<ReadonlyMap<Key, Known> | undefined> {
  const { head } = git;
  const versions = [...(head === undefined ? [] : [`${head}:`]), "HEAD:", ":0:", "refs/stash:", "refs/stash^2:", "refs/stash^3:"];
  const committed = versions.length - 3;
  const named = wanted.filter(({ path }) => !path.includes("\n"));
  const input = named.flatMap(({ path }) => versions.map((version) => `${version}${path}\n`)).join("");
  const answer = await git.run("after", ["cat-file", "--batch-check=%(objectname)"], input);
  if (answer === undefined) return undefined;
  const lines = answer.split("\n");
  const found = named.map((one, at) => {
    const ids = lines.slice(at * versions.length, (at + 1) * versions.length).map((line) => (/^[0-9a-f]{40,64}$/.test(line) ? line : ""));
    return { one, ids };
  });
  // An object's name doesn't prove that it exists and is intact: a command may have truncated it.
  const claimed = new Set(found.flatMap(({ one, ids }) => (one.content !== undefined && ids.includes(one.content) ? [one.content] : [])));
  const readable = claimed.size === 0 ? claimed : await git.readable([...claimed]);
  return new Map(
    found.map(({ one, ids }) => {
      const all = ids.filter((id) => id !== "" && (id !== one.content || readable.has(id)));
      return [one.key, { all: new Set(all), committed: new Set(ids.slice(0, committed).filter(Boolean)) }];
    }),
  );
}
