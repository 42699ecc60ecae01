import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, repository, staged } from "../../testing.ts";
import { mayHaveObject } from "./object-lookup.ts";

const idOf = (dir: string, text: string): string =>
  execFileSync("git", ["hash-object", "--stdin"], { cwd: dir, input: text, encoding: "utf8" }).trim();

test("[LY20] content that git has is found, loose or packed; other content is not", () => {
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`file${at}.txt`, `content ${at}\n`]));
  const dir = repository(files);
  const folder = join(dir, ".git");
  const isFound = (at: number) => mayHaveObject(folder, idOf(dir, `content ${at}\n`));
  const numbers = Array.from({ length: 300 }, (_, at) => at);
  expect(numbers.every(isFound)).toBe(true);
  expect(isFound(300)).toBe(false);
  git(dir, "gc", "--quiet", "--prune=now");
  expect(numbers.every(isFound)).toBe(true);
  expect(isFound(300)).toBe(false);
  mkdirSync(join(folder, "objects/info"), { recursive: true });
  writeFileSync(join(folder, "objects/info/alternates"), "/elsewhere\n");
  expect(isFound(300)).toBe(true);
});

test("[LY20] work overwritten with a version from git is lost, packed or not; an edit is not", async () => {
  const dir = repository({ "a.txt": "committed\n" });
  git(dir, "gc", "--quiet", "--prune=now");
  writeFileSync(join(dir, "a.txt"), "a day's work\n");
  expect((await staged(dir, "echo committed > a.txt")).effects.counts.lost).toBe(1);
  expect((await staged(dir, "git checkout -- a.txt")).effects.counts.lost).toBe(1);
  expect((await staged(dir, "echo more >> a.txt")).effects.counts.lost).toBe(0);
});
