import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { colloquy, ownTest, project } from "../support.ts";

const SCRIPT = `rules:
  - when: { result: askHuman }
    do: { say: Painted. }
  - do: [{ call: { tool: askHuman, input: { tellaskContent: "Which colour?", options: [Red, Blue] } } }]
`;
const rows = (stdout: string) => stdout.trimEnd().split("\n");

async function painting() {
  const dir = project(SCRIPT);
  await colloquy(dir, "new", "Paint the door");
  const [id = ""] = (await colloquy(dir, "ls")).stdout.split("\t");
  return { dir, id };
}
const course = (dir: string) => {
  const run = join(dir, ".dialogs/run");
  return readFileSync(join(run, readdirSync(run)[0] ?? "", "course-001.jsonl"), "utf8");
};

test("[K140] [CA8] [CA9] a dialog goes from one project to another, and is answered there", async () => {
  const { dir, id } = await painting();
  const file = join(dir, "door.colloquy");
  const exported = await colloquy(dir, "export", id, "door.colloquy");
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining("bytes in door.colloquy") as string });
  const there = project(SCRIPT);
  expect(await colloquy(there, "import", file)).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect((await colloquy(there, "show", id)).stdout).toContain(`imported; it was ${id}`);
  const [question = ""] = (await colloquy(there, "questions")).stdout.split("\t");
  expect((await colloquy(there, "resume", id)).code).toBe(4);
  expect((await colloquy(there, "answer", question, "--choice", "1")).code).toBe(0);
  expect((await colloquy(there, "show", id)).stdout).toContain("Painted.");
  expect((await colloquy(there, "doctor")).stdout).not.toContain("problem");
  // Once more: the ids are taken.
  const again = await colloquy(there, "import", file);
  expect(again.stdout).toMatch(new RegExp(`^[0-9a-f]{6}\\twas ${id}\\n$`));
  expect(rows((await colloquy(there, "ls")).stdout)).toHaveLength(2);
});

ownTest("[CA9] [L22] imported lines have the bytes that they had", async () => {
  const { dir, id } = await painting();
  await colloquy(dir, "export", "--all", "all.colloquy");
  const there = project(SCRIPT);
  expect(await colloquy(there, "import", join(dir, "all.colloquy"))).toMatchObject({ code: 0, stdout: `${id}\n` });
  const before = rows(course(dir));
  expect(rows(course(there)).slice(0, before.length)).toEqual(before);
});

test("[K140] [CA10] what cannot be exported or imported is refused with what is valid", async () => {
  const { dir, id } = await painting();
  expect(await colloquy(dir, "export", id)).toMatchObject({ code: 2, stderr: expect.stringContaining("export DIALOG FILE") as string });
  expect(await colloquy(dir, "export", "--all")).toMatchObject({ code: 2 });
  expect(await colloquy(dir, "export", id, "nowhere/door.colloquy")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("cannot be written") as string,
  });
  expect(readdirSync(dir).filter((name) => name.endsWith(".part"))).toEqual([]);
  expect(await colloquy(dir, "import", "missing.colloquy")).toMatchObject({ code: 3 });
  writeFileSync(join(dir, "notes.txt"), "Not an export.\n");
  expect(await colloquy(dir, "import", "notes.txt")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no file that colloquy export made") as string,
  });
  expect(existsSync(join(dir, ".dialogs/incoming"))).toBe(false);
  expect(rows((await colloquy(dir, "ls")).stdout)).toHaveLength(1);
});
