import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newDatabase } from "../../../store-postgres/test/database.ts";
import { colloquy, project } from "../support.ts";

/** Every line of every log in the folder, by file. */
function logs(dir: string): Record<string, string> {
  const dialogs = join(dir, ".dialogs");
  const names = readdirSync(dialogs, { recursive: true, encoding: "utf8" }).filter((name) => /(?:course-\d+|project)\.jsonl$/.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(dialogs, name), "utf8")]));
}

test("[CA23] [CA24] a backup of a folder is restored in a database, and one of the database in a folder", async () => {
  const [dir, database, back] = [project(), project(), project()];
  const url = `${(await newDatabase()).url}?project=shop`;
  await colloquy(dir, "new", "--wait", "Hello");
  await colloquy(dir, "clear-mind", "@");
  await colloquy(dir, "backup", "kept");
  await colloquy(dir, "fork", "@");
  await colloquy(dir, "tasks", "add", "Fix the date");
  await colloquy(dir, "backup", "kept");
  const kept = join(dir, "kept");
  expect(await colloquy(database, "--store", url, "restore", kept)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^2 dialogs/) as string,
  });
  expect((await colloquy(database, "--store", url, "restore", kept)).code).toBe(1);
  expect((await colloquy(database, "--store", url, "tasks")).stdout).toContain("Fix the date");
  expect((await colloquy(database, "--store", url, "backup", "kept")).code).toBe(0);
  expect((await colloquy(back, "restore", join(database, "kept"))).code).toBe(0);
  expect(logs(back)).toEqual(logs(dir));
});
