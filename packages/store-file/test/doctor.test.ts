import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { PROJECT_STREAM } from "@colloquy/schema";
import { entryFor, made, rejected, saying, snapshotAt, spoken, texts, treeId } from "@colloquy/store/contract";
import { expect, test } from "vitest";
import { inspect, repair } from "../src/index.ts";
import type { FoldEntry } from "../src/inspect/rebuild.ts";
import { projectFolder } from "./project-folder.ts";

const [one, two] = [treeId(1), treeId(2)];
const now = () => Date.UTC(2026, 10, 15, 9, 12);
const TIME = "2026-11-15T09-12-00-000Z";
const foldEntry: FoldEntry = (rootId, { lines }) => entryFor(rootId, { title: spoken(lines).join(" ") });

/** Tree one: a b c in its first course, d e f in its second. Tree two: other. */
async function restingTrees() {
  const folder = projectFolder({ foldEntry });
  const store = await folder.open();
  for (const [seq, text] of ["a", "b", "c"].entries()) await store.commit([saying(one, seq, [text])], 0);
  await store.commit([saying(one, 3, ["d"], { course: 2, checkpoint: () => snapshotAt(3) })], 0);
  for (const [n, text] of ["e", "f"].entries()) await store.commit([saying(one, 4 + n, [text])], 0);
  await store.commit([saying(two, 0, ["other"]), { stream: PROJECT_STREAM, expected: 0, events: [made(two)] }], 0);
  await store.saveSnapshot(one, snapshotAt(6));
  await store.close();
  const harm = (course: number, from: string, to: string) => {
    const path = ["run", one, `course-00${course}.jsonl`] as const;
    folder.write(folder.text(...path).replace(from, to), ...path);
  };
  return { folder, harm, options: { foldEntry, now } };
}

test("[L47] a healthy project has no problems, with or without a crash before", async () => {
  const { folder, options } = await restingTrees();
  expect(await inspect(folder.dir, options)).toEqual([]);
  const store = await folder.open();
  await store.commit([saying(two, 1, ["more"])], 0);
  expect(await inspect(folder.dir, options)).toEqual([]); // while a process has it open
  await store.flush();
  folder.kill();
  expect(await inspect(folder.dir, options)).toEqual([]);
});

test("[L47] problems are found, with file and line", async () => {
  const { folder, harm, options } = await restingTrees();
  harm(2, '"content":"e"', '"content"e"');
  mkdirSync(folder.path("run", treeId(3)));
  writeFileSync(folder.path("run", treeId(3), "course-001.jsonl"), folder.text("run", two, "course-001.jsonl"));
  renameSync(folder.path("run", two), folder.path("done", two));
  folder.write("half", "run", one, "latest.yaml.tmp");
  expect(await inspect(folder.dir, options)).toEqual([
    {
      kind: "damaged",
      rootId: one,
      file: `.dialogs/run/${one}/course-002.jsonl`,
      line: 3,
      message: expect.stringContaining(":3 cannot be read.") as string,
    },
    { kind: "unlisted", rootId: treeId(3), file: `.dialogs/run/${treeId(3)}`, message: expect.any(String) as string },
    {
      kind: "misplaced",
      rootId: two,
      file: `.dialogs/done/${two}`,
      message: `.dialogs/done/${two} belongs into .dialogs/run/: it is running.`,
    },
    { kind: "leftover", file: `.dialogs/run/${one}/latest.yaml.tmp`, message: expect.any(String) as string },
  ]);
  expect(await inspect(folder.dir, { ...options, rootId: one })).toHaveLength(1);
});

test("[L47] a torn journal and a stale lock are repaired and reported", async () => {
  const { folder, options } = await restingTrees();
  const store = await folder.open();
  await store.commit([saying(two, 1, ["kept"])], 0);
  await store.commit([saying(two, 2, ["torn"])], 0);
  folder.kill();
  const bytes = folder.bytes("journal", "slot-0");
  folder.write(bytes.fill(0, bytes.indexOf("torn")), "journal", "slot-0");
  expect(await inspect(folder.dir, options)).toEqual([
    { kind: "noticed", file: ".dialogs", message: expect.stringContaining("A crash cut the last write off") as string },
  ]);
  expect(await texts(await folder.open(), two)).toEqual(["other", "kept"]);
});

