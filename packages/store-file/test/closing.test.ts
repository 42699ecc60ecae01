import { existsSync } from "node:fs";
import { rejected, saying, texts, treeId } from "@colloquy/store/contract";
import { expect, test } from "vitest";
import { type Disk, realDisk } from "../src/disk/disk.ts";
import { openFileStore } from "../src/index.ts";
import { failure } from "./faulty-disk.ts";
import { projectFolder } from "./project-folder.ts";

const [one, two] = [treeId(1), treeId(2)];

/** A store on a disk that blocks an operation until it is released, and whose syncs fail from then on. */
async function heldUp(change: (pass: () => Promise<void>) => Partial<Disk>) {
  const folder = projectFolder();
  const reached = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  let isFailing = false;
  const disk: Disk = {
    ...realDisk,
    writeSynced: (...args) => {
      if (isFailing) throw failure("EIO");
      return realDisk.writeSynced(...args);
    },
    writeSyncedAsync: async (...args) => {
      if (isFailing) throw failure("EIO");
      return realDisk.writeSyncedAsync(...args);
    },
    ...change(async () => {
      reached.resolve();
      await open.promise;
    }),
  };
  const store = await openFileStore(folder.dir, { disk, isBackground: false, slotBytes: 1 << 12 });
  return {
    folder,
    store,
    reached: reached.promise,
    /** Closes the store after a failed sync. Returns whether the project was free before the blocked operation was released. */
    closed: async (): Promise<boolean> => {
      isFailing = true;
      await rejected("log_unavailable", store.commit([saying(two, 0, ["b"])], 0));
      const closing = store.close();
      for (let n = 0; n < 10; n += 1) await new Promise((resolve) => setImmediate(resolve));
      const isFree = !existsSync(folder.path("lock"));
      open.resolve();
      await closing;
      return isFree;
    },
  };
}

test("[L21] after a failed sync the store keeps the project while lines are being written to course files", async () => {
  const { folder, store, reached, closed } = await heldUp((pass) => ({
    writeMany: async (writings) => {
      await pass();
      return writings.map(() => undefined);
    },
  }));
  await store.commit([saying(one, 0, ["a"])], 0);
  const flushed = store.flush();
  await reached;
  expect(await closed()).toBe(false);
  await flushed;
  expect(await texts(await folder.open(), one)).toEqual(["a"]);
});

test("[L21] after a failed sync the store keeps the project while it prepares a journal slot", async () => {
  let syncs = 0;
  const { folder, store, reached, closed } = await heldUp((pass) => ({
    sync: async (fd) => {
      if ((syncs += 1) === 3) await pass(); // of the second slot, after .gitignore and the first
      return realDisk.sync(fd);
    },
  }));
  await store.commit([saying(one, 0, ["a".repeat(2000)])], 0);
  await reached;
  expect(await closed()).toBe(false);
  expect(await texts(await folder.open(), one)).toEqual(["a".repeat(2000)]);
});
