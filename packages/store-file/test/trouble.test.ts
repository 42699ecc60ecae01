import { chmodSync, existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { entryFor, rejected, saying, spoken, texts, treeId } from "@colloquy/store/contract";
import { expect, test, vi } from "vitest";
import { type Disk, realDisk } from "../src/disk/disk.ts";
import { inspect, repair } from "../src/index.ts";
import type { FoldEntry } from "../src/inspect/rebuild.ts";
import { realPace } from "../src/disk/pace.ts";
import { failure, type Trouble } from "./faulty-disk.ts";
import { projectFolder } from "./project-folder.ts";

const [one, two] = [treeId(1), treeId(2)];
const isJournal = (what: string) => what.includes("/journal/slot-");
const isFile = (what: string) => what.endsWith(".jsonl");

/** No room for any file except existing slots. */
const fullForFiles: Trouble = (op, what) => {
  if (op === "write" && isFile(what)) throw failure("ENOSPC");
};

test("[L32] after a failed sync nothing more is accepted, and reopening restores what was acknowledged", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  let attempts = 0;
  folder.faulty.trouble = (op, what) => {
    if (!op.startsWith("writeSynced") || !isJournal(what)) return;
    attempts += 1;
    throw failure("EIO");
  };
  const batch = [store.commit([saying(one, 1, ["b"])], 0), store.commit([saying(two, 0, ["c"])], 0)];
  for (const fault of await Promise.all(batch.map((commit) => rejected("log_unavailable", commit)))) {
    expect(fault.message).toContain("The disk did not confirm a write (EIO). Whether the last change was kept is not known");
  }
  folder.faulty.trouble = () => {};
  await rejected("log_unavailable", store.commit([saying(one, 1, ["d"])], 0));
  expect(attempts).toBe(1);
  expect(store.health().refusing).toContain("EIO");
  expect(await texts(store, one)).toEqual(["a"]);
  await store.close();

  const reopened = await folder.open();
  expect(reopened.health().refusing).toBeUndefined();
  expect(await texts(reopened, one)).toEqual(["a"]);
  expect(await reopened.commit([saying(one, 1, ["b"])], 0)).toMatchObject({ pos: 2 });
});

test("[L32] a failed sync of course files or index stops the store too, and loses nothing", async () => {
  for (const name of ["course-001.jsonl", "index.jsonl"]) {
    const folder = projectFolder();
    const store = await folder.open();
    await store.commit([saying(one, 0, ["a"])], 0);
    folder.faulty.trouble = (op, what) => {
      if (op === "sync" && what.endsWith(name)) throw failure("EIO");
    };
    await rejected(
      "log_unavailable",
      store.checkpoint().finally(() => (folder.faulty.trouble = () => {})),
    );
    await rejected("log_unavailable", store.commit([saying(one, 1, ["b"])], 0));
    await store.close();
    expect(await texts(await folder.open(), one)).toEqual(["a"]);
  }
});

test("[L59] an index append whose sync failed is written again at the next opening", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.checkpoint();
  await store.commit([saying(two, 0, ["b"])], 0);
  folder.faulty.trouble = (op, what) => {
    if (op === "sync" && what.endsWith("index.jsonl")) throw failure("EIO");
  };
  await rejected("log_unavailable", store.checkpoint());
  folder.kill();

  // The page cache shows the append and marks it clean: a sync alone would save nothing.
  const index = folder.text("index.jsonl");
  const written: string[] = [];
  const disk = {
    ...realDisk,
    write: (fd: number, bytes: Uint8Array, at: number) => {
      written.push(`${at} ${Buffer.from(bytes).toString()}`);
      return realDisk.write(fd, bytes, at);
    },
  };
  const reopened = await folder.open({ disk });
  const at = index.indexOf("\n", index.indexOf('{"meta":')) + 1;
  expect(written).toContain(`${at} ${index.slice(at)}`);
  expect(index.slice(at)).toContain(two);
  expect(await texts(reopened, two)).toEqual(["b"]);
});

test("[L54] after a failed opening, the next one still reports the earlier crash", async () => {
  const folder = projectFolder();
  await (await folder.open()).close({ asCrashed: true });
  const failing = { ...realDisk, syncFolder: () => Promise.reject(failure("EIO")) };
  await expect(folder.open({ disk: failing })).rejects.toThrow("EIO");
  expect(await folder.open()).toMatchObject({ crashed: true });
});

