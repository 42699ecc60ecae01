import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isSecretFile, trackedFiles } from "./tracked-files.ts";

function folder(): { readonly dir: string; readonly git: (...args: readonly string[]) => void } {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-tracked-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return { dir, git: (...args) => void execFileSync("git", args, { cwd: dir, stdio: "ignore" }) };
}

test.each([2, 3, 4])("[K129] tracked files are read from an index of version %s", (version) => {
  const { dir, git } = folder();
  git("init", "-q");
  git("config", "index.version", String(version));
  mkdirSync(join(dir, "web"));
  const names = [".env", ".env.example", "a", "a".repeat(200), "web/.env.local", "web/äöü.ts", "z.ts"];
  for (const name of names) writeFileSync(join(dir, name), "x");
  writeFileSync(join(dir, "untracked"), "x");
  git("add", ...names);
  // A flag that only version 3 has room for.
  if (version === 3) git("update-index", "--skip-worktree", "z.ts");
  git("update-index", "--index-version", String(version));
  expect(trackedFiles(dir).toSorted()).toEqual(names.toSorted());
  expect(trackedFiles(dir).filter(isSecretFile)).toEqual([".env", "web/.env.local"]);
});

test("[K129] a folder without git or with an invalid index has no tracked files", () => {
  const { dir } = folder();
  expect(trackedFiles(dir)).toEqual([]);
  mkdirSync(join(dir, ".git"));
  for (const bytes of ["", "DIRC", "DIRC\0\0\0\u0002\u00ff\u00ff\u00ff\u00ffrubbish".padEnd(5_000, "\u0001")]) {
    writeFileSync(join(dir, ".git/index"), bytes, "latin1");
    expect(() => trackedFiles(dir)).not.toThrow();
  }
  rmSync(join(dir, ".git/index"));
  execFileSync("mkfifo", [join(dir, ".git/index")]);
  expect(trackedFiles(dir)).toEqual([]);
});
