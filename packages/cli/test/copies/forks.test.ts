import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { colloquy, ownTest, project } from "../support.ts";

const SCRIPT = `rules:
  - when: { result: askHuman, text: "/Blue/" }
    do: [{ call: { tool: write_file, input: { path: door.txt, content: blue } } }]
  - when: { result: askHuman }
    do: [{ call: { tool: write_file, input: { path: door.txt, content: red } } }]
  - when: { result: write_file }
    do: { say: Painted. }
  - do: [{ call: { tool: askHuman, input: { tellaskContent: "Which colour?", options: [Red, Blue] } } }]
`;
const door = (dir: string) => readFileSync(join(dir, "door.txt"), "utf8");
const rows = (stdout: string) => stdout.trimEnd().split("\n");

async function painted() {
  const dir = project(SCRIPT);
  await colloquy(dir, "new", "Paint the door");
  const [question = ""] = (await colloquy(dir, "questions")).stdout.split("\t");
  expect((await colloquy(dir, "answer", question, "--choice", "1")).code).toBe(0);
  expect(door(dir)).toBe("red");
  const [id = ""] = (await colloquy(dir, "ls")).stdout.split("\t");
  return { dir, id, question };
}

test("[K133] [CA4] fork --answer works on with another answer and asks before it writes", async () => {
  const { dir, id, question } = await painted();
  const forked = await colloquy(dir, "fork", id, "--answer", question, "--choice", "2");
  expect(forked).toMatchObject({ code: 4, stdout: expect.stringMatching(/^[0-9a-f]{6}\n$/) as string });
  expect(door(dir)).toBe("red");
  const open = rows((await colloquy(dir, "questions")).stdout);
  expect(open).toHaveLength(1);
  const [approval = ""] = (open[0] ?? "").split("\t");
  expect((await colloquy(dir, "show", approval)).stdout).toContain("what-if");
  expect((await colloquy(dir, "approve", approval)).code).toBe(0);
  expect(door(dir)).toBe("blue");
  expect((await colloquy(dir, "doctor")).stdout).not.toContain("problem");
});

test("[K133] [CA1] [CA2] fork copies a dialog, stopped; resume starts it, and its past has the same lines", async () => {
  const { dir, id } = await painted();
  const forked = (await colloquy(dir, "fork", id, "--at", "3")).stdout.trim();
  expect((await colloquy(dir, "ls")).stdout).toContain("stopped");
  const lines = async (which: string) => rows((await colloquy(dir, "log", which)).stdout).map((row) => row.split("\t").slice(0, 3));
  const copy = await lines(forked);
  const copied = copy.findIndex(([, , type]) => type === "dialog.copied");
  expect(copy.slice(0, copied)).toEqual((await lines(id)).slice(0, copied));
  expect((await colloquy(dir, "show", forked)).stdout).toContain(`fork of ${id}`);
  const resumed = await colloquy(dir, "resume", forked);
  expect(resumed.code).toBe(4);
  expect((await colloquy(dir, "doctor")).stdout).not.toContain("problem");
});

ownTest("[CA1] [L41] [L84] a fork is found again when index and snapshots are lost", async () => {
  const { dir, id } = await painted();
  const forked = (await colloquy(dir, "fork", id, "--at", "3")).stdout.trim();
  const before = (await colloquy(dir, "log", forked)).stdout;
  rmSync(join(dir, ".dialogs/index.jsonl"));
  for (const tree of readdirSync(join(dir, ".dialogs/run"))) rmSync(join(dir, ".dialogs/run", tree, "snapshot.json"), { force: true });
  expect((await colloquy(dir, "log", forked)).stdout).toBe(before);
  expect((await colloquy(dir, "doctor", "--fix")).code).toBe(0);
  expect((await colloquy(dir, "log", forked)).stdout).toBe(before);
});

test("[K133] [CA6] what cannot be forked is refused with what is valid", async () => {
  const { dir, id, question } = await painted();
  const refused = async (...args: string[]) => {
    const { code, stderr } = await colloquy(dir, "fork", id, ...args);
    return [code, stderr];
  };
  expect(await refused("--at", "nine")).toEqual([2, expect.stringContaining("--at takes the number of an event")]);
  expect(await refused("--at", "999")).toEqual([2, expect.stringMatching(/1 to \d+/)]);
  expect(await refused("A text")).toEqual([2, expect.stringContaining("--answer Q")]);
  expect(await refused("--answer", question)).toEqual([2, expect.stringContaining("--choice N")]);
  expect(await refused("--answer", question, "--choice", "7")).toEqual([2, expect.stringContaining("no choice 7")]);
  expect(rows((await colloquy(dir, "ls")).stdout)).toHaveLength(1);
});
