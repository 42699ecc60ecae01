// Commands that write nothing protected themselves, but leave versions in git that a person's git would write out.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, repository, stage, staged } from "./testing.ts";

function victim(): string {
  const dir = repository({ "a.txt": "a\n", "colloquy.yaml": "language: en\n", "agents/lead.md": "Lead.\n" });
  git(dir, "branch", "side");
  return dir;
}

const PLANT = "b=$(echo evil | git hash-object -w --stdin)";
const stageAs = (path: string) => `${PLANT}; git update-index --add --cacheinfo 100755,$b,${path}`;
const facts = async (dir: string, command: string) => (await staged(dir, command)).effects.git;

test.each(["colloquy.yaml", ".env", "agents/evil.md", "deploy/id_rsa", "x.tsk/goals.md", "Colloquy.YAML"])(
  "[LY21] %s in the index, a commit, a branch or a stash is reported",
  async (path) => {
    const dir = victim();
    const inIndex = `the index has its own version of ${path}`;
    const inCommit = `a new commit has its own version of ${path}`;
    expect(await facts(dir, stageAs(path))).toEqual([inIndex]);
    expect(await facts(dir, `${stageAs(path)}; git commit -qm x`)).toContain(inCommit);
    const tree = `${stageAs(path)}; t=$(git write-tree); git read-tree HEAD`;
    expect(await facts(dir, `${tree}; git branch evil $(git commit-tree -p HEAD -m x $t)`)).toEqual([inCommit]);
    expect(await facts(dir, `${tree}; git update-ref refs/stash $(git commit-tree -p HEAD -p HEAD -m x $t)`)).toEqual([inCommit]);
    expect(await facts(dir, `${tree}; c=$(git commit-tree -p HEAD -m x $t); git update-ref MERGE_HEAD $c`)).toContain(inCommit);
  },
);

test("[LY21] a commit or an index that deletes a protected file is reported", async () => {
  const dir = victim();
  expect(await facts(dir, "git rm -q --cached colloquy.yaml")).toEqual(["the index has its own version of colloquy.yaml"]);
  expect(await facts(dir, "git rm -q --cached colloquy.yaml; git commit -qm x")).toContain(
    "a new commit has its own version of colloquy.yaml",
  );
});

test("[LY21] paths in a git folder are reported in commits, and refused in the index", async () => {
  const dir = victim();
  const id = git(dir, "hash-object", "-w", "a.txt").trim();
  const inGit = `h=$(printf '100755 blob ${id}\\tpost-checkout\\n' | git mktree); k=$(printf "040000 tree $h\\thooks\\n" | git mktree); t=$(printf "040000 tree $k\\t.git\\n" | git mktree)`;
  expect(await facts(dir, `${inGit}; git branch evil $(git commit-tree -p HEAD -m x $t)`)).toContain(
    "a new commit has its own version of .git/hooks/post-checkout",
  );
});

test("[LY21] git replace, and commands that an unfinished rebase would run, are reported", async () => {
  const dir = victim();
  expect(await facts(dir, `${PLANT}; git replace -f $(git rev-parse HEAD:a.txt) $b`)).toEqual([
    expect.stringMatching(/^object [0-9a-f]{8} replaced by [0-9a-f]{8}$/),
  ]);
  expect(
    await facts(
      dir,
      "git commit -q --allow-empty -m e; GIT_SEQUENCE_EDITOR=\"printf 'break\\nexec touch owned\\n' >\" git rebase -qi HEAD~1 --keep-empty || true",
    ),
  ).toContain("an unfinished rebase would run: exec touch owned");
});

test("[LY42] where git cannot compare the index or new commits, the command asks", async () => {
  const dir = victim();
  writeFileSync(join(dir, ".git/packed-refs"), "garbage");
  const found = await facts(dir, stageAs("colloquy.yaml"));
  expect(found).toContain("the index changed, and git cannot compare it");
  expect(await facts(dir, "printf '' > .git/index; rm .git/index")).toContain("the index changed, and git cannot compare it");
  const commit = `printf 'tree ${"1".repeat(40)}\\nauthor A <a@b> 1 +0000\\ncommitter A <a@b> 1 +0000\\n\\nx\\n' | git hash-object -t commit --literally -w --stdin`;
  expect(await facts(victim(), `c=$(${commit}); echo $c > .git/refs/heads/evil`)).toContain("new commits that git cannot compare");
});

test("[LY32] a manifest in the index or a commit, which takes over our commands once it is checked out", async () => {
  const dir = victim();
  writeFileSync(join(dir, "package.json"), '{"bin":{"colloquy":"own.js"}}');
  git(dir, "add", "package.json");
  git(dir, "commit", "--quiet", "--message=own");
  const plant = (text: string) => `b=$(printf '%s' '${text}' | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,`;
  const evil = '{"bin":{"colloquy":"evil.js"}}';
  expect(await facts(dir, `${plant(evil)}package.json`)).toEqual([
    '"bin" of package.json in git takes over colloquy, which people run outside of the sandbox',
  ]);
  const tree = `${plant(evil)}web/package.json; t=$(git write-tree); git read-tree HEAD`;
  expect(await facts(dir, `${tree}; git branch evil $(git commit-tree -p HEAD -m x $t)`)).toEqual([
    '"bin" of web/package.json in git takes over colloquy, which people run outside of the sandbox',
  ]);
  expect(await facts(dir, `${plant('{"bin":{"other":"x.js"}}')}web/package.json`)).toEqual([]);
});

