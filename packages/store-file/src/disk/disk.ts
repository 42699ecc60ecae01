import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { dirname } from "node:path";
import type { Writing } from "../courses/scribe.ts";

/**
 * Everything the store needs of a file system, so that tests can make it fail, tear and forget. Calls that only touch the page cache are
 * synchronous: that is cheaper than the thread pool.
 */
export interface Disk {
  /** For reading; for reading and writing (created if missing); the same for `writeSynced`. */
  readonly open: (path: string, how: "read" | "write" | "synced") => number;
  readonly close: (fd: number) => void;
  /** Bytes read, fewer only at the end. */
  readonly read: (fd: number, into: Uint8Array, at: number) => number;
  readonly readAsync: (fd: number, into: Uint8Array, at: number) => Promise<number>;
  /** Bytes written, sometimes fewer than asked. */
  readonly write: (fd: number, bytes: Uint8Array, at: number) => number;
  readonly writeSynced: (fd: number, bytes: Uint8Array, at: number) => number;
  readonly writeSyncedAsync: (fd: number, bytes: Uint8Array, at: number) => Promise<number>;
  /** Off the main thread if possible. Returns the error of each. */
  readonly writeMany?: (writings: readonly Writing[]) => Promise<readonly unknown[]>;
  readonly sync: (fd: number) => Promise<void>;
  readonly syncFolder: (path: string) => Promise<void>;
  /** The whole file system at once; false if impossible. */
  readonly syncAll: (path: string) => Promise<boolean>;
  /** `isFolder`: a folder, or anything else that is no file: a pipe, a socket, a device. */
  readonly stat: (path: string) => { readonly size: number; readonly isFolder: boolean } | undefined;
  readonly truncate: (fd: number, size: number) => void;
  /** With all parent folders. New files and folders are private to their owner. */
  readonly makeFolder: (path: string) => void;
  /** Removes all permissions of other users. False if impossible: another user owns it, or the file system has no permissions. */
  readonly makePrivate: (path: string) => boolean;
  /** Names in a folder; none if it is missing. */
  readonly list: (path: string) => string[];
  readonly rename: (from: string, to: string) => void;
  /** Fails if `to` exists. */
  readonly link: (from: string, to: string) => void;
  /** A missing file is no error. */
  readonly remove: (path: string) => void;
  /** With everything in it. A missing folder is no error. */
  readonly removeFolder: (path: string) => void;
  /** Free bytes, if known. */
  readonly room: (path: string) => number | undefined;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

const { O_RDONLY, O_RDWR, O_CREAT, O_DSYNC } = fs.constants;
const O_NONBLOCK = fs.constants.O_NONBLOCK ?? 0;
// One system call instead of two, but elsewhere it does not promise what fdatasync does.
const writesSynced = process.platform === "linux" && O_DSYNC !== undefined;
const flags = { read: O_RDONLY, write: O_RDWR | O_CREAT, synced: O_RDWR | O_CREAT | (writesSynced ? O_DSYNC : 0) } as const;

/** Never by PATH: `npx` puts a folder of the project first, where agents write. */
const SYNC = ["/usr/bin/sync", "/bin/sync", "/run/current-system/sw/bin/sync"];

const notAFile = (path: string): Error => Object.assign(new Error(`${path} is no file`), { code: "ENXIO", path });

export const realDisk: Disk = {
  open(path, how) {
    // Opening a pipe would wait for the other end, for ever.
    const fd = fs.openSync(path, flags[how] | O_NONBLOCK, PRIVATE_FILE);
    if (fs.fstatSync(fd).isFile()) return fd;
    fs.closeSync(fd);
    throw notAFile(path);
  },
  close: (fd) => fs.closeSync(fd),
  read: (fd, into, at) => fs.readSync(fd, into, 0, into.length, at),
  readAsync: (fd, into, at) => called((done) => fs.read(fd, into, 0, into.length, at, done)),
  write: (fd, bytes, at) => fs.writeSync(fd, bytes, 0, bytes.length, at),

  writeSynced(fd, bytes, at) {
    const written = fs.writeSync(fd, bytes, 0, bytes.length, at);
    if (!writesSynced) fs.fdatasyncSync(fd);
    return written;
  },
  async writeSyncedAsync(fd, bytes, at) {
    const written = await called<number>((done) => fs.write(fd, bytes, 0, bytes.length, at, done));
    if (!writesSynced) await realDisk.sync(fd);
    return written;
  },

  sync: (fd) => called((done) => fs.fdatasync(fd, done)),
  async syncFolder(path) {
    if (process.platform === "win32") return; // folders cannot be opened there
    const fd = fs.openSync(path, O_RDONLY);
    await called<void>((done) => fs.fsync(fd, done)).finally(() => fs.closeSync(fd));
  },
  syncAll: (path) =>
    new Promise((resolve, reject) => {
      if (process.platform !== "linux") return resolve(false);
      const program = SYNC.find((place) => fs.existsSync(place));
      if (program === undefined) return resolve(false);
      const sync = spawn(program, ["-f", path], { stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      sync.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
      sync.on("error", () => resolve(false)); // it cannot be started: sync file by file
      sync.on("close", (code) => {
        if (code === 0 || /usage|option/i.test(said)) resolve(code === 0);
        // The pages it failed to write count as clean now: a sync file by file would report a false success.
        else reject(Object.assign(new Error(`sync -f ${path}: ${said.trim() || `ended with ${code}`}`), { code: "EIO" }));
      });
    }),

  stat(path) {
    try {
      const stat = fs.statSync(path, { throwIfNoEntry: false });
      return stat && { size: stat.size, isFolder: !stat.isFile() };
    } catch (error) {
      if (codeOf(error) === "ELOOP") return { size: 0, isFolder: true }; // a link that leads to itself
      throw error;
    }
  },
  truncate: (fd, size) => fs.ftruncateSync(fd, size),
  makeFolder: (path) => void fs.mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER }),
  makePrivate(path) {
    if (process.platform === "win32") return true; // access is inherited from the folder above
    const { mode } = fs.statSync(path);
    if ((mode & 0o077) === 0) return true;
    try {
      fs.chmodSync(path, mode & 0o700);
      return (fs.statSync(path).mode & 0o077) === 0; // mounts of other systems accept it and change nothing
    } catch {
      return false; // the caller reports it
    }
  },
  list(path) {
    try {
      return fs.readdirSync(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  },
  rename: (from, to) => fs.renameSync(from, to),
  link: (from, to) => fs.linkSync(from, to),
  remove: (path) => fs.rmSync(path, { force: true }),
  removeFolder: (path) => fs.rmSync(path, { force: true, recursive: true }),
  room(path) {
    try {
      const { bavail, bsize } = fs.statfsSync(path);
      return bavail * bsize;
    } catch {
      return undefined; // only said to people; not every system tells
    }
  },
};

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

export const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes(codeOf(error) ?? "");

/** Writes all of it, in as many calls as needed. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) done += advance(disk.write(fd, bytes.subarray(done), at + done));
}

/** For a write that reports zero bytes and no reason. */
export function advance(written: number): number {
  if (written > 0) return written;
  throw Object.assign(new Error("nothing was written"), { code: "ENOSPC" });
}

/** The whole file, or undefined if there is none. */
export function readWhole(disk: Disk, path: string): Buffer | undefined {
  const stat = disk.stat(path);
  if (!stat) return undefined;
  const fd = openToRead(disk, path);
  if (fd === undefined) return undefined;
  try {
    const bytes = Buffer.allocUnsafe(stat.size);
    return bytes.subarray(0, disk.read(fd, bytes, 0));
  } finally {
    disk.close(fd);
  }
}

/** Another process may just have removed it. */
function openToRead(disk: Disk, path: string): number | undefined {
  try {
    return disk.open(path, "read");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces a file atomically; resolves when the change survives a crash. */
export async function replaceFile(disk: Disk, path: string, content: Uint8Array, draft = `${path}.tmp`): Promise<void> {
  const fd = writeNew(disk, draft, content);
  await disk.sync(fd).finally(() => disk.close(fd));
  disk.rename(draft, path);
  await disk.syncFolder(dirname(path));
}

/** The same for files whose loss does no harm. */
export function replaceCache(disk: Disk, path: string, content: Uint8Array): void {
  disk.close(writeNew(disk, `${path}.tmp`, content));
  disk.rename(`${path}.tmp`, path);
}

function writeNew(disk: Disk, path: string, content: Uint8Array): number {
  const fd = disk.open(path, "write");
  try {
    disk.truncate(fd, 0);
    writeAll(disk, fd, content, 0);
    return fd;
  } catch (error) {
    disk.close(fd);
    disk.remove(path);
    throw error;
  }
}

function called<Value>(start: (done: (error: Error | null, value?: Value) => void) => void): Promise<Value> {
  return new Promise((resolve, reject) => start((error, value) => (error ? reject(error) : resolve(value as Value))));
}
