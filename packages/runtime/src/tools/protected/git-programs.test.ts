import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { git, repository } from "../../layers/testing.ts";
import { tryToUse, use, withoutLayers } from "../testing.ts";
import { gitPrograms, learnGitPrograms } from "./git-programs.ts";

function victim(settings: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}): string {
  const dir = repository({ "a.txt": "a\n", "tools/run.sh": "#!/bin/sh\ncat\n", ...files });
  for (const [key, value] of Object.entries(settings)) git(dir, "config", key, value);
  return dir;
}

test.each([
  ["core.hooksPath", ".githooks", [".githooks"]],
  ["core.hooksPath", ".husky/_", [".husky/_", ".husky"]],
  ["include.path", "../shared.gitconfig", ["shared.gitconfig"]],
  ["core.fsmonitor", "tools/run.sh", ["tools/run.sh"]],
  ["core.pager", "sh ./tools/run.sh | less", ["tools/run.sh"]],
  ["filter.x.clean", "tools/run.sh %f", ["tools/run.sh"]],
  ["filter.x.process", "$(git rev-parse --show-toplevel)/tools/run.sh", ["tools/run.sh"]],
  ["diff.x.textconv", "'tools/run.sh'", ["tools/run.sh"]],
  ["merge.x.driver", "tools/run.sh %O %A %B", ["tools/run.sh"]],
  ["alias.go", "!tools/run.sh", ["tools/run.sh"]],
  ["credential.helper", "!tools/run.sh get", ["tools/run.sh"]],
  ["core.fsmonitor", "./tools/later.sh", ["tools/later.sh"]],
  ["core.editor", "sh tools/later.sh", ["tools/later.sh"]],
  ["filter.x.clean", "python3 later.py --mode=fast", ["later.py"]],
  ["credential.helper", "elsewhere.sh", []],
  ["lfs.customtransfer.x.path", "tools/run.sh", ["tools/run.sh"]],
  ["gpg.ssh.defaultKeyCommand", "tools/run.sh", ["tools/run.sh"]],
  ["alias.see", "!git -C tools log https://example.com/x --since=1", []],
  ["core.pager", "less -R", []],
  ["user.name", "tools/run.sh", []],
  ["remote.origin.url", "tools/run.sh", []],
])("[B22] %s = %s", (key, value, expected) => {
  expect(gitPrograms(victim({ [key]: value }))).toEqual(expected);
});

test("[B22] a change of git's settings is noticed, and links to hooks and included settings count", () => {
  const dir = victim({});
  expect(gitPrograms(dir)).toEqual([]);
  git(dir, "config", "core.hooksPath", "hooks");
  expect(gitPrograms(dir)).toEqual(["hooks"]);
  git(dir, "config", "include.path", "../inc");
  writeFileSync(join(dir, "inc"), "[core]\n\tpager = tools/run.sh\n");
  expect(gitPrograms(dir).toSorted()).toEqual(["hooks", "inc", "tools/run.sh"]);
  mkdirSync(join(dir, ".git/hooks"), { recursive: true });
  symlinkSync("../../tools/hook.sh", join(dir, ".git/hooks/pre-push"));
  expect(gitPrograms(dir)).toContain("tools/hook.sh");
});

test("[ST20] settings that were learned are known, until one changes", async () => {
  const dir = victim({ "core.hooksPath": "hooks" });
  await learnGitPrograms(dir);
  expect(gitPrograms(dir)).toEqual(["hooks"]);
  git(dir, "config", "core.hooksPath", "other");
  expect(gitPrograms(dir)).toEqual(["other"]);
  git(dir, "config", "core.hooksPath", "third");
  await learnGitPrograms(dir);
  expect(gitPrograms(dir)).toEqual(["third"]);
});

