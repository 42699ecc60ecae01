import { PROJECT_STREAM } from "@colloquy/schema";
import { made, rejected, saying, snapshotAt, texts, treeId } from "@colloquy/store/contract";
import { expect, test } from "vitest";
import { projectFolder } from "./project-folder.ts";

const [one, two] = [treeId(1), treeId(2)];
const course = (rootId: string, n = 1) => ["run", rootId, `course-00${n}.jsonl`] as const;

/** Two idle trees, one of them in its second course. */
async function restingTrees() {
  const folder = projectFolder();
  const store = await folder.open();
  for (const [seq, text] of ["a", "b", "c"].entries()) await store.commit([saying(one, seq, [text])], 0);
  await store.commit([saying(one, 3, ["d"], { course: 2, checkpoint: () => snapshotAt(3) })], 0);
  await store.commit([saying(one, 4, ["e"])], 0);
  await store.commit([saying(two, 0, ["other"]), { stream: PROJECT_STREAM, expected: 0, events: [made(two)] }], 0);
  await store.close();
  return folder;
}

test("[L26] a torn write is cut, kept aside and reported, and nothing acknowledged is lost", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.commit([saying(one, 1, ["torn"])], 0);
  folder.kill();
  const bytes = folder.bytes("journal", "slot-0");
  bytes.fill(0, bytes.indexOf("torn"));
  folder.write(bytes, "journal", "slot-0");

  const reopened = await folder.open();
  expect(await texts(reopened, one)).toEqual(["a"]);
  const [notice] = reopened.health().notices;
  expect(notice).toMatch(
    /^A crash cut the last write off, before it was accepted: bytes \d+–\d+ of \.dialogs\/journal\/slot-0 are kept in \.dialogs\/journal\/torn-1-\d+\. Nothing/,
  );
  const torn = folder.names("journal").find((name) => name.startsWith("torn-")) ?? "";
  const from = Number(torn.split("-")[2]);
  expect(folder.bytes("journal", torn)).toEqual(bytes.subarray(from, from + folder.bytes("journal", torn).length));
  expect(await reopened.commit([saying(one, 1, ["b"])], 0)).toMatchObject({ pos: 2 });
  await reopened.close();
  expect((await folder.open()).health().notices).toEqual([]);
});

test("[L26] complete records after a torn one in the same batch were not acknowledged either", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await Promise.all([store.commit([saying(one, 1, ["torn"])], 0), store.commit([saying(two, 0, ["whole"])], 0)]);
  folder.kill();
  const bytes = folder.bytes("journal", "slot-0");
  bytes[bytes.indexOf("torn")] = 0;
  folder.write(bytes, "journal", "slot-0");
  const reopened = await folder.open();
  expect(await texts(reopened, one)).toEqual(["a"]);
  expect(await reopened.open(two, 1)).toBeUndefined();
});

test("[L27] damage confirmed by a later record stops the tree that misses something, and no other", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.commit([saying(one, 1, ["broken"])], 0);
  await store.commit([saying(two, 0, ["b"])], 0);
  await store.commit([saying(two, 1, ["c"])], 0);
  folder.kill();
  const bytes = folder.bytes("journal", "slot-0");
  bytes[bytes.indexOf("broken")] = 0;
  folder.write(bytes, "journal", "slot-0");

  const reopened = await folder.open();
  expect(reopened.health().notices).toEqual([
    expect.stringMatching(/^The journal is damaged: bytes \d+–\d+ of .*slot-0 are kept in .*damaged-1-\d+\./),
  ]);
  expect(await texts(reopened, two)).toEqual(["b", "c"]);
  const fault = await rejected("log_corrupt", reopened.open(one, 1));
  expect(fault.message).toContain(`.dialogs/run/${one}/course-001.jsonl:3 cannot be read. Only this dialog is affected.`);
  await rejected("log_corrupt", reopened.commit([saying(one, 1, ["on top"])], 0));
  expect(await reopened.commit([saying(two, 2, ["d"])], 0)).toMatchObject({ pos: 5 });
  await reopened.close();

  const again = await folder.open();
  await rejected("log_corrupt", again.open(one, 1));
  expect(await texts(again, two)).toEqual(["b", "c", "d"]);
});

test("[L27] lines lost by the journal but already in the course file are not lost", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.checkpoint();
  await store.commit([saying(one, 1, ["broken"])], 0);
  await store.commit([saying(one, 2, ["c"])], 0);
  await store.flush();
  folder.kill();
  const bytes = folder.bytes("journal", "slot-0");
  bytes[bytes.indexOf("broken")] = 0;
  folder.write(bytes, "journal", "slot-0");
  expect(await texts(await folder.open(), one)).toEqual(["a", "broken", "c"]);
});