test("[L48] in the newest course, everything after the damage is cut out and kept", async () => {
  const { folder, harm, options } = await restingTrees();
  harm(2, '"content":"e"', '"content"e"');
  const name = `.dialogs/run/${one}/course-002.jsonl`;
  expect(await repair(folder.dir, options)).toEqual([`${name}: line 3 and 1 after it are cut out, and kept in ${name}.bad-${TIME}.`]);
  expect(folder.text("run", one, `course-002.jsonl.bad-${TIME}`).trim().split("\n")).toHaveLength(2);
  expect(await inspect(folder.dir, options)).toEqual([]);
  const store = await folder.open();
  expect(await texts(store, one)).toEqual(["a", "b", "c", "d"]);
  expect(await store.open(one, 1)).toMatchObject({ base: { seq: 3 }, lines: [{ seq: 4 }] });
  expect(store.entry(one)?.title).toBe("a b c d");
  expect(await store.commit([saying(one, 4, ["again"])], 0)).toMatchObject({ pos: 8 });
});

test("[L48] in an earlier course only the line is cut out, and the dialog continues with everything later", async () => {
  const { folder, harm, options } = await restingTrees();
  harm(1, '"content":"b"', '"content"b"');
  const name = `.dialogs/run/${one}/course-001.jsonl`;
  expect(await repair(folder.dir, options)).toEqual([
    `${name}: line 3 (events 2–2) is cut out, and kept in ${name}.bad-${TIME}. The dialog continues; that piece of its history is gone.`,
  ]);
  expect(await inspect(folder.dir, options)).toEqual([]);
  const store = await folder.open();
  expect(await texts(store, one)).toEqual(["a", "c", "d", "e", "f"]);
  expect(await store.open(one, 1)).toMatchObject({ base: { seq: 3 }, lines: [{ seq: 4 }, { seq: 5 }, { seq: 6 }] });
  await rejected("log_corrupt", store.open(one, 2)); // no base left to fold from
});

test("[L48] a damaged checkpoint costs only a base", async () => {
  const { folder, harm, options } = await restingTrees();
  harm(2, '{"v":1,"checkpoint"', '{"v":1,"checkpoint');
  await repair(folder.dir, options);
  const store = await folder.open();
  expect(await texts(store, one)).toEqual(["a", "b", "c", "d", "e", "f"]);
  expect(await store.open(one, 1)).toMatchObject({ base: undefined, lines: { length: 6 } });
});

test("[L48] repairs a truncated file, an unlisted tree, a misplaced folder and a leftover", async () => {
  const { folder, options } = await restingTrees();
  const path = ["run", one, "course-002.jsonl"] as const;
  const lines = folder
    .text(...path)
    .trimEnd()
    .split("\n");
  folder.write(`${lines.slice(0, -1).join("\n")}\n`, ...path);
  renameSync(folder.path("run", two), folder.path("archive", two));
  folder.write("half", "index.jsonl.tmp");
  mkdirSync(folder.path("run", treeId(3)));
  writeFileSync(folder.path("run", treeId(3), "course-001.jsonl"), folder.text("archive", two, "course-001.jsonl"));
  expect(await repair(folder.dir, options)).toHaveLength(4);
  expect(await inspect(folder.dir, options)).toEqual([]);
  const store = await folder.open();
  expect(await texts(store, one)).toEqual(["a", "b", "c", "d", "e"]);
  expect(store.list().map((entry) => entry.title)).toEqual(["other", "Tree 020202", "a b c d e"]);
  expect(folder.names("run")).toEqual([one, two, treeId(3)]);
});

test("[L48] the project's own stream is repaired like a tree", async () => {
  const { folder, options } = await restingTrees();
  folder.write(`${folder.text("project.jsonl")}garbage\n`, "project.jsonl");
  expect(await repair(folder.dir, options)).toHaveLength(1);
  const store = await folder.open();
  expect(await texts(store, PROJECT_STREAM)).toEqual(["tree.created"]);
  expect(await store.commit([{ stream: PROJECT_STREAM, expected: 1, events: [made(one)] }], 0)).toMatchObject({ pos: 8 });
});

test("[L48] nothing is repaired while a process has the project open", async () => {
  const { folder, options } = await restingTrees();
  await folder.open();
  await rejected("store_locked", repair(folder.dir, options));
});

