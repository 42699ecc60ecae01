import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownGitFolders } from "./own-git.ts";
import { tryToUse, use } from "./testing.ts";

const folder = (): string => mkdtempSync(join(tmpdir(), "colloquy-git-"));
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { cwd, encoding: "utf8", stdio: "pipe" });

test.each([
  ["x/HEAD", "x/objects/keep", "x/refs/keep"],
  ["x/objects/keep", "x/refs/keep", "x/HEAD"],
  ["x/config", "x/refs/keep", "x/HEAD", "x/objects/keep"],
  ["x/HEAD", "x/commondir"],
])("[B19] file by file, %s, %s … no repository comes about", async (...paths) => {
  const dir = folder();
  git(dir, "init", "-q");
  const content = "ref: refs/heads/main\n";
  for (const path of paths.slice(0, -1)) await use(dir, "write_file", { path, content });
  const last = paths.at(-1) ?? "";
  const { text, isError } = await tryToUse(dir, "write_file", { path: last, content });
  expect({ text, isError }).toEqual({ text: expect.stringContaining("belongs to a git repository, or would make one"), isError: true });
  expect(existsSync(join(dir, last))).toBe(false);
  expect(git(join(dir, "x"), "rev-parse", "--show-toplevel").trim()).toBe(dir);
});

test("[B19] a repository without the name .git is read and not written", async () => {
  const dir = folder();
  git(dir, "init", "-q", "--bare", "fixtures/store.git");
  expect(await use(dir, "read_file", { path: "fixtures/store.git/HEAD" })).toMatch(/^ref:/);
  for (const path of ["fixtures/store.git/config", "fixtures/store.git/hooks/post-update", "fixtures/store.git/new"])
    expect((await tryToUse(dir, "write_file", { path, content: "x" })).isError).toBe(true);
  expect((await tryToUse(dir, "edit_file", { path: "fixtures/store.git/config", old: "bare", new: "x" })).isError).toBe(true);
  expect(spawnSync("git", ["-C", join(dir, "fixtures/store.git"), "config", "core.x"]).status).toBe(1);
  await use(dir, "write_file", { path: "fixtures/other/config", content: "x" });
});

test("[B19] a file .git and short names of it are not written", async () => {
  const dir = folder();
  for (const path of ["sub/.git", "GIT~1/config", "sub/git~2", ".GIT", "sub/.git./hooks/x"])
    expect([path, (await tryToUse(dir, "write_file", { path, content: "gitdir: ../x\n" })).isError]).toEqual([path, true]);
});

test("[B19] the project's own git folders are .git, what a file .git names, and its worktrees", () => {
  const dir = folder();
  expect(ownGitFolders(dir)).toEqual([]);
  git(dir, "init", "-q");
  expect(ownGitFolders(dir)).toEqual([".git"]);
  git(dir, "commit", "-q", "--allow-empty", "-m", "x");
  git(dir, "worktree", "add", "-q", "wt");
  expect(ownGitFolders(dir)).toEqual([".git", ".git/worktrees/wt"]);
  // A worktree as the project: its git folder is elsewhere, where no command can write.
  expect(ownGitFolders(join(dir, "wt"))).toEqual([]);

  const bare = folder();
  git(bare, "init", "-q", "--bare", ".bare");
  writeFileSync(join(bare, ".git"), "gitdir: ./.bare\n");
  expect(ownGitFolders(bare)).toEqual([".bare"]);
  mkdirSync(join(bare, ".bare/worktrees/not-one"), { recursive: true });
  expect(ownGitFolders(bare)).toEqual([".bare"]);
});
