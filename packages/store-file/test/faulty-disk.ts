import { type Disk, realDisk } from "../src/disk/disk.ts";

type Op = keyof Disk;

/** Called before each operation; throws to make it fail. `what` is a path, or the path of the open file. */
export type Trouble = (op: Op, what: string) => void;

/** The real disk, until something is made to fail, or the process is declared dead. */
export class FaultyDisk {
  trouble: Trouble = () => {};
  readonly disk: Disk;
  readonly #paths = new Map<number, string>();
  #isDead = false;

  constructor(inner: Disk = realDisk) {
    const guard = (op: Op, what: string) => {
      if (this.#isDead) throw new Error("written by the dead");
      this.trouble(op, what);
    };
    const named = (fd: number) => this.#paths.get(fd) ?? "?";
    const byPath =
      <Rest extends unknown[], Result>(op: Op, call: (path: string, ...rest: Rest) => Result) =>
      (path: string, ...rest: Rest) => {
        guard(op, path);
        return call(path, ...rest);
      };
    const byFd =
      <Rest extends unknown[], Result>(op: Op, call: (fd: number, ...rest: Rest) => Result) =>
      (fd: number, ...rest: Rest) => {
        guard(op, named(fd));
        return call(fd, ...rest);
      };
    const byFdAsync =
      <Rest extends unknown[], Result>(op: Op, call: (fd: number, ...rest: Rest) => Promise<Result>) =>
      async (fd: number, ...rest: Rest) => {
        guard(op, named(fd));
        return call(fd, ...rest);
      };
    this.disk = {
      open: byPath("open", (path: string, how: Parameters<Disk["open"]>[1]) => {
        const fd = inner.open(path, how);
        this.#paths.set(fd, path);
        return fd;
      }),
      close: (fd) => inner.close(fd),
      read: byFd("read", inner.read),
      readAsync: byFdAsync("readAsync", inner.readAsync),
      write: byFd("write", inner.write),
      writeSynced: byFd("writeSynced", inner.writeSynced),
      writeSyncedAsync: byFdAsync("writeSyncedAsync", inner.writeSyncedAsync),
      sync: byFdAsync("sync", inner.sync),
      truncate: byFd("truncate", inner.truncate),
      syncFolder: async (path) => byPath("syncFolder", inner.syncFolder)(path),
      syncAll: async (path) => byPath("syncAll", inner.syncAll)(path),
      stat: byPath("stat", inner.stat),
      makeFolder: byPath("makeFolder", inner.makeFolder),
      makePrivate: byPath("makePrivate", inner.makePrivate),
      list: byPath("list", inner.list),
      rename: byPath("rename", inner.rename),
      link: byPath("link", inner.link),
      remove: byPath("remove", inner.remove),
      removeFolder: byPath("remove", inner.removeFolder),
      room: byPath("room", inner.room),
    };
  }

  /** A dead process does nothing any more. */
  die(): void {
    this.#isDead = true;
  }
}

export const failure = (code: string): Error => Object.assign(new Error(`${code}: made for a test`), { code });
