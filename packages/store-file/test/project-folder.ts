import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type FileStore, type FileStoreOptions, openFileStore } from "../src/index.ts";
import { FaultyDisk } from "./faulty-disk.ts";

/** A project's folder that is deleted after the test, and the store in it. */
export function projectFolder(defaults: FileStoreOptions = {}) {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-store-"));
  let faulty = new FaultyDisk();
  let store: FileStore | undefined;
  const path = (...names: string[]) => join(dir, ".dialogs", ...names);
  onTestFinished(async () => {
    await store?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  return {
    dir,
    path,
    get faulty() {
      return faulty;
    },
    get store() {
      if (!store) throw new Error("not open");
      return store;
    },
    async open(options: FileStoreOptions = {}): Promise<FileStore> {
      faulty = new FaultyDisk(options.disk ?? defaults.disk);
      return (store = await openFileStore(dir, { slotBytes: 1 << 16, isBackground: false, ...defaults, ...options, disk: faulty.disk }));
    },
    /** Like `kill -9`, except for the lock: this process lives, and would be found alive. */
    kill(): void {
      faulty.die();
      store = undefined;
      rmSync(path("lock"), { force: true });
    },
    bytes: (...names: string[]) => readFileSync(path(...names)),
    write: (content: string | Uint8Array, ...names: string[]) => writeFileSync(path(...names), content),
    text: (...names: string[]) => readFileSync(path(...names), "utf8"),
    remove: (...names: string[]) => rmSync(path(...names), { force: true }),
    names: (...names: string[]) => readdirSync(path(...names)).sort(),
  };
}
