import { spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** From this many paths on, one sync of the whole file system is faster than one per path. */
const MAX_SINGLE_SYNCS = 64;
const SYNC_MS = 120_000;

/** Writes a whole file durably; its name appears once it is complete. */
export function writeDurable(file: string, text: string): void {
  const draft = `${file}.draft`;
  const fd = openSync(draft, "w", 0o600);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, file);
  syncFolder(dirname(file));
}

function syncFolder(folder: string): void {
  sync(folder, O_RDONLY | O_DIRECTORY);
}

function sync(place: string, flags: number): void {
  const fd = openSync(place, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes files and folders durable: content and, for folders, names. Links need only their folder. */
export function syncAll(places: readonly { readonly path: string; readonly isFolder: boolean }[], within: string): void {
  if (places.length > MAX_SINGLE_SYNCS && syncFileSystem(within)) return;
  try {
    for (const { path, isFolder } of places) sync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (isFolder ? O_DIRECTORY : 0));
  } catch (error) {
    // A command may have made it unreadable.
    if ((error as NodeJS.ErrnoException).code !== "EACCES" || !syncFileSystem(within)) throw error;
  }
}

function syncFileSystem(within: string): boolean {
  const program = ["/usr/bin/sync", "/bin/sync"].find((place) => existsSync(place));
  return program !== undefined && spawnSync(program, ["-f", "--", within], { timeout: SYNC_MS, env: {}, stdio: "ignore" }).status === 0;
}