test("[L28] an unreadable line stops only its tree, and names file and line", async () => {
  const folder = await restingTrees();
  folder.write(folder.text(...course(one, 2)).replace('"content":"e"', '"content:"e"'), ...course(one, 2));
  const store = await folder.open();
  const attempts = [() => store.open(one, 1), () => store.read(one, 0), () => store.commit([saying(one, 5, ["f"])], 0)];
  for (const attempt of attempts) {
    const fault = await rejected("log_corrupt", attempt());
    expect(fault).toMatchObject({ retry: "never" });
    expect(fault.message).toBe(
      `.dialogs/run/${one}/course-002.jsonl:3 cannot be read. Only this dialog is affected. colloquy doctor ${one.slice(-6)} shows and repairs it.`,
    );
  }
  expect(store.list().map((entry) => entry.rootId)).toEqual([two, one]);
  expect(await texts(store, two)).toEqual(["other"]);
  expect(await store.commit([saying(two, 1, ["on"])], 0)).toMatchObject({ pos: 7 });
});

test("[L28] damage in the project's own stream says what it means", async () => {
  const folder = await restingTrees();
  folder.write("?", "project.jsonl");
  const store = await folder.open();
  const fault = await rejected("log_corrupt", store.open(PROJECT_STREAM, 1));
  expect(fault.message).toBe(
    ".dialogs/project.jsonl:1 cannot be read. No dialog can be created; existing ones continue. colloquy doctor shows and repairs it.",
  );
  expect(await texts(store, one)).toHaveLength(5);
});

test.each([
  ["a line is gone", (lines: string[]) => lines.toSpliced(2, 1).map((line, n) => (n === 2 ? line.padEnd(line.length * 2 + 1) : line)), 3],
  ["the last line is gone", (lines: string[]) => lines.slice(0, -1), 4],
  ["half of the last line is gone", (lines: string[]) => lines.with(-1, "{").slice(0), 4],
])("[L29] %s: damage", async (_what, harm, at) => {
  const folder = projectFolder();
  const store = await folder.open();
  for (const [seq, text] of ["a", "b", "c"].entries()) await store.commit([saying(one, seq, [text])], 0);
  await store.close();
  const lines = folder
    .text(...course(one))
    .trimEnd()
    .split("\n");
  folder.write(`${harm(lines).join("\n")}\n`, ...course(one));
  const fault = await rejected("log_corrupt", (await folder.open()).open(one, 1));
  expect(fault.message).toContain(`course-001.jsonl:${at} cannot be read`);
});

test("[L30] a line of a newer format is not read, and the message says what to do", async () => {
  const folder = await restingTrees();
  const text = folder.text(...course(two)).replaceAll(/,"crc":"\w+"/g, "");
  folder.write(text.replace('{"v":1,"pos"', '{"v":2,"pos"'), ...course(two));
  const fault = await rejected("log_corrupt", (await folder.open()).open(two, 1));
  expect(fault.message).toBe(
    `.dialogs/run/${two}/course-001.jsonl:2 was written by a newer Colloquy (format 2). Nothing is damaged. Update Colloquy: npm install --global colloquy@latest`,
  );
});

test("[L31] a partial line at a course file's end is no damage if the journal holds the whole", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.commit([saying(one, 1, ["b"])], 0);
  await store.flush();
  folder.kill();
  folder.write(folder.text(...course(one)).slice(0, -30), ...course(one));
  const reopened = await folder.open();
  expect(await texts(reopened, one)).toEqual(["a", "b"]);
  expect(reopened.health().notices).toEqual([]);
  await reopened.close();
  expect(
    folder
      .text(...course(one))
      .trimEnd()
      .split("\n"),
  ).toHaveLength(3);
});

test.each([
  ["nothing", ""],
  ["half a checkpoint", '{"v":1,"check'],
  ["a checkpoint and half a line", `${JSON.stringify({ v: 1, checkpoint: snapshotAt(1) })}\n{"v":1,"pos"`],
])("[L29] a next course file that holds %s is put aside", async (_what, content) => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.close();
  folder.write(content, ...course(one, 2));
  const again = await folder.open();
  expect(await texts(again, one)).toEqual(["a"]);
  await again.commit([saying(one, 1, ["b"], { course: 1 })], 0);
  await again.commit([saying(one, 2, ["c"], { course: 2, checkpoint: () => snapshotAt(2) })], 0);
  expect(await texts(again, one)).toEqual(["a", "b", "c"]);
  await again.close();
  expect(await texts(await folder.open(), one)).toEqual(["a", "b", "c"]);
});
