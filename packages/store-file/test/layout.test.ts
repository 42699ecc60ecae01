import { existsSync, rmSync } from "node:fs";
import { Bug, PROJECT_STREAM } from "@colloquy/schema";
import { entryFor, made, said, saying, snapshotAt, texts, treeId } from "@colloquy/store/contract";
import { expect, test, vi } from "vitest";
import type { FoldEntry } from "../src/inspect/rebuild.ts";
import { withChecksum } from "../src/courses/checksum.ts";
import { realDisk } from "../src/disk/disk.ts";
import { realPace } from "../src/disk/pace.ts";
import { snapshotText } from "../src/courses/snapshot-file.ts";
import { failure } from "./faulty-disk.ts";
import { projectFolder } from "./project-folder.ts";

const [one, two] = [treeId(1), treeId(2)];
const foldEntry: FoldEntry = (rootId, { lines }) => entryFor(rootId, { title: `${lines.length} lines` });

test("[L22] a tree's lines are in its course file after an empty checkpoint, the project's own in project.jsonl", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  const { lines } = await store.commit([saying(one, 0, ["grüße"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one)] }], 0);
  const next = await store.commit([saying(one, 1, ["b"])], 0);
  await store.flush();
  const jsonl = (...lines: unknown[]) => lines.map((line) => withChecksum(JSON.stringify(line).slice(0, -1))).join("");
  const checkpoint = { v: 1, checkpoint: { reducer: 0, seq: 0, pos: 0, state: null } };
  expect(folder.text("run", one, "course-001.jsonl")).toBe(jsonl(checkpoint, lines[0]?.line, next.lines[0]?.line));
  expect(folder.text("project.jsonl")).toBe(jsonl(lines[1]?.line));
});

test("[L23] a new course begins a new file, whose first line is the state before it", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  const { lines } = await store.commit([saying(one, 1, ["b"], { course: 2, checkpoint: () => snapshotAt(1) })], 0);
  await store.flush();
  expect(folder.names("run", one)).toEqual(["course-001.jsonl", "course-002.jsonl"]);
  expect(
    folder
      .text("run", one, "course-002.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line.replace(/,"crc":"\w{8}"/, "")) as unknown),
  ).toEqual([{ v: 1, checkpoint: snapshotAt(1) }, lines[0]?.line]);
});

test("[L24] after a clean stop the journal is empty, and the course files are the whole log", async () => {
  const folder = projectFolder({ foldEntry });
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one)] }], 0);
  await store.commit([saying(one, 1, ["b"], { course: 2, checkpoint: () => snapshotAt(1) })], 0);
  await store.commit([saying(two, 0, ["c"])], 0);
  await store.saveSnapshot(one, snapshotAt(2));
  await store.close();
  for (const name of folder.names("journal")) expect(folder.text("journal", name).replaceAll("\0", "")).toBe("");
  expect(existsSync(folder.path("lock"))).toBe(false);

  rmSync(folder.path("index.jsonl"));
  rmSync(folder.path("run", one, "snapshot.json"));
  rmSync(folder.path("journal"), { recursive: true });
  const reopened = await folder.open();
  expect(await texts(reopened, one)).toEqual(["a", "b"]);
  expect(await texts(reopened, two)).toEqual(["c"]);
  expect(await texts(reopened, PROJECT_STREAM)).toEqual(["tree.created"]);
  expect(reopened.list().map((entry) => entry.title)).toEqual(["1 lines", "2 lines"]);
  expect(await reopened.commit([saying(two, 1, ["d"])], 0)).toMatchObject({ pos: 4 });
});

test("[L25] a tree's folder is where its status says", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.putBlob(one, "kept", new Uint8Array([1]));
  await store.flush();
  for (const [n, status, place] of [
    [1, "completed", "done"],
    [2, "running", "run"],
    [3, "archived", "archive"],
  ] as const) {
    await store.commit([saying(one, n, [`${n}`], { entry: entryFor(one, { status }) })], 0);
    await store.flush();
    expect(["run", "done", "archive"].filter((name) => folder.names(name).includes(one))).toEqual([place]);
  }
  expect(await texts(store, one)).toEqual(["a", "1", "2", "3"]);
  expect(await store.getBlob(one, "kept")).toEqual(new Uint8Array([1]));
});