test("[L60] files for people without room at the store's close are named by the next one", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  void store.project(one, [{ path: "latest.yaml", content: { seq: 1 } }]);
  folder.faulty.trouble = (op, what) => {
    if (op === "open" && what.endsWith(".tmp")) throw failure("ENOSPC");
  };
  await store.close();
  const again = await folder.open();
  expect([again.crashed, [...again.recovered()]]).toEqual([false, [one]]);
});

test("[L33] a write that takes several system calls counts as one write", async () => {
  const few = (bytes: Uint8Array) => bytes.subarray(0, Math.ceil(bytes.length / 3));
  const folder = projectFolder({
    disk: {
      ...realDisk,
      write: (fd, bytes, at) => realDisk.write(fd, few(bytes), at),
      writeSynced: (fd, bytes, at) => realDisk.writeSynced(fd, few(bytes), at),
      writeSyncedAsync: (fd, bytes, at) => realDisk.writeSyncedAsync(fd, few(bytes), at),
    },
  });
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await Promise.all([store.commit([saying(one, 1, ["b"])], 0), store.commit([saying(two, 0, ["c"])], 0)]);
  await store.checkpoint();
  await store.commit([saying(one, 2, ["d"])], 0);
  folder.kill();
  const reopened = await folder.open();
  expect(await texts(reopened, one)).toEqual(["a", "b", "d"]);
  expect(await texts(reopened, two)).toEqual(["c"]);
});

test("[L34] without room for course files commits continue in the journal until it is full, and resume by themselves when there is room", async () => {
  const folder = projectFolder({ slotBytes: 8192 });
  const store = await folder.open();
  await store.commit([saying(one, 0, ["0"])], 0);
  await store.checkpoint();
  folder.faulty.trouble = fullForFiles;
  let accepted = 1;
  const refusal = await (async () => {
    for (;;) {
      try {
        await store.commit([saying(one, accepted, [`${accepted}`])], 0);
        accepted += 1;
      } catch (error) {
        return error;
      }
    }
  })();
  expect(accepted).toBeGreaterThan(20); // three slots' worth
  await rejected("log_full", Promise.reject(refusal));
  expect(String(refusal)).toMatch(
    /No room on the disk \([\d,]+ bytes\)\. Nothing new is accepted; what was accepted is safe\. Free some space: work resumes by itself\.$/,
  );
  expect(store.health().refusing).toContain("No room on the disk");
  const all = Array.from({ length: accepted }, (_, n) => `${n}`);
  expect(await texts(store, one)).toEqual(all);
  await rejected("log_full", store.commit([saying(one, accepted, ["no"])], 0));

  folder.faulty.trouble = () => {};
  await store.commit([saying(one, accepted, ["yes"])], 0);
  expect(store.health().refusing).toBeUndefined();
  folder.kill();
  expect(await texts(await folder.open(), one)).toEqual([...all, "yes"]);
});

test("[L34] the message names the bytes that are left", async () => {
  const folder = projectFolder({ disk: { ...realDisk, room: () => 0 } });
  const store = await folder.open();
  folder.faulty.trouble = (op, what) => {
    if (op === "write" && isJournal(what)) throw failure("ENOSPC");
  };
  const fault = await rejected("log_full", store.commit([saying(one, 0, ["a"])], 0));
  expect(fault.message).toBe(
    "No room on the disk (0 bytes). Nothing new is accepted; what was accepted is safe. Free some space: work resumes by itself.",
  );
});

test("[L34] a store closed on a full disk keeps everything in the journal", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  folder.faulty.trouble = fullForFiles;
  await store.close();
  const reopened = await folder.open();
  expect(await texts(reopened, one)).toEqual(["a"]);
});

test("[L34] lines that could not be written behind are written when there is room, without a request", async () => {
  const folder = projectFolder({ isBackground: true });
  const store = await folder.open();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await store.commit([saying(one, 0, ["a"])], 0);
    folder.faulty.trouble = fullForFiles;
    await vi.advanceTimersByTimeAsync(150);
    expect(store.health().notices[0]).toContain("No room on the disk");
    folder.faulty.trouble = () => {};
    await vi.advanceTimersByTimeAsync(1100);
  } finally {
    vi.useRealTimers();
  }
  expect(folder.text("run", one, "course-001.jsonl")).toContain('"content":"a"');
  await store.checkpoint();
  expect(store.health().notices).toEqual([]);
});

