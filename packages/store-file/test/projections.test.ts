import { existsSync } from "node:fs";
import { Bug } from "@colloquy/schema";
import { entryFor, saying, treeId } from "@colloquy/store/contract";
import { expect, test, vi } from "vitest";
import { readWhole, realDisk } from "../src/disk/disk.ts";
import { openFileStore } from "../src/index.ts";
import { realPace } from "../src/disk/pace.ts";
import { Projections } from "../src/projections.ts";
import { CrashDisk } from "./crash-disk.ts";
import { failure } from "./faulty-disk.ts";
import { projectFolder } from "./project-folder.ts";

const one = treeId(1);

test("[L43] files for people are written at the latest when the store is closed; the newest wins, an absent one is removed", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  const told = store.project(one, [{ path: "q4h.yaml", content: { questions: [] } }]);
  const toldToo = store.project(one, [
    { path: "latest.yaml", content: { status: "running", runState: undefined, title: "yes: no", seq: 1 } },
    { path: "reminders.json", content: [{ text: "x" }] },
    { path: "subdialogs/0199/dialog.yaml", content: { id: "0199" } },
  ]);
  await store.close();
  await Promise.all([told, toldToo]);
  expect(folder.names("run", one)).toEqual(["course-001.jsonl", "latest.yaml", "q4h.yaml", "reminders.json", "subdialogs"]);
  expect(folder.text("run", one, "latest.yaml")).toBe('status: running\ntitle: "yes: no"\nseq: 1\n');
  expect(folder.text("run", one, "reminders.json")).toBe('[\n  {\n    "text": "x"\n  }\n]\n');
  expect(folder.text("run", one, "subdialogs", "0199", "dialog.yaml")).toBe('id: "0199"\n');

  const again = await folder.open();
  void again.project(one, () => [{ path: "reminders.json", content: undefined }]);
  await again.close();
  expect(folder.names("run", one)).toEqual(["course-001.jsonl", "latest.yaml", "q4h.yaml", "subdialogs"]);
});

test("[L43] they follow the tree's folder", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  void store.project(one, [{ path: "latest.yaml", content: { seq: 1 } }]);
  await store.commit([saying(one, 1, ["b"], { entry: entryFor(one, { status: "completed" }) })], 0);
  await store.close();
  expect(folder.names("run")).toEqual([]);
  expect(folder.text("done", one, "latest.yaml")).toBe("seq: 1\n");
});

test("[L43] a tree that was idle for a second has its files, without a request", async () => {
  const folder = projectFolder({ isBackground: true });
  const store = await folder.open();
  const file = folder.path("run", one, "latest.yaml");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    await store.commit([saying(one, 0, ["a"])], 0);
    void store.project(one, [{ path: "latest.yaml", content: { seq: 1 } }]);
    await vi.advanceTimersByTimeAsync(900);
    await store.commit([saying(one, 1, ["b"])], 0);
    await vi.advanceTimersByTimeAsync(900);
    expect(existsSync(file)).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(existsSync(file)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("[L43] a path that leads elsewhere, or to the log, is an error; one error does not affect the other files", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  for (const path of [
    "../x.yaml",
    "/x.yaml",
    "a//b.yaml",
    "a\\b.yaml",
    "",
    ".",
    "course-001.jsonl",
    "snapshot.json",
    "blobs/x",
    ".hidden",
  ]) {
    const projections = new Projections(realDisk, realPace, {
      folderOf: () => folder.path("run", one),
      changedMs: () => 0,
      onWritten: () => {},
    });
    void projections.put(one, () => [{ path, content: {} }]);
    expect(() => projections.slice(Infinity)).toThrow(Bug);
    expect(projections.isEmpty).toBe(true);
  }
});

test("[L43] without room they wait", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.flush();
  let isFull = true;
  const disk = {
    ...realDisk,
    write: (...args: Parameters<typeof realDisk.write>) => {
      if (isFull) throw failure("ENOSPC");
      return realDisk.write(...args);
    },
  };
  const projections = new Projections(disk, realPace, { folderOf: () => folder.path("run", one), changedMs: () => 0, onWritten: () => {} });
  void projections.put(one, () => [{ path: "latest.yaml", content: { seq: 1 } }]);
  expect(() => projections.slice(Infinity)).toThrow("ENOSPC");
  isFull = false;
  projections.slice(Infinity);
  expect(folder.names("run", one)).toEqual(["course-001.jsonl", "latest.yaml"]);
});

test("[L43] without room they are retried once a second", async () => {
  const folder = projectFolder({ isBackground: true });
  const store = await folder.open();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  let attempts = 0;
  try {
    await store.commit([saying(one, 0, ["a"])], 0);
    void store.project(one, [{ path: "latest.yaml", content: { seq: 1 } }], 1);
    folder.faulty.trouble = (op, what) => {
      if (op === "open" && what.endsWith(".tmp") && (attempts += 1)) throw failure("ENOSPC");
    };
    await vi.advanceTimersByTimeAsync(5_500);
    folder.faulty.trouble = () => {};
    await vi.advanceTimersByTimeAsync(1_100);
  } finally {
    vi.useRealTimers();
  }
  expect(attempts).toBeLessThan(7);
  expect(folder.names("run", one)).toContain("latest.yaml");
});

test("[L43] a file that was written repeatedly is synced once", () => {
  const disk = { ...realDisk, open: () => Number.NaN, write: (_fd: number, bytes: Uint8Array) => bytes.length, truncate: () => {} };
  const names = { ...disk, close: () => {}, rename: () => {}, makeFolder: () => {}, stat: () => undefined };
  const projections = new Projections(names, realPace, { folderOf: () => "/", changedMs: () => 0, onWritten: () => {} });
  for (let n = 0; n < 3; n += 1) {
    void projections.put(one, () => [{ path: "latest.yaml", content: { n } }]);
    projections.slice(Infinity);
  }
  expect(projections.takeWritten()).toEqual([{ rootId: one, path: "latest.yaml" }]);
  expect(projections.takeWritten()).toEqual([]);
});

test("[L43] a later submission does not drop pending files", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  void store.project(one, [
    { path: "latest.yaml", content: { seq: 1 } },
    { path: "subdialogs/0199/dialog.yaml", content: { id: "0199" } },
  ]);
  void store.project(one, () => [{ path: "latest.yaml", content: { seq: 2 } }]);
  await store.close();
  expect(folder.text("run", one, "latest.yaml")).toBe("seq: 2\n");
  expect(folder.text("run", one, "subdialogs", "0199", "dialog.yaml")).toBe('id: "0199"\n');
});