test.each(["before", "after"])("[L25] a crash %s the folder moved is repaired by the next start", async (when) => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.checkpoint();
  await store.commit([saying(one, 1, ["b"], { entry: entryFor(one, { status: "completed" }) })], 0);
  folder.faulty.trouble = (op) => {
    if (when === "before" && op === "rename") throw failure("EBUSY");
  };
  await store.flush().catch(() => {});
  folder.kill();
  const reopened = await folder.open();
  expect(await texts(reopened, one)).toEqual(["a", "b"]);
  await reopened.close();
  expect(folder.names("run")).toEqual([]);
  expect(folder.names("done")).toEqual([one]);
});

test("[L44] a commit larger than a slot works like any other", async () => {
  const folder = projectFolder({ slotBytes: 4096 });
  const store = await folder.open();
  const large = "x".repeat(50_000);
  await store.commit([saying(one, 0, ["a"])], 0);
  await Promise.all([store.commit([saying(one, 1, [large])], 0), store.commit([saying(one, 2, ["b"])], 0)]);
  folder.kill();
  expect(await texts(await folder.open(), one)).toEqual(["a", large, "b"]);
});

test("[L45] commits continue while slots are emptied, and wait if none is free", async () => {
  const folder = projectFolder({ slotBytes: 8192 });
  const store = await folder.open();
  const count = 400;
  await Promise.all(Array.from({ length: count }, (_, n) => store.commit([saying(one, n, [`${n}`])], 0)));
  expect(store.health()).toMatchObject({ commits: count, pos: count });
  expect(folder.names("journal")).toEqual(["slot-0", "slot-1", "slot-2"]);
  folder.kill();
  expect(await texts(await folder.open(), one)).toEqual(Array.from({ length: count }, (_, n) => `${n}`));
});

test("[L46] a damaged snapshot file is not used", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.saveSnapshot(one, snapshotAt(1, { state: { note: "was right" } }));
  expect((await store.open(one, 1))?.base?.state).toEqual({ note: "was right" });
  const text = folder.text("run", one, "snapshot.json");
  for (const damaged of [text.replace("right", "wrong"), text.slice(0, 40), "\0".repeat(text.length), ""]) {
    folder.write(damaged, "run", one, "snapshot.json");
    expect(await store.open(one, 1)).toMatchObject({ base: undefined, lines: [{ seq: 1 }] });
  }
});

test("[L11] a snapshot file ahead of its log, or pointing to the wrong place in it, is not used", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.commit([saying(one, 1, ["b"])], 0);
  await store.commit([saying(one, 2, ["c"])], 0);
  const opened = async (seq: number, at: number, after = seq) => {
    await store.flush();
    folder.write(snapshotText({ snapshot: snapshotAt(seq), course: 1, at, after }), "run", one, "snapshot.json");
    return store.open(one, 1);
  };
  expect(await opened(4, 0)).toMatchObject({ base: undefined, lines: { length: 3 } });
  const lastLine = folder.text("run", one, "course-001.jsonl").lastIndexOf('{"v":1,"pos":3');
  for (const at of [0, 5, lastLine, 10_000]) {
    expect(await opened(1, at)).toMatchObject({ base: { seq: 1 }, lines: [{ seq: 2 }, { seq: 3 }] });
    expect(await opened(2, at, 1)).toMatchObject({ base: { seq: 2 }, lines: [{ seq: 3 }] });
  }
});

test("[L52] without a request, a line is in its file within 100 ms and the journal is empty 2 s after the last commit", async () => {
  const folder = projectFolder({ isBackground: true });
  const store = await folder.open();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    await store.commit([saying(one, 0, ["a"])], 0);
    expect(existsSync(folder.path("run", one))).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    expect(folder.text("run", one, "course-001.jsonl")).toContain('"content":"a"');
    await vi.advanceTimersByTimeAsync(1500);
    await store.commit([saying(one, 1, ["b"])], 0);
    await vi.advanceTimersByTimeAsync(1900);
    expect(existsSync(folder.path("index.jsonl"))).toBe(false);
    await vi.advanceTimersByTimeAsync(100);
    await store.checkpoint();
  } finally {
    vi.useRealTimers();
  }
  expect(folder.text("index.jsonl")).toContain(`"id":"${one}","seq":2`);
});