test("[C10] a crash that nobody dealt with is still reported after an inspection or a repair", async () => {
  const { folder, harm, options } = await restingTrees();
  const store = await folder.open();
  await store.commit([saying(two, 1, ["more"])], 0);
  folder.kill();
  expect(await inspect(folder.dir, options)).toEqual([]);
  const looked = await folder.open();
  expect(looked.crashed).toBe(true);
  await looked.close({ asCrashed: true });
  harm(2, '"content":"e"', '"content"e"');
  expect(await repair(folder.dir, options)).toHaveLength(1);
  const repaired = await folder.open();
  expect(repaired.crashed).toBe(true);
  await repaired.close();
  expect(await repair(folder.dir, options)).toEqual([]);
  expect((await folder.open()).crashed).toBe(false);
});

test.each([
  ["damaged first line", () => "{oh\n"],
  ["first line and a damaged second one", (text: string) => text.replace('"content":"b"', '"content"b"')],
  ["first line", (text: string) => `${text.split("\n")[0]}\n`],
])("[L48] a course with only its %s left has not begun", async (_what, harm) => {
  const folder = projectFolder({ foldEntry });
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.commit([saying(one, 1, ["b"], { course: 2, checkpoint: () => snapshotAt(1) })], 0);
  await store.close();
  folder.write(harm(folder.text("run", one, "course-002.jsonl")), "run", one, "course-002.jsonl");
  const options = { foldEntry, now };
  expect(await repair(folder.dir, options)).not.toEqual([]);
  expect(await inspect(folder.dir, options)).toEqual([]);
  const again = await folder.open();
  expect(await texts(again, one)).toEqual(["a"]);
  await again.commit([saying(one, 1, ["c"], { course: 1 })], 0);
  await again.commit([saying(one, 2, ["d"], { course: 2, checkpoint: () => snapshotAt(2) })], 0);
  await again.close();
  expect(await texts(await folder.open(), one)).toEqual(["a", "c", "d"]);
  expect(await inspect(folder.dir, options)).toEqual([]);
});

test("[L79] a wrong byte is located and corrected, in a tree and in the project's log", async () => {
  const { folder, harm, options } = await restingTrees();
  const before = folder.text("run", one, "course-001.jsonl");
  harm(1, '"content":"b"', '"content":"z"');
  const project = folder.text("project.jsonl");
  folder.write(project.replace('"by":"anna"', '"by":"bnna"'), "project.jsonl");
  expect((await inspect(folder.dir, options)).map(({ kind, file, line }) => [kind, file, line])).toEqual([
    ["damaged", ".dialogs/project.jsonl", 1],
    ["damaged", `.dialogs/run/${one}/course-001.jsonl`, 3],
  ]);
  expect(await repair(folder.dir, options)).toEqual([
    `.dialogs/project.jsonl: one byte of line 1 was wrong and is restored by its checksum; the old line is kept in .dialogs/project.jsonl.bad-${TIME}.`,
    `.dialogs/run/${one}/course-001.jsonl: one byte of line 3 was wrong and is restored by its checksum; the old line is kept in .dialogs/run/${one}/course-001.jsonl.bad-${TIME}.`,
  ]);
  expect(folder.text("run", one, "course-001.jsonl")).toBe(before);
  expect(folder.text("project.jsonl")).toBe(project);
  expect(await inspect(folder.dir, options)).toEqual([]);
});

test("[L79] a project whose lines have no checksums is read, continues, and is not reported as damaged", async () => {
  const { folder, options } = await restingTrees();
  for (const names of [
    ["project.jsonl"],
    ["run", one, "course-001.jsonl"],
    ["run", one, "course-002.jsonl"],
    ["run", two, "course-001.jsonl"],
  ])
    folder.write(folder.text(...names).replaceAll(/,"crc":"\w{8}"/g, ""), ...names);
  folder.remove("index.jsonl");
  const store = await folder.open();
  expect(spoken((await store.read(one, 0)) ?? [])).toEqual(["a", "b", "c", "d", "e", "f"]);
  await store.commit([saying(one, 6, ["g"])], 0);
  expect(spoken(await store.read(one, 0))).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  await store.close();
  expect(folder.text("run", one, "course-002.jsonl").match(/"crc"/g)?.length).toBe(1);
  expect(await inspect(folder.dir, options)).toEqual([]);
});
