import { describe, expect, test } from "vitest";
import { type EntryKind, gitJudge } from "./git-shape.ts";

const withThese = (...paths: readonly string[]) =>
  gitJudge({ has: (path) => paths.some((one) => one === path || one.startsWith(`${path}/`)) });
const project = [".git/HEAD", ".git/config", ".git/objects/aa/bb", ".git/refs/heads/main", "src/a.ts"] as const;

describe("[B19] which paths belong to git", () => {
  test.each([
    "src/a.ts",
    "HEAD",
    "objects/x",
    "refs/x",
    "config",
    "hooks/pre-commit",
    ".gitignore",
    ".gitattributes",
    ".gitmodules",
    ".github/workflows/ci.yml",
    "src/digit~1",
    "docs/.gitkeep",
    "x/commondir",
    "x/objects/deep/file",
  ])("%s is free", (path) => {
    expect(withThese(...project)(path)).toBe("free");
  });

  test.each([
    "HEAD",
    "HEAD.lock",
    "index",
    "index.lock",
    "index.stash.4711",
    "next-index-12.lock",
    "packed-refs",
    "packed-refs.lock",
    "shallow.lock",
    "ORIG_HEAD",
    "FETCH_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "COMMIT_EDITMSG",
    "MERGE_MSG",
    "MERGE_RR.lock",
    "AUTO_MERGE",
    "BISECT_LOG",
    "objects/aa/bb",
    "objects/pack/pack-1.idx",
    "objects/info/commit-graph",
    "objects/pack/tmp_pack_x",
    "refs/heads/feature/HEAD",
    "logs/HEAD",
    "logs/refs/heads/main",
    "rebase-merge/git-rebase-todo",
    "rebase-apply/patch",
    "sequencer/todo",
    "rr-cache/ab/postimage",
    "sharedindex.0123abc",
    "gc.pid",
  ])("git itself writes .git/%s", (path) => {
    expect(withThese(...project)(`.git/${path}`)).toBe("data");
  });

  test.each([
    ".git",
    ".GIT",
    ".git.",
    ".git ",
    ".g\u200Cit",
    "\uFF0Egit",
    "GIT~1",
    "git~1/hooks/x",
    ".Git/index",
    ".git/config",
    ".git/config.lock",
    ".git/config.worktree",
    ".git/Config",
    ".git/hooks",
    ".git/hooks/pre-commit",
    ".git/HOOKS/pre-commit",
    ".git/info/attributes",
    ".git/info/grafts",
    ".git/info/exclude",
    ".git/commondir",
    ".git/gitdir",
    ".git/description",
    ".git/modules/x/config",
    ".git/modules/x/objects/aa/bb",
    ".git/worktrees/x/gitdir",
    ".git/worktrees/x/HEAD",
    ".git/branches/x",
    ".git/remotes/origin",
    ".git/objects/info/alternates",
    ".git/objects/info/alternates.lock",
    ".git/objects/INFO/Alternates",
    ".git/objects/info/http-alternates",
    ".git/fsmonitor--daemon.ipc",
    ".git/unheard-of",
    ".git/index/x",
    ".git/head",
    "vendor/lib/.git",
    "vendor/lib/.git/index",
    "vendor/.git/objects/aa/bb",
    "src/.git/HEAD",
  ])("%s is closed", (path) => {
    expect(withThese(...project)(path)).toBe("closed");
  });

  test.each<[string, EntryKind]>([
    [".git/objects", "link"],
    [".git/refs/heads/main", "link"],
    [".git/HEAD", "link"],
    [".git", "link"],
    [".git", "file"],
  ])("%s is closed as a %s", (path, kind) => {
    expect(withThese(...project)(path, kind)).toBe("closed");
  });
  test("the project's git folder is allowed, a new one isn't", () => {
    expect(withThese(...project)(".git", "folder")).toBe("data");
    expect(withThese("src/a.ts")(".git", "folder")).toBe("closed");
    expect(withThese(...project)(".git/objects/aa", "folder")).toBe("data");
  });
});

describe("[B19] a repository is recognized by its content", () => {
  test.each([
    ["x/HEAD", ["x/objects/a", "x/refs/a"]],
    ["x/head", ["x/objects/a", "x/refs/a"]],
    ["x/objects/a", ["x/HEAD", "x/refs/a"]],
    ["x/Objects/deep/a", ["x/HEAD", "x/refs/a"]],
    ["x/refs/a", ["x/HEAD", "x/objects/a"]],
    ["x/commondir", ["x/HEAD"]],
    ["x/HEAD", ["x/commondir"]],
    ["HEAD", ["objects/a", "refs/a"]],
    ["deep/in/x.git/refs/heads/main", ["deep/in/x.git/HEAD", "deep/in/x.git/objects"]],
    // Combined from the names of branches, logs and objects.
    [".git/refs/heads/refs/x", [...project, ".git/refs/heads/HEAD", ".git/refs/heads/objects/x"]],
    [".git/logs/objects/x", [...project, ".git/logs/HEAD", ".git/logs/refs/heads/main"]],
    [".git/objects/x/HEAD", [...project, ".git/objects/x/commondir"]],
  ])("%s completes one", (path, there) => {
    expect(withThese(...there)(path)).toBe("closed");
  });

  test("nothing below one can be changed, whatever its name", () => {
    const judge = withThese("x/HEAD", "x/objects/a", "x/refs/a");
    for (const path of ["x/config", "x/hooks/post-update", "x/index", "x/objects/b", "x/readme", "x/deep/er"])
      expect(judge(path)).toBe("closed");
    expect(judge("y/config")).toBe("free");
  });

  test("the project's own one may be elsewhere, and have worktrees", () => {
    const judge = gitJudge({
      has: (path) => /^(?:\.bare|\.bare\/worktrees\/main)\/(?:HEAD|objects|refs|commondir)$/.test(path),
      own: [".bare", ".bare/worktrees/main"],
    });
    expect(judge(".bare/objects/aa/bb")).toBe("data");
    expect(judge(".bare/worktrees/main/index.lock")).toBe("data");
    for (const path of [
      ".bare/config",
      ".bare/worktrees/main/gitdir",
      ".bare/worktrees/new/HEAD",
      ".bare/worktrees/main/commondir",
      ".git",
      "main/.git",
    ])
      expect(judge(path)).toBe("closed");
  });
});
