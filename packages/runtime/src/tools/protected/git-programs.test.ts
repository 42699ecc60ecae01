import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { git, repository } from "../../layers/testing.ts";
import { tryToUse, use, withoutLayers } from "../testing.ts";
import { gitPrograms } from "./git-programs.ts";

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
  ["core.pager", "less -R", []],
  ["user.name", "tools/run.sh", []],
  ["remote.origin.url", "tools/run.sh", []],
])("[B22] %s = %s", (key, value, expected) => {
  expect(gitPrograms(victim({ [key]: value }))).toEqual(expected);
});

test("[B22] a change of git's settings is seen, and links of hooks and settings that are included count", () => {
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

test("[B22] file tools read such a file and do not write it", async () => {
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
])("[B23] commands neither change, make nor replace it, %s", async (_, shell) => {
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