test("[LY21] ordinary commits, a person's own settings, branches and merges are not reported", async () => {
  const dir = victim();
  writeFileSync(join(dir, "colloquy.yaml"), "language: zh\n");
  writeFileSync(join(dir, "agents/coder.md"), "Code.\n");
  const run = async (command: string) => {
    const { apply, effects, text } = await staged(dir, command);
    expect([command, effects.git, effects.refused]).toEqual([command, [], []]);
    await apply();
    return text;
  };
  await run("git add -A; git status");
  await run("echo b > b.txt; git add -A; git commit -qm 'all of it'");
  git(dir, "checkout", "-q", "side");
  writeFileSync(join(dir, "colloquy.yaml"), "language: de\n");
  git(dir, "commit", "-qam", "a person's branch");
  git(dir, "checkout", "-q", "main");
  git(dir, "branch", "other");
  await run("git branch third side; git stash list; echo c > c.txt; git add c.txt; git commit -qm c; git tag v1");
  const { output } = await stage(dir, "git log --oneline side; git show side:colloquy.yaml");
  expect(output).toContain("language: de");
  expect(existsSync(join(dir, "c.txt"))).toBe(true);
});

test("[LY21] a commit from before Colloquy's settings were tracked is no plant", async () => {
  const dir = repository({ "a.txt": "a\n" });
  writeFileSync(join(dir, "colloquy.yaml"), "language: en\n");
  expect(await facts(dir, "git add -A; git commit -qm all")).toEqual([]);
});

test.each([
  "git show HEAD:.env",
  "git cat-file -p HEAD:.env",
  "git --no-pager -C . show 'HEAD:./.env'",
  "sh -c 'git show :.env'",
  "cd deploy && git show HEAD:deploy/.env",
  "git diff HEAD~1 -- .env",
  "git log -p -- deploy/.env",
  "git blame .env",
  "git archive HEAD .env | tar x -O",
  "git unpack-file HEAD:.env; cat .merge_file*",
  "git checkout-index --temp .env; cat .merge_file*",
  "git fast-export HEAD -- .env",
  "echo HEAD:.env | git cat-file --batch",
])("[LY22] a version of a hidden file is not shown: %s", async (command) => {
  const dir = repository({ ".env": "KEY=secret1\n", "deploy/.env": "KEY=secret2\n", "a.txt": "a\n" });
  await expect(stage(dir, command)).rejects.toThrow("is not open to tools, nor are its versions in git");
});

test("[LY22] a command that only names a hidden file runs", async () => {
  const dir = repository({ "a.txt": "a\n" });
  for (const command of [
    "git show HEAD:a.txt",
    "git diff --stat; git log --oneline -- a.txt",
    "echo .env >> .gitignore; git add .gitignore",
    "git check-ignore .env",
  ])
    expect(await stage(dir, command)).toBeDefined();
});

test("[LY37] git shows hidden files without content if no path names them", async () => {
  const hidden = [".env", "deploy/.env.production", "keys/server.pem", ".ssh/config", "home/id_ed25519", ".npmrc", "memory/a.md"];
  const dir = repository({ ...Object.fromEntries(hidden.map((path) => [path, `KEY=secret-1 ${path}\n`])), "a.txt": "KEY=open-1\n" });
  for (const path of [...hidden, "a.txt"]) writeFileSync(join(dir, path), path === "a.txt" ? "KEY=open-2\n" : "KEY=secret-2\n");
  git(dir, "commit", "--quiet", "--all", "--message=second");
  for (const path of [...hidden, "a.txt"]) writeFileSync(join(dir, path), path === "a.txt" ? "KEY=open-3\n" : "KEY=secret-3\n");
  git(dir, "stash", "--quiet");
  for (const command of [
    "git log -p",
    "git log -p --all",
    "git show",
    "git diff HEAD~1 HEAD",
    "git diff-tree -p HEAD",
    "git stash show -p",
    "git format-patch --stdout -2",
    "git whatchanged -p --i-still-use-this || true; git log --patch-with-stat",
    "git grep KEY HEAD",
    "git archive HEAD | tar xO",
    "git log -c -p; git log -W -p; git reflog -p",
  ]) {
    const { output } = await stage(dir, command);
    const text = typeof output === "string" ? output : output.output;
    expect([command, text]).toEqual([command, expect.stringContaining("open-")]);
    expect([command, text]).toEqual([command, expect.not.stringContaining("secret-")]);
  }
});