test("[L52] [L34] a journal that could not be emptied for lack of room is emptied later, without a request", async () => {
  // Everything that takes time takes none, so that it is over when the clock stops.
  const folder = projectFolder({ isBackground: true, disk: { ...realDisk, sync: async () => {}, syncFolder: async () => {} } });
  const store = await folder.open();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    await store.commit([saying(one, 0, ["a"])], 0);
    folder.faulty.trouble = fullForFiles;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(store.health().notices[0]).toContain("No room on the disk");
    folder.faulty.trouble = () => {};
    await vi.advanceTimersByTimeAsync(2_100);
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.health().notices).toEqual([]);
    expect(folder.text("index.jsonl")).toContain(one);
  } finally {
    vi.useRealTimers();
  }
});

test.each(["write", "writeSynced"] as const)("[L35] a commit refused for lack of room (%s) leaves no trace", async (failing) => {
  const folder = projectFolder();
  const store = await folder.open();
  if (failing === "writeSynced") await store.commit([saying(two, 0, ["z"])], 0);
  let isFull = true;
  folder.faulty.trouble = (op, what) => {
    if (isFull && op.startsWith(failing) && isJournal(what)) {
      isFull = failing === "write";
      throw failure("ENOSPC");
    }
  };
  const refused = [store.commit([saying(one, 0, ["a"])], 0)];
  if (failing === "write") refused.push(store.commit([saying(one, 1, ["b"])], 0));
  await Promise.all(refused.map((commit) => rejected("log_full", commit)));
  expect(store.entry(one)).toBeUndefined();
  folder.faulty.trouble = () => {};
  const pos = failing === "write" ? 1 : 2;
  expect(await store.commit([saying(one, 0, ["c"])], 0)).toMatchObject({ pos });
  folder.kill();
  const reopened = await folder.open();
  expect(await texts(reopened, one)).toEqual(["c"]);
  expect(reopened.health()).toMatchObject({ pos });
});

test.each(["EROFS", "EACCES"])("[L36] a project that is not writable (%s) is refused with a way out", async (code) => {
  const folder = projectFolder({
    disk: {
      ...realDisk,
      makeFolder: () => {
        throw failure(code);
      },
    },
  });
  const fault = await rejected("store_readonly", folder.open());
  expect(fault.message).toMatch(new RegExp(`/\\.dialogs cannot be written to \\(${code}\\).*chmod -R u\\+w .*or copy the project`));
});

test.runIf(process.getuid?.() !== 0)("[L36] a folder without write permission is such a project", async () => {
  const folder = projectFolder();
  chmodSync(folder.dir, 0o555);
  await rejected("store_readonly", folder.open());
  chmodSync(folder.dir, 0o755);
});

/** A store with a prepared slot that takes one of two large commits, and whose syncs take no time. */
async function narrow() {
  const folder = projectFolder({ pace: { ...realPace, nowMs: () => 0 } });
  const store = await folder.open();
  await store.commit([saying(treeId(3), 0, ["z"])], 0);
  await store.checkpoint();
  /** The first is written while the second is being submitted. */
  const twoLarge = () => [store.commit([saying(one, 0, ["a".repeat(40_000)])], 0), store.commit([saying(two, 0, ["b".repeat(30_000)])], 0)];
  return { folder, store, twoLarge };
}

test("[L35] a commit submitted while an earlier one fails leaves no trace either", async () => {
  const { folder, store, twoLarge } = await narrow();
  let isFull = true;
  folder.faulty.trouble = (op, what) => {
    if (!isFull || !op.startsWith("writeSynced") || !isJournal(what)) return;
    isFull = false;
    throw failure("ENOSPC");
  };
  await Promise.all(twoLarge().map((commit) => rejected("log_full", commit)));
  expect(await store.commit([saying(two, 0, ["c"])], 0)).toMatchObject({ pos: 2 });
  expect(await texts(store, two)).toEqual(["c"]);
});

test("[L16] a commit made by a listener comes after those already submitted", async () => {
  const { store, twoLarge } = await narrow();
  const told: number[] = [];
  const answers: Promise<unknown>[] = [];
  store.watch(({ pos }) => {
    if (told.push(pos) === 1) answers.push(store.commit([saying(treeId(4), 0, ["c"])], 0));
  });
  await Promise.all(twoLarge());
  await Promise.all(answers);
  expect(told).toEqual([2, 3, 4]);
});