test("[B24] in a project below the top of its repository, paths are relative to the top", async () => {
  const top = victim({ "core.hooksPath": "app/.husky", "core.fsmonitor": "app/tools/watch.sh" }, { "app/a.txt": "a" });
  const dir = join(top, "app");
  expect(gitPrograms(dir)).toEqual(expect.arrayContaining([".husky", "tools/watch.sh"]));
  for (const path of [".husky/pre-commit", "tools/watch.sh"]) {
    expect(await tryToUse(dir, "write_file", { path, content: "touch owned" })).toMatchObject({ isError: true });
    await tryToUse(dir, "run_command", { command: `mkdir -p $(dirname ${path}); echo touch owned > ${path}` });
    expect(existsSync(join(dir, path))).toBe(false);
  }
});

test.each([
  ["on a layer", {}],
  ["without layers", { status: withoutLayers }],
])("[B24] settings of nested repositories count, %s", async (_, shell) => {
  const dir = repository({ "hooks/pre-commit": "#!/bin/sh\n", "sub/watch.sh": "#!/bin/sh\n", "plain/b.txt": "b" });
  for (const name of ["sub", "plain"]) git(join(dir, name), "init", "--quiet");
  git(join(dir, "sub"), "config", "core.fsmonitor", "./watch.sh");
  git(join(dir, "sub"), "config", "core.hooksPath", "../hooks");
  expect(await tryToUse(dir, "write_file", { path: "sub/watch.sh", content: "touch owned" })).toMatchObject({ isError: true });
  for (const path of ["sub/watch.sh", "hooks/pre-commit"]) {
    await tryToUse(dir, "run_command", { command: `echo touch owned >> ${path}` }, { shell });
    expect(readFileSync(join(dir, path), "utf8")).toBe("#!/bin/sh\n");
  }
  expect(await tryToUse(dir, "write_file", { path: "hooks/pre-commit", content: "touch owned" })).toMatchObject({ isError: true });
  expect(await use(dir, "write_file", { path: "plain/b.txt", content: "c" })).toBeDefined();
});

test("[B22] file tools read such a file but don't write it", async () => {
  const dir = victim({ "core.hooksPath": ".githooks", "include.path": "../shared.gitconfig", "core.pager": "tools/run.sh" });
  for (const path of [".githooks/pre-commit", "shared.gitconfig", "tools/run.sh", "tools/../tools/RUN.sh"]) {
    const { text, isError } = await tryToUse(dir, "write_file", { path, content: "touch owned" });
    expect([path, isError, text]).toEqual([path, true, expect.stringContaining("git's settings name it")]);
  }
  expect(await use(dir, "read_file", { path: "tools/run.sh" })).toContain("cat");
  expect(await use(dir, "write_file", { path: "tools/other.sh", content: "x" })).toBeDefined();
});

test.each([
  ["on a layer", {}],
  ["without layers", { status: withoutLayers }],
])("[B23] commands neither change, create nor replace it, %s", async (_, shell) => {
  const files = { ".githooks/pre-commit": "#!/bin/sh\n" };
  const dir = victim({ "core.hooksPath": ".githooks", "core.pager": "tools/run.sh", "include.path": "../shared.gitconfig" }, files);
  chmodSync(join(dir, ".githooks/pre-commit"), 0o755);
  const state = () => [".githooks/pre-commit", "tools/run.sh"].map((path) => readFileSync(join(dir, path), "utf8"));
  const before = state();
  for (const command of [
    "echo 'touch owned' >> tools/run.sh",
    "echo 'touch owned' > .githooks/pre-push; chmod +x .githooks/pre-push",
    "rm -rf .githooks; mkdir .githooks; echo 'touch owned' > .githooks/pre-commit",
    "mv tools tools2; mkdir tools; echo 'touch owned' > tools/run.sh",
    "ln -sf /tmp/x tools/run.sh",
    "printf '[core]\\n\\tpager = touch owned\\n' > shared.gitconfig",
  ])
    await tryToUse(dir, "run_command", { command }, { shell });
  expect(state()).toEqual(before);
  expect([".githooks/pre-push", "shared.gitconfig"].map((path) => existsSync(join(dir, path)))).toEqual([false, false]);
  expect(existsSync(join(dirname(dir), "owned"))).toBe(false);
  expect(await use(dir, "run_command", { command: "echo b > b.txt; cat tools/run.sh" }, { shell })).toContain("cat");
});
