import { PROJECT_STREAM } from "@colloquy/schema";
import { copyOf, deleted, made, samplePast, saying, treeId } from "@colloquy/store/contract";
import { expect, test } from "vitest";
import { type FileStore, openFileStore } from "../src/index.ts";
import { CrashDisk } from "./crash-disk.ts";

const DIR = "/project";
const [one, two] = [treeId(1), treeId(2)];

/** A project with two trees, one of which came from a file. */
async function begin(disk: CrashDisk) {
  disk.mount().makeFolder(DIR);
  disk.settle();
  const store = await open(disk, 1);
  await store.commit([saying(one, 0, ["kept"]), { stream: PROJECT_STREAM, expected: 0, events: [made(one)] }], 0);
  await store.stage(two, samplePast(two));
  await store.commit([copied(two), { stream: PROJECT_STREAM, expected: 1, events: [made(two)] }], 0);
  await store.putBlob(two, "more.txt", new Uint8Array([1]));
  await store.checkpoint();
  return store;
}

const copied = (rootId: typeof two) => saying(rootId, 4, [], { events: [copyOf(rootId, one)], course: 2 });
const open = (disk: CrashDisk, pid: number): Promise<FileStore> => {
  const processes = { pid, host: "here", startOf: (asked: number) => (asked === pid ? "now" : undefined) };
  return openFileStore(DIR, { disk: disk.mount(), processes, slotBytes: 4096, isBackground: false });
};

/** Undefined if the process died meanwhile: then no call returns. */
async function untilDoom<Value>(disk: CrashDisk, work: Promise<Value>): Promise<Value | undefined> {
  let isOver = false;
  const ended = work.finally(() => (isOver = true));
  ended.catch(() => undefined);
  while (!isOver && disk.writesLeft > 0) await new Promise((resolve) => setImmediate(resolve));
  return disk.writesLeft > 0 ? ended : undefined;
}

/** The words of the second tree, and its blobs. */
const seen = async (store: FileStore) => {
  const lines = await store.read(two, 0);
  return [lines.flatMap(({ events }) => events).length, await store.blobNames(two), store.has(two)];
};
const WHOLE = [5, ["more.txt", "picture.png"], true];
const GONE = [0, [], false];

test("[CA16] [L86] a process that dies at any write of a deletion leaves the tree or nothing of it", async () => {
  for (const how of ["kill", "crash"] as const) {
    let isThrough = false;
    let writes = 0;
    while (!isThrough) {
      writes += 1;
      const disk = new CrashDisk(() => 0.5);
      const store = await begin(disk);
      disk.writesLeft = writes;
      let isTold = false;
      const work = async () => {
        await store.commit([{ stream: PROJECT_STREAM, expected: 2, events: [deleted(two)] }], 0);
        isTold = true;
        await store.checkpoint();
        await store.close();
        return true;
      };
      isThrough = (await untilDoom(disk, work())) === true;
      disk[how]();
      const again = await open(disk, 2);
      const found = await seen(again);
      expect([WHOLE, GONE]).toContainEqual(found);
      if (isTold) expect(found).toEqual(GONE);
      expect((await again.read(one, 0)).length).toBe(1);
      await again.close();
      const folders = ["run", "done", "archive", "incoming"].flatMap((place) => disk.mount().list(`${DIR}/.dialogs/${place}`));
      expect(folders.includes(two)).toBe(found[2]);
    }
    expect(writes).toBeGreaterThan(5);
  }
});
