import { entryFor, saying, treeId } from "@colloquy/store/contract";
import { expect, test } from "vitest";
import type { Disk } from "../src/disk/disk.ts";
import { type FileStore, openFileStore } from "../src/index.ts";
import { CrashDisk } from "./crash-disk.ts";

const one = treeId(1);
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

/** A project with a tree, on a disk where a power cut leaves only what was synced. */
async function forgetful(syncFolder?: (store: () => FileStore, path: string) => Promise<void>) {
  const disk = new CrashDisk(() => 0.9);
  disk.mount().makeFolder("/project");
  disk.settle();
  let store: FileStore | undefined;
  const open = async () => {
    const inner = disk.mount();
    const mounted: Disk = {
      ...inner,
      syncFolder: async (path) => {
        await syncFolder?.(() => store as FileStore, path);
        return inner.syncFolder(path);
      },
    };
    const processes = { pid: 1, host: "here", startOf: () => undefined };
    return (store = await openFileStore("/project", { disk: mounted, processes, isBackground: false, slotBytes: 1 << 14 }));
  };
  await (await open()).commit([saying(one, 0, ["a"])], 0);
  return {
    store: () => store as FileStore,
    afterTheCut: async (name: string): Promise<string | undefined> => {
      disk.crash();
      const found = await (await open()).getBlob(one, name);
      return found && Buffer.from(found).toString();
    },
  };
}

test("[L17] a stored blob is durable, even if another blob of its tree is not yet", async () => {
  const { store, afterTheCut } = await forgetful();
  void store().putBlob(one, "first", bytes("1"));
  await store().putBlob(one, "second", bytes("2"));
  expect(await afterTheCut("second")).toBe("2");
});

test("[L17] a stored blob survives a move of its tree's folder", async () => {
  let isMoved = false;
  const { store, afterTheCut } = await forgetful(async (at, path) => {
    if (isMoved || !path.endsWith(`/run/${one}`)) return;
    isMoved = true;
    await at().flush();
  });
  await store().flush();
  await store().commit([saying(one, 1, ["b"], { entry: entryFor(one, { status: "completed" }) })], 0);
  await store().putBlob(one, "first", bytes("1"));
  expect(isMoved).toBe(true);
  expect(await afterTheCut("first")).toBe("1");
});
