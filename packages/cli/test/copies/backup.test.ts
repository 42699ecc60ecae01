import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { colloquy, ownTest, project } from "../support.ts";

const SCRIPT = `rules:
  - when: { result: askHuman }
    do: { say: Painted. }
  - do: [{ call: { tool: askHuman, input: { tellaskContent: "Which colour?", options: [Red, Blue] } } }]
`;

/** Every line of every log in the folder, by file. */
function logs(dir: string): Record<string, string> {
  const dialogs = join(dir, ".dialogs");
  const names = readdirSync(dialogs, { recursive: true, encoding: "utf8" }).filter((name) => /(?:course-\d+|project)\.jsonl$/.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(dialogs, name), "utf8")]));
}
const ids = async (dir: string) =>
  (await colloquy(dir, "ls", "--all")).stdout
    .trimEnd()
    .split("\n")
    .map((row) => row.split("\t")[0] ?? "");

test("[CA23] [K142] a project is backed up little by little, while a server has it open as well", async () => {
  const dir = project(SCRIPT);
  await colloquy(dir, "new", "Paint the door");
  expect(await colloquy(dir, "backup", "kept")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ commits, up to/) as string });
  expect(await colloquy(dir, "backup", "kept")).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing is new") as string });
  await colloquy(dir, "new", "Paint the wall");
  await colloquy(dir, "backup", "kept");
  const names = readdirSync(join(dir, "kept")).sort();
  expect(names).toHaveLength(2);
  expect(names[1]?.split("-")[1]).toBe(names[0]?.split("-")[2]?.replace(".gz", ""));
});

ownTest(
  "[CA23] [CA24] [K142] a project is backed up little by little, and restored in another folder by the steps of docs/BACKUP.md",
  async () => {
    const dir = project(SCRIPT);
    await colloquy(dir, "new", "Paint the door");
    await colloquy(dir, "tasks", "add", "Fix the date");
    expect(await colloquy(dir, "backup", "kept")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ commits, up to \d+/) as string,
    });
    expect(await colloquy(dir, "backup", "kept")).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing is new") as string });
    const [door = ""] = await ids(dir);
    await colloquy(dir, "new", "Paint the wall");
    await colloquy(dir, "fork", door);
    await colloquy(dir, "change-mind", door, "goals", "A red door.");
    expect((await colloquy(dir, "backup", "kept")).code).toBe(0);
    expect(readdirSync(join(dir, "kept"))).toHaveLength(2);

    const there = project(SCRIPT);
    expect(await colloquy(there, "restore", join(dir, "kept"))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^3 dialogs in /) as string,
    });
    expect((await colloquy(there, "doctor")).stdout).not.toContain("problem");
    expect(await ids(there)).toEqual(await ids(dir));
    expect((await colloquy(there, "tasks")).stdout).toContain("Fix the date");
    expect((await colloquy(there, "questions")).stdout).toBe((await colloquy(dir, "questions")).stdout);
    await colloquy(there, "resume", "--all"); // the fork was stopped
    const [question = ""] = (await colloquy(there, "questions")).stdout.split("\t");
    expect(await colloquy(there, "answer", question, "--choice", "1")).toMatchObject({ code: 0 });
    expect(await colloquy(there, "restore", join(dir, "kept"))).toMatchObject({ code: 1 });
  },
);

ownTest("[CA24] a restored project has the same logs, byte for byte, and its Taskdocs", async () => {
  const dir = project(SCRIPT);
  await colloquy(dir, "new", "Paint the door");
  const [door = ""] = await ids(dir);
  await colloquy(dir, "backup", "kept");
  await colloquy(dir, "fork", door);
  await colloquy(dir, "change-mind", door, "goals", "A red door.");
  await colloquy(dir, "backup", "kept");
  const before = logs(dir);
  const there = project(SCRIPT);
  expect((await colloquy(there, "restore", join(dir, "kept"))).code).toBe(0);
  expect(logs(there)).toEqual(before);
  expect(readdirSync(there).filter((name) => name.startsWith(".restoring"))).toEqual([]);
  const tasks = (at: string) =>
    readdirSync(join(at, "tasks"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("goals.md"));
  expect(tasks(there)).toEqual(tasks(dir));
});

ownTest("[CA25] a backup with anything wrong in it is refused, and nothing is restored", async () => {
  const dir = project(SCRIPT);
  for (const said of ["One", "Two", "Three"]) {
    await colloquy(dir, "new", said);
    await colloquy(dir, "backup", "kept");
  }
  const kept = join(dir, "kept");
  const [first = "", second = "", third = ""] = readdirSync(kept).sort();
  const good = new Map([first, second, third].map((name) => [name, readFileSync(join(kept, name))]));
  const refuse = async (say: string, files: ReadonlyMap<string, Buffer>) => {
    const there = project(SCRIPT, { "bad/note.txt": "" });
    for (const [name, bytes] of files) writeFileSync(join(there, "bad", name), bytes);
    const refused = await colloquy(there, "restore", "bad");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(say) as string]);
    expect([existsSync(join(there, ".dialogs", "run")), readdirSync(there).filter((name) => name.startsWith(".restoring"))]).toEqual([
      false,
      [],
    ]);
  };
  const bytes = good.get(second) ?? Buffer.alloc(0);
  await refuse("no backup", new Map());
  await refuse("is missing before it", new Map([...good].filter(([name]) => name !== second)));
  await refuse("damaged or cut off", new Map([...good, [second, bytes.subarray(0, bytes.length - 40)]]));
  const flipped = Buffer.from(bytes);
  flipped[bytes.length - 60] = (flipped[bytes.length - 60] ?? 0) ^ 255;
  await refuse("damaged", new Map([...good, [second, flipped]]));
  await refuse(
    "no part of a backup",
    new Map([...good, [second, Buffer.from("nothing")]]).set(second, (await import("node:zlib")).gzipSync("{}\n")),
  );
  const other = project(SCRIPT);
  await colloquy(other, "new", "Other");
  expect(await colloquy(other, "backup", kept)).toMatchObject({ code: 2, stderr: expect.stringContaining("another") as string });
  expect(readdirSync(kept).sort()).toEqual([first, second, third]);
});

ownTest("[CA24] a backup is not restored over a project, even one without dialogs", async () => {
  const dir = project(SCRIPT);
  await colloquy(dir, "new", "Paint the door");
  await colloquy(dir, "backup", "kept");
  const there = project(SCRIPT);
  await colloquy(there, "tasks", "add", "Fix the date");
  const refused = await colloquy(there, "restore", join(dir, "kept"));
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("already") as string]);
  expect((await colloquy(there, "tasks")).stdout).toContain("Fix the date");
});
