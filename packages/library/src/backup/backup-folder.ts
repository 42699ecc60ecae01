import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { backupHeader, refusedBackup } from "./read-backup.ts";
import type { BackupQuery } from "./write-backup.ts";

const PART = /^backup-(\d{12})-(\d{12})\.gz$/;
const nameOf = (after: number, pos: number): string => `backup-${digits(after)}-${digits(pos)}.gz`;
const digits = (pos: number): string => String(pos).padStart(12, "0");

export interface BackupPart {
  readonly path: string;
  readonly after: number;
  readonly pos: number;
}

/** The parts of a backup in their order. A gap between them is refused. */
export async function backupParts(dir: string): Promise<readonly BackupPart[]> {
  const names = (await readdir(dir)).flatMap((name) => {
    const [, after, pos] = PART.exec(name) ?? [];
    return after === undefined ? [] : [{ path: join(dir, name), after: Number(after), pos: Number(pos) }];
  });
  const parts = names.toSorted((a, b) => a.after - b.after || b.pos - a.pos);
  let last = 0;
  for (const { path, after, pos } of parts) {
    if (after !== last) throw refusedBackup(path, `the part with the commits ${last + 1} to ${after} is missing before it.`);
    last = pos;
  }
  return parts;
}

export interface BackedUp {
  /** The new part; absent if nothing was new. */
  readonly file?: string;
  readonly bytes: number;
  readonly commits: number;
  readonly pos: number;
}

/** Adds what is new to a backup. A part is there whole or not at all. `read`: what the project sends. */
export async function addToBackup(dir: string, read: (query: BackupQuery) => Promise<AsyncIterable<Uint8Array>>): Promise<BackedUp> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const last = (await backupParts(dir)).at(-1);
  const project = last && (await backupHeader(last.path)).project;
  const source = await read({ after: last?.pos ?? 0, project });
  const draft = join(dir, `.backup-${process.pid}.part`);
  await rm(draft, { force: true });
  try {
    let bytes = 0;
    const file = await open(draft, "wx", 0o600);
    try {
      for await (const part of source) bytes += (await file.write(part)).bytesWritten;
      await file.sync();
    } finally {
      await file.close();
    }
    const { after, pos } = await backupHeader(draft);
    if (pos === after) return { bytes: 0, commits: 0, pos };
    const path = join(dir, nameOf(after, pos));
    await rename(draft, path);
    await syncFolder(dir);
    return { file: path, bytes, commits: pos - after, pos };
  } finally {
    await rm(draft, { force: true });
  }
}

/** The new name survives a power cut as well. Some systems cannot sync a folder. */
async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, "r").catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
