import { saying, texts, treeId } from "@colloquy/store/contract";
import { expect, test } from "vitest";
import { type FileStore, openFileStore } from "../src/index.ts";
import { CrashDisk } from "./crash-disk.ts";

// Failures found by crash.property.test.ts, one test each.

const [one, two] = [treeId(1), treeId(2)];
const DIR = "/project";

/** A project on a disk that loses everything that was not synced. */
function forgetful() {
  const disk = new CrashDisk(() => 0.99);
  disk.mount().makeFolder(DIR);
  disk.settle();
  let pid = 100;
  const open = (mounted = disk.mount()): Promise<FileStore> => {
    const self = (pid += 1);
    const processes = { pid: self, host: "here", startOf: (asked: number) => (asked === self ? "now" : undefined) };
    return openFileStore(DIR, { disk: mounted, processes, slotBytes: 4096, isBackground: false });
  };
  return { disk, open };
}

test("[L50] an index written but not synced by a dead process is synced before anyone relies on it", async () => {
  const { disk, open } = forgetful();
  const mounted = disk.mount();
  const paths = new Map<number, string>();
  let hasWritten = false;
  const dying = await open({
    ...mounted,
    open: (path, how) => {
      const fd = mounted.open(path, how);
      paths.set(fd, path);
      return fd;
    },
    sync: (fd) => {
      if (!paths.get(fd)?.endsWith("index.jsonl")) return mounted.sync(fd);
      hasWritten = true;
      return new Promise(() => {});
    },
  });
  await dying.commit([saying(one, 0, ["a"])], 0);
  void dying.checkpoint();
  while (!hasWritten) await new Promise((resolve) => setImmediate(resolve));
  disk.kill();
  const second = await open();
  await second.commit([saying(two, 0, ["b"])], 0); // where the first one's record was
  disk.crash();
  const third = await open();
  expect(await texts(third, one)).toEqual(["a"]);
  expect(third.list()).toHaveLength(2);
});

test("[L50] a record written but not synced by a dead process is synced before anyone builds on it", async () => {
  const { disk, open } = forgetful();
  const mounted = disk.mount();
  let hasWritten = false;
  const dying = await open({
    ...mounted,
    writeSynced: (fd, bytes, at) => {
      mounted.write(fd, bytes, at);
      hasWritten = true;
      throw Object.assign(new Error("killed here"), { code: "EIO" });
    },
  });
  await dying.commit([saying(one, 0, ["a"])], 0).catch(() => {});
  expect(hasWritten).toBe(true);
  disk.kill();
  const second = await open();
  expect(await texts(second, one)).toEqual(["a"]);
  await second.commit([saying(one, 1, ["b"])], 0);
  disk.crash();
  expect(await texts(await open(), one)).toEqual(["a", "b"]);
});

test("[L17] a blob survives a power cut, even in a folder made by a process that died", async () => {
  const { disk, open } = forgetful();
  const mounted = disk.mount();
  let isMade = false;
  const dying = await open({
    ...mounted,
    makeFolder: (path) => {
      mounted.makeFolder(path);
      isMade ||= path.endsWith("blobs");
    },
    sync: (fd) => (isMade ? new Promise(() => {}) : mounted.sync(fd)),
  });
  void dying.putBlob(one, "first", new Uint8Array([1]));
  expect(isMade).toBe(true);
  disk.kill();
  const store = await open();
  await store.putBlob(one, "second", new Uint8Array([2]));
  await store.commit([saying(one, 0, ["a"])], 0);
  disk.crash();
  expect(await (await open()).getBlob(one, "second")).toEqual(new Uint8Array([2]));
});