test("[L57] a commit that would skip a course is an error and changes nothing", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  const checkpoint = () => snapshotAt(1);
  await store.commit([saying(treeId(1), 0, ["a"])], 0);
  await expect(store.commit([saying(treeId(1), 1, ["b"], { course: 3, checkpoint })], 0)).rejects.toBeInstanceOf(Bug);
  await store.commit([saying(treeId(1), 1, ["b"], { course: 2, checkpoint })], 0);
  expect(await texts(store, treeId(1))).toEqual(["a", "b"]);
});

test("[L58] a commit made during a checkpoint can be read before it is in its file", async () => {
  let nowMs = 0;
  let late: Promise<unknown> | undefined;
  let isBetween = false;
  const soon = (work: () => void) => {
    // The checkpoint has written one of two streams and yields: a commit to that stream comes in between.
    if (isBetween) void late?.then(() => setImmediate(work));
    else setImmediate(work);
    isBetween = false;
  };
  const folder = projectFolder({ pace: { ...realPace, nowMs: () => nowMs, soon } });
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.commit([saying(two, 0, ["z"])], 0);
  folder.faulty.trouble = (op, what) => {
    if (op !== "write" || !what.includes("course-") || late) return;
    nowMs += 10;
    late = store.commit([saying(one, 1, ["b"])], 0);
    isBetween = true;
  };
  await store.checkpoint();
  expect(folder.text("index.jsonl")).toContain(`"id":"${one}","seq":2`);
  expect(folder.text("run", one, "course-001.jsonl")).not.toContain('"content":"b"');
  expect(await texts(store, one)).toEqual(["a", "b"]);
});

test("[L25] a tree without an entry is moved with its first entry", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([{ stream: one, expected: 0, events: [said(one, "a")] }], 0);
  await store.flush();
  await store.commit([saying(one, 1, ["b"], { entry: entryFor(one, { status: "completed" }) })], 0);
  await store.flush();
  expect([folder.names("run"), folder.names("done")]).toEqual([[], [one]]);
  expect(await texts(store, one)).toEqual(["a", "b"]);
});

test("[L61] a few lines of a long stream are found without reading all of it", async () => {
  let bytesRead = 0;
  const counted = (read: number) => ((bytesRead += read), read);
  const disk = {
    ...realDisk,
    read: (...args: Parameters<typeof realDisk.read>) => counted(realDisk.read(...args)),
    readAsync: async (...args: Parameters<typeof realDisk.readAsync>) => counted(await realDisk.readAsync(...args)),
  };
  const folder = projectFolder({ disk, slotBytes: 1 << 20 });
  const store = await folder.open();
  // Three courses of lines that are short, long, and longer than one read; the last ones are not yet written.
  const COUNT = 1200;
  const textOf = (n: number) => `${n} ${"x".repeat(n % 397 === 0 ? 150_000 : n % 7 === 0 ? 9_000 : n % 50)}`;
  const commits: Promise<unknown>[] = [];
  for (let n = 0; n < COUNT; n += 1) {
    const course = 1 + Math.floor(n / 400);
    const events = [textOf(n), "and"];
    const part = { course, ...(n % 400 === 0 && n > 0 && { checkpoint: () => snapshotAt(2 * n) }) };
    commits.push(store.commit([saying(one, 2 * n, events, part), { stream: PROJECT_STREAM, expected: n, events: [made(two)] }], 0));
    if (n !== COUNT - 100) continue;
    await Promise.all(commits);
    await store.checkpoint();
  }
  await Promise.all(commits);
  const all = await store.read(one, 0);
  const inProject = await store.read(PROJECT_STREAM, 0);
  expect([all.length, inProject.length]).toEqual([COUNT, COUNT]);
  const total = 3 * folder.bytes("run", one, "course-001.jsonl").length;
  const behind = (lines: typeof all, after: number) => lines.filter((line) => line.seq + line.events.length - 1 > after);
  for (const after of [0, 1, 2, 3, 501, 793, 794, 795, 798, 799, 800, 801, 1100, 1599, 1600, 1601, 2000, 2200, 2397, 2398, 2399]) {
    for (const limit of [1, 3, 30]) {
      bytesRead = 0;
      expect(await store.read(one, after, limit)).toEqual(behind(all, after).slice(0, limit));
      if (limit === 1) expect([after, bytesRead < total / 2]).toEqual([after, true]);
      expect(await store.read(PROJECT_STREAM, after, limit)).toEqual(behind(inProject, after).slice(0, limit));
    }
  }
});