test("[L52] a course file that cannot be written does not hold back other trees' lines", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  const ids = Array.from({ length: 70 }, (_, n) => treeId(n + 1));
  await Promise.all(ids.map((id) => store.commit([saying(id, 0, ["a"])], 0)));
  await store.commit([saying(two, 1, ["b"], { entry: entryFor(two, { status: "completed" }) })], 0);
  folder.faulty.trouble = (op, what) => {
    if (op === "open" && what.includes(`/run/${one}/`)) throw failure("EACCES");
    if (op === "rename" && what.endsWith(two)) throw failure("EBUSY");
  };
  await expect(store.flush()).rejects.toThrow("EACCES");
  const written = ids.filter((id) => existsSync(folder.path("run", id, "course-001.jsonl")));
  expect(written).toEqual(ids.slice(1));
  expect(await texts(store, two)).toEqual(["a", "b"]);
  folder.faulty.trouble = () => {};
  await store.flush();
  expect([existsSync(folder.path("run", one, "course-001.jsonl")), folder.names("done")]).toEqual([true, [two]]);
});

test("[L74] something in the place of a tree's file does not block the journal: its lines are kept aside, and restored by repair", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.commit([saying(two, 0, ["x"])], 0);
  await store.checkpoint();
  await store.commit([saying(one, 1, ["b"])], 0);
  const path = folder.path("run", one, "course-001.jsonl");
  renameSync(path, `${path}.away`);
  mkdirSync(path);
  await store.checkpoint();
  expect(store.health().refusing).toBeUndefined();
  await rejected("log_corrupt", store.commit([saying(one, 2, ["c"])], 0));
  expect(store.damageOf(one)).toContain("Only this dialog is affected. colloquy doctor");
  expect(await store.commit([saying(two, 1, ["y"])], 0)).toMatchObject({ pos: 4 });
  await store.close();
  expect(folder.names("journal").filter((name) => name.startsWith("unwritten-"))).toHaveLength(1);
  expect(folder.bytes("journal", "slot-0").every((byte) => byte === 0)).toBe(true);

  rmdirSync(path);
  renameSync(`${path}.away`, path);
  const foldEntry: FoldEntry = (rootId, { lines }) => entryFor(rootId, { title: spoken(lines).join(" ") });
  expect(await repair(folder.dir, { foldEntry })).toEqual([expect.stringContaining("got back what was kept in") as string]);
  expect(await texts(await folder.open(), one)).toEqual(["a", "b"]);
});

test("[L71] a tree whose folder or file for people is missing, or is not a file, does not stop the store at its next sync", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.commit([saying(two, 0, ["x"])], 0);
  void store.project(two, [{ path: "latest.yaml", content: { is: "well" } }]);
  await store.flush();
  rmSync(folder.path("run", one), { recursive: true });
  mkdirSync(folder.path("run", two, "latest.yaml"));
  await store.checkpoint();
  await store.commit([saying(two, 1, ["y"])], 0);
  await store.close();
  const again = await folder.open();
  expect(again.health().refusing).toBeUndefined();
  expect(await texts(again, two)).toEqual(["x", "y"]);
  await rejected("log_corrupt", again.read(one, 0));
  expect(again.damageOf(one)).toContain(`.dialogs/run/${one}/course-001.jsonl:1 cannot be read.`);
});

test("[L48] a file that repair may not read stays, and is not reported as repaired", async () => {
  const folder = projectFolder();
  const store = await folder.open();
  await store.commit([saying(one, 0, ["a"])], 0);
  await store.close();
  const disk: Disk = {
    ...realDisk,
    open(path, how) {
      if (path.includes(`/run/${one}/`)) throw failure("EACCES");
      return realDisk.open(path, how);
    },
  };
  const foldEntry: FoldEntry = (rootId) => entryFor(rootId);
  expect(await repair(folder.dir, { foldEntry, disk })).toEqual([]);
  expect(await inspect(folder.dir, { foldEntry, disk })).toMatchObject([
    { kind: "damaged", rootId: one, message: expect.stringContaining("cannot be read (EACCES). Allow it: chmod -R u+rwX") as string },
  ]);
});
