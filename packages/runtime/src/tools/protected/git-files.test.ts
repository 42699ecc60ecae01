import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownGitFolders } from "./own-git.ts";
import { tryToUse, use, withoutLayers } from "../testing.ts";

const folder = (): string => mkdtempSync(join(tmpdir(), "colloquy-git-"));
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...args], { cwd, encoding: "utf8", stdio: "pipe" });

test.each([
  ["x/HEAD", "x/objects/keep", "x/refs/keep"],
  ["x/objects/keep", "x/refs/keep", "x/HEAD"],
  ["x/config", "x/refs/keep", "x/HEAD", "x/objects/keep"],
  ["x/HEAD", "x/commondir"],
])("[B19] no repository is created file by file: %s, %s …", async (...paths) => {
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

test("[B19] a repository not named .git is readable, not writable", async () => {
  const dir = folder();
  git(dir, "init", "-q", "--bare", "fixtures/store.git");
  expect(await use(dir, "read_file", { path: "fixtures/store.git/HEAD" })).toMatch(/^ref:/);
  for (const path of ["fixtures/store.git/config", "fixtures/store.git/hooks/post-update", "fixtures/store.git/new"])
    expect((await tryToUse(dir, "write_file", { path, content: "x" })).isError).toBe(true);
  expect((await tryToUse(dir, "edit_file", { path: "fixtures/store.git/config", old: "bare", new: "x" })).isError).toBe(true);
  expect(spawnSync("git", ["-C", join(dir, "fixtures/store.git"), "config", "core.x"]).status).toBe(1);
  await use(dir, "write_file", { path: "fixtures/other/config", content: "x" });
});

test("[B19] a .git file and its short names are not written", async () => {
  const dir = folder();
  for (const path of ["sub/.git", "GIT~1/config", "sub/git~2", ".GIT", "sub/.git./hooks/x"])
    expect([path, (await tryToUse(dir, "write_file", { path, content: "gitdir: ../x\n" })).isError]).toEqual([path, true]);
});

test("[B19] the project's own git folders are .git, the target of a .git file, and its worktrees", () => {
  const dir = folder();
  expect(ownGitFolders(dir)).toEqual([]);
  git(dir, "init", "-q");
  expect(ownGitFolders(dir)).toEqual([".git"]);
  git(dir, "commit", "-q", "--allow-empty", "-m", "x");
  git(dir, "worktree", "add", "-q", "wt");
  expect(ownGitFolders(dir)).toEqual([".git", ".git/worktrees/wt"]);
  // The project is a worktree: its git folder is elsewhere, where no command can write.
  expect(ownGitFolders(join(dir, "wt"))).toEqual([]);

  const bare = folder();
  git(bare, "init", "-q", "--bare", ".bare");
  writeFileSync(join(bare, ".git"), "gitdir: ./.bare\n");
  expect(ownGitFolders(bare)).toEqual([".bare"]);
  mkdirSync(join(bare, ".bare/worktrees/not-one"), { recursive: true });
  expect(ownGitFolders(bare)).toEqual([".bare"]);
});

describe.each([
  ["on a layer", {}],
  ["without layers", { status: withoutLayers }],
] as const)("%s", (_way, shell) => {
  test("[H7] no repository that a command makes is left in the project", async () => {
    const dir = folder();
    git(dir, "init", "-q");
    mkdirSync(join(dir, "sub"));
    const commands = [
      "git init -q new",
      "git init -q --bare sub/store",
      "git init -q /tmp/x; cp -r /tmp/x/.git sub/gitdir; echo 'gitdir: gitdir' > sub/.git",
      "mkdir -p sub/part; echo 'ref: refs/heads/main' > sub/part/HEAD; echo ../../.git > sub/part/commondir",
      "mkdir objects refs; echo 'ref: refs/heads/main' > HEAD",
    ];
    for (const command of commands) {
      const text = await use(dir, "run_command", { command }, { shell, callId: randomUUID().replaceAll("-", "") });
      expect([command, text]).toEqual([command, expect.stringMatching(/^Exit code 0\.[\s\S]*Tools may not make/)]);
    }
    const found = ["new/.git", "sub/store", "sub/gitdir", "sub/.git", "sub/part", "HEAD"].map((path) => join(dir, path));
    const repositories = found.filter((path) => existsSync(path) && (lstatSync(path).isFile() || existsSync(join(path, "HEAD"))));
    expect(repositories).toEqual([]);
  });
});
