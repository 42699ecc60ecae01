// Commands that make git claim content it can't read, or that leave a repository broken.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { layers } from "./layers.ts";
import { git, repository, stage, staged } from "./testing.ts";

function write(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

/** With two commits, a branch, and notes that git doesn't have. */
function victim(): string {
  const dir = repository({ "a.txt": "one\n", "b.txt": "b\n" });
  write(dir, { "a.txt": "two\n" });
  git(dir, "commit", "-qam", "second");
  git(dir, "branch", "side");
  write(dir, { "notes.txt": "a week's work\n" });
  return dir;
}

const lost = async (dir: string, command: string) =>
  (await staged(dir, command)).effects.files.filter(({ isLost }) => isLost).map(({ path }) => path);
const facts = async (dir: string, command: string) => (await staged(dir, command)).effects.git;

const OBJECT = `o=.git/objects/$(git hash-object notes.txt | sed 's/../&\\//')`;

test.each([
  ["cut short", `git add notes.txt; ${OBJECT}; chmod +w $o; truncate -s 10 $o; rm notes.txt`],
  ["emptied", `git add notes.txt; ${OBJECT}; chmod +w $o; : > $o; rm notes.txt`],
  [
    "of another content",
    `git add notes.txt b.txt; ${OBJECT}; chmod +w $o; cat .git/objects/$(git hash-object b.txt | sed 's/../&\\//') > $o; rm notes.txt`,
  ],
  ["not there", `git add notes.txt; ${OBJECT}; rm -f $o notes.txt`],
])("[LY4] git does not have what it cannot read: an object %s", async (_, command) => {
  expect(await lost(victim(), command)).toEqual(["notes.txt"]);
});

test("[LY4] one damaged object hides none of the others", async () => {
  const dir = victim();
  write(dir, { "c.txt": "c", "n.txt": "n", "x.txt": "x" });
  expect(await lost(dir, `git add -A; ${OBJECT}; chmod +w $o; : > $o; rm *.txt`)).toEqual(["notes.txt"]);
});

test("[LY4] objects that git would find through a refused file or link do not count", async () => {
  const elsewhere = "mkdir -p /tmp/o; GIT_OBJECT_DIRECTORY=/tmp/o git hash-object -w notes.txt; git add notes.txt; ";
  const store = "mkdir -p store; mv .git/objects/$(git hash-object notes.txt | cut -c1-2) store/";
  const dir = victim();
  expect(await lost(dir, `${elsewhere}${store}; echo ../../store > .git/objects/info/alternates; rm notes.txt`)).toEqual(["notes.txt"]);
  expect(await lost(dir, `git add notes.txt; ${store}; ln -s ../../store/* .git/objects/; rm notes.txt`)).toContain("notes.txt");
});

test.each([
  [
    "both logs replaced by as many lines",
    "for l in .git/logs/HEAD .git/logs/refs/heads/main; do sed -i 's/second/other/' $l; done",
    ["log of HEAD rewritten", "log of refs/heads/main rewritten"],
  ],
  ["garbage in HEAD", "echo garbage > .git/HEAD", ["HEAD damaged"]],
  ["HEAD removed", "rm .git/HEAD", ["HEAD damaged"]],
  ["garbage in a branch", "echo garbage > .git/refs/heads/side", ["reference refs/heads/side damaged"]],
  ["a branch to nowhere", "echo 0123456789012345678901234567890123456789 > .git/refs/heads/new", ["reference refs/heads/new damaged"]],
  ["shallow", "git rev-parse HEAD > .git/shallow", ["history cut off (shallow)"]],
  [
    "a commit of which a part is missing",
    "echo c > c.txt; git add c.txt; git commit -qm c; rm -f .git/objects/$(git rev-parse HEAD:c.txt | sed 's/../&\\//')",
    ["parts of new commits missing"],
  ],
  [
    "a damaged commit-graph",
    "git commit-graph write --reachable 2>/dev/null; chmod +w .git/objects/info/commit-graph; printf 'xx' | dd of=.git/objects/info/commit-graph bs=1 seek=60 conv=notrunc 2>/dev/null",
    ["commit-graph damaged"],
  ],
  [
    "a damaged multi-pack-index",
    "git repack -q -d; git multi-pack-index write; f=.git/objects/pack/multi-pack-index; chmod +w $f; truncate -s 100 $f",
    ["multi-pack-index damaged"],
  ],
  [
    "a damaged pack",
    "git repack -qad; chmod +w .git/objects/pack/*.pack; printf garbage | dd of=$(ls .git/objects/pack/*.pack) bs=1 seek=30 conv=notrunc 2>/dev/null",
    ["packs damaged"],
  ],
  ["files of git lfs", "rm -r .git/lfs/objects", ["1 object of git lfs deleted or rewritten"]],
  ["a rebase", "rm -rf .git/rebase-merge", ["unfinished rebase discarded"]],
])("[LY5] what git can no longer find or read is reported: %s", async (_, command, expected) => {
  const dir = victim();
  write(dir, { ".git/lfs/objects/ab/cd/abcd": "large", ".git/rebase-merge/done": "pick" });
  const told = await facts(dir, command);
  for (const fact of expected) expect(told).toEqual(expect.arrayContaining([expect.stringContaining(fact)]));
});

test("[LY5] a commit reachable only from a detached HEAD is reported when HEAD leaves it", async () => {
  const dir = victim();
  const { apply, effects } = await staged(dir, "git checkout -q --detach; git add notes.txt; git commit -qm notes; rm notes.txt");
  expect([effects.git, effects.counts.lost]).toEqual([[], 0]);
  await apply();
  expect(await facts(dir, "git checkout -qf main")).toEqual([expect.stringMatching(/^HEAD moved away from [0-9a-f]{8}$/)]);
  expect(await facts(dir, "git branch kept; git checkout -qf main")).toEqual([]);
});

test("[LY5] finishing a merge or a rebase, packing and pruning nothing are not reported", async () => {
  const dir = victim();
  git(dir, "checkout", "-q", "side");
  write(dir, { "a.txt": "side\n" });
  git(dir, "commit", "-qam", "side");
  git(dir, "checkout", "-q", "main");
  write(dir, { "a.txt": "main\n" });
  git(dir, "commit", "-qam", "main");
  const run = async (command: string) => {
    const { apply, effects } = await staged(dir, command);
    expect([command, effects.git]).toEqual([command, []]);
    await apply();
  };
  await run("git merge -q side || true");
  expect(await facts(dir, "git merge --abort")).toEqual(["unfinished merge discarded"]);
  await run("echo both > a.txt; git commit -qam merged");
  await run("git checkout -qb third side~1; echo third > a.txt; git commit -qam third; git rebase -q main || true");
  expect(existsSync(join(dir, ".git/rebase-merge"))).toBe(true);
  await run("echo all > a.txt; git add a.txt; GIT_EDITOR=true git rebase --continue >/dev/null; git branch -f kept ORIG_HEAD");
  await run("git gc -q; git commit-graph write --reachable; git multi-pack-index write");
  await run("git gc -q; git commit -q --allow-empty -m again; git fsck");
  expect(git(dir, "fsck", "--no-dangling")).toBe("");
});

test("[LY11] a lock in a git folder stays as it was, whether a command creates or finds it", async () => {
  const dir = victim();
  write(dir, { ".git/config.lock": "", ".git/refs/heads/side.lock": "" });
  const { output, callId } = await stage(
    dir,
    "touch .git/index.lock .git/refs/heads/main.lock; rm -f .git/refs/heads/side.lock; echo c > c",
  );
  if (typeof output === "string") throw new Error(output);
  expect(output.effects.refused).toEqual([".git/index.lock", ".git/refs/heads/main.lock", ".git/refs/heads/side.lock"]);
  await layers.apply(callId, dir);
  expect([".git/index.lock", ".git/refs/heads/main.lock", ".git/refs/heads/side.lock"].map((path) => existsSync(join(dir, path)))).toEqual([
    false,
    false,
    true,
  ]);
});

test("[LY4] nested repositories and submodules are checked", async () => {
  const dir = repository({ "a.txt": "a\n" });
  const module = repository({ "m.txt": "m\n", "n.txt": "n\n" });
  const nested = join(dir, "vendor/lib");
  mkdirSync(nested, { recursive: true });
  git(nested, "init", "-q");
  write(nested, { "x.txt": "x\n", "y.txt": "y\n" });
  git(nested, "add", "-A");
  git(nested, "-c", "user.email=a@b", "-c", "user.name=A", "commit", "-qm", "first");
  git(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module, "sub");
  write(dir, { "vendor/lib/x.txt": "a person's work\n", "sub/m.txt": "a person's work too\n" });
  expect(await lost(dir, "cd vendor/lib; git show HEAD:x.txt > x.txt")).toEqual(["vendor/lib/x.txt"]);
  expect(await lost(dir, "cd sub; git show HEAD:m.txt > m.txt")).toEqual(["sub/m.txt"]);
  expect(await lost(dir, "rm vendor/lib/y.txt sub/n.txt")).toEqual([]);
  expect(await lost(dir, "rm vendor/lib/x.txt sub/m.txt")).toEqual(["sub/m.txt", "vendor/lib/x.txt"]);
});

test("[LY7] objects are applied before references to them, and removed after", async () => {
  const dir = victim();
  const { callId } = await staged(dir, "echo c > c.txt; git add -A; git commit -qm c; git gc -q --prune=now");
  const { operations } = JSON.parse(readFileSync(join(dir, ".dialogs/layers", callId, "layer.json"), "utf8")) as {
    operations: readonly { do: string; path: string }[];
  };
  const order = operations
    .filter((operation) => operation.do !== "meta")
    .map(({ do: kind, path }) => (path.startsWith(".git/objects") ? `${kind} object` : path.startsWith(".git/") ? "git" : "file"));
  expect(order.lastIndexOf("put object")).toBeLessThan(order.indexOf("git"));
  expect(order.lastIndexOf("git")).toBeLessThan(order.indexOf("remove object"));
});

test.each([
  ["packed-refs damaged", "truncate -s 5M .git/packed-refs"],
  ["packed-refs damaged", "printf garbage > .git/packed-refs"],
  ["HEAD damaged", "echo 'ref: refs/heads/../../config' > .git/HEAD"],
  [".git/packed-refs too long to compare", "truncate -s 101M .git/packed-refs"],
  [".git/logs/HEAD too long to compare", "truncate -s 101M .git/logs/HEAD"],
])("[LY5] %s", async (fact, command) => {
  expect(await facts(victim(), command)).toContain(fact);
});

test("[LY5] git's own packing of references is no damage", async () => {
  expect(await facts(victim(), "git pack-refs --all; git branch other; git pack-refs --all")).toEqual([]);
});
