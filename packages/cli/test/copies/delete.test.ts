import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { colloquy, ownTest, project } from "../support.ts";

const SCRIPT = `rules:
  - do: [{ call: { tool: askHuman, input: { tellaskContent: "Which colour?", options: [Red, Blue] } } }]
`;

async function painting() {
  const dir = project(SCRIPT);
  await colloquy(dir, "new", "Paint the door");
  const [id = ""] = (await colloquy(dir, "ls")).stdout.split("\t");
  return { dir, id };
}

test("[K141] [CA15] [CA17] a dialog is deleted, with its question, and can come back from its file", async () => {
  const { dir, id } = await painting();
  await colloquy(dir, "export", id, "door.colloquy");
  const unsure = await colloquy(dir, "delete", id);
  expect([unsure.code, unsure.stderr]).toEqual([1, expect.stringContaining(`colloquy delete ${id} --yes`) as string]);
  expect((await colloquy(dir, "questions")).stdout).toContain("Which colour?");
  expect(await colloquy(dir, "delete", id, "--yes")).toMatchObject({ code: 0, stdout: `${id}\tdeleted\n` });
  expect([(await colloquy(dir, "ls")).stdout, (await colloquy(dir, "questions")).stdout]).toEqual(["", ""]);
  expect(await colloquy(dir, "show", id)).toMatchObject({ code: 3 });
  expect((await colloquy(dir, "search", "door")).stdout).toBe("");
  expect((await colloquy(dir, "doctor")).stdout).not.toContain("problem");
  expect(await colloquy(dir, "import", "door.colloquy")).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect((await colloquy(dir, "questions")).stdout).toContain("Which colour?");
  expect((await colloquy(dir, "doctor")).stdout).not.toContain("problem");
});

ownTest("[L87] [CA15] nothing of a deleted dialog is left in the project's folder", async () => {
  const { dir, id } = await painting();
  await colloquy(dir, "search", "door");
  await colloquy(dir, "delete", id, "--yes");
  const dialogs = join(dir, ".dialogs");
  expect(
    ["run", "done", "archive", "incoming"].flatMap((place) => (existsSync(join(dialogs, place)) ? readdirSync(join(dialogs, place)) : [])),
  ).toEqual([]);
  await colloquy(dir, "search", "door");
  const files = readdirSync(dialogs, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  expect(files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes("Paint the door")).map(({ name }) => name)).toEqual(
    [],
  );
});

ownTest("[CA18] [K141] a dialog that cannot be read can be deleted", async () => {
  const { dir, id } = await painting();
  const run = join(dir, ".dialogs/run");
  const [tree = ""] = readdirSync(run);
  writeFileSync(join(run, tree, "course-001.jsonl"), "nothing\n");
  expect((await colloquy(dir, "show", id)).code).toBe(1);
  expect(await colloquy(dir, "delete", id, "--yes")).toMatchObject({ code: 0 });
  expect([(await colloquy(dir, "ls")).stdout, readdirSync(run)]).toEqual(["", []]);
});