test("[L55] files that show less than the log do not count as written", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  void store.project(one, [{ path: "latest.yaml", content: { seq: 1 } }], 1);
  await store.commit([saying(one, 1, ["b"])], 0);
  await store.close({ asCrashed: true });
  const again = await folder.open();
  expect([...again.recovered()]).toEqual([one]);
  void again.project(one, [{ path: "latest.yaml", content: { seq: 2 } }], 2);
  await again.close({ asCrashed: true });
  expect([...(await folder.open()).recovered()]).toEqual([]);
});

test("[L55] a file whose sync failed does not count as up to date", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  void store.project(one, [{ path: "latest.yaml", content: { seq: 1 } }], 1);
  folder.faulty.trouble = (op, what) => {
    if (op === "sync" && what.endsWith("latest.yaml")) throw failure("EIO");
  };
  await store.close();
  expect(folder.names("run", one)).not.toContain("latest.yaml");
  expect([...(await folder.open()).recovered()]).toEqual([one]);
});

test("[L55] files that count as written survive a power cut", async () => {
  // With this chance nothing unsynced survives.
  const disk = new CrashDisk(() => 0.9);
  disk.mount().makeFolder("/project");
  disk.settle();
  const processes = { pid: 1, host: "here", startOf: () => undefined };
  const store = await openFileStore("/project", { disk: disk.mount(), processes, isBackground: false, slotBytes: 1 << 14 });
  await store.commit([saying(one, 0, ["a"])], 0);
  void store.project(one, [
    { path: "latest.yaml", content: { seq: 1 } },
    { path: "subdialogs/0199/dialog.yaml", content: { id: "0199" } },
  ]);
  await store.close({ asCrashed: true });
  disk.crash();
  const again = await openFileStore("/project", { disk: disk.mount(), processes, isBackground: false, slotBytes: 1 << 14 });
  expect([...again.recovered()]).toEqual([]);
  expect(disk.paths()).toEqual(
    expect.arrayContaining([`/project/.dialogs/run/${one}/latest.yaml`, `/project/.dialogs/run/${one}/subdialogs/0199/dialog.yaml`]),
  );
  expect(readWhole(disk.mount(), `/project/.dialogs/run/${one}/latest.yaml`)?.toString()).toBe("seq: 1\n");
  await again.close();
});

test("[L55] a file does not count as up to date after a failed sync of everything", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  const files = Array.from({ length: 300 }, (_, n) => ({ path: `n${n}.yaml`, content: { n } }));
  void store.project(one, files, 1);
  folder.faulty.trouble = (op) => {
    if (op === "syncAll") throw failure("EIO");
  };
  await store.close();
  expect(folder.names("run", one)).toEqual(["course-001.jsonl"]);
  expect([...(await folder.open()).recovered()]).toEqual([one]);
});

test("[L55] if one file could not be written, later files do not make up for it", () => {
  const written: string[] = [];
  const projections = new Projections({ ...realDisk, remove: () => {} }, realPace, {
    folderOf: () => "/nowhere",
    changedMs: () => 0,
    onWritten: (rootId) => written.push(rootId),
  });
  void projections.put(one, () => [{ path: "../x", content: {} }]);
  expect(() => projections.slice(Infinity)).toThrow(Bug);
  void projections.put(one, () => [{ path: "latest.yaml", content: undefined }]);
  void projections.put(treeId(2), () => [{ path: "latest.yaml", content: undefined }]);
  projections.slice(Infinity);
  expect(written).toEqual([treeId(2)]);
});

test("[L43] files submitted to a closed store, or one without room at its close, are reported as not written", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  const told = store.project(one, [{ path: "latest.yaml", content: { seq: 1 } }]);
  folder.faulty.trouble = (op, what) => {
    if (op === "open" && what.endsWith(".tmp")) throw failure("ENOSPC");
  };
  await store.close();
  await told;
  await store.project(one, [{ path: "latest.yaml", content: { seq: 1 } }]);
});
