import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { applyAll, emptyTree, entryOf, isTaskDocPath, mainDialog, sectionPath, SECTIONS, type Tree, treeSnapshot } from "@colloquy/core";
import { fileDocuments } from "@colloquy/runtime";
import { type Line, PROJECT_STREAM, Refused, type RootId, type StreamId, type TreeEvent } from "@colloquy/schema";
import { deletedIn, type PastLine, type Store, type StreamPart } from "@colloquy/store";
import { copyDocuments } from "../open/copy-documents.ts";
import type { Environment } from "../open/environment.ts";
import { refuseOwnDialogs } from "../open/folder-store.ts";
import { openStore } from "../open/open-store.ts";
import { unlessLocked } from "../open/unless-locked.ts";
import { backupParts } from "./backup-folder.ts";
import type { BackupRecord } from "./backup-record.ts";
import { backupHeader, backupRecords, refusedBackup } from "./read-backup.ts";

const MAX_IN_FLIGHT = 200;

export interface Restored {
  readonly commits: number;
  readonly trees: number;
  /** When the last part was made. */
  readonly made: string;
}

/**
 * Makes the project of a backup in a folder without dialogs, or in a new project of a database: every commit in its order. In a folder it is
 * there whole or not at all. What was running counts as interrupted by a crash.
 */
export async function restoreProject(folder: string, env: Environment, from: string): Promise<Restored> {
  const dir = realpathSync(folder);
  const parts = await backupParts(resolve(dir, from)).catch((error: unknown) => {
    if (error instanceof Refused) throw error;
    throw refusedBackup(from, "there is no such folder.");
  });
  const last = parts.at(-1);
  if (!last) throw refusedBackup(from, "there is no backup in it.");
  const { made, project } = await backupHeader(last.path);
  for (const { path } of parts)
    if ((await backupHeader(path)).project !== project) throw refusedBackup(path, "it is of another project than the last part.");
  const paths = parts.map(({ path }) => path);
  const url = env.COLLOQUY_STORE ?? "";
  const counts = url === "" || url === "file:" ? await intoFolder(dir, paths) : await intoDatabase(dir, url, paths);
  return { ...counts, made };
}

async function intoFolder(dir: string, paths: readonly string[]) {
  refuseOwnDialogs(dir, "A backup can only be restored in a folder without dialogs.");
  const dialogs = join(dir, ".dialogs");
  if (existsSync(dialogs)) await demandEmpty(dir);
  const draft = mkdtempSync(join(dir, ".restoring-"));
  try {
    const { openFileStore } = await import("@colloquy/store-file");
    const store = await openFileStore(draft);
    const restoring = new Restoring(store);
    try {
      await restoring.all(paths);
    } finally {
      await store.close({ asCrashed: true });
    }
    await restoring.writeDocuments(dir);
    if (existsSync(dialogs)) {
      await demandEmpty(dir);
      mkdirSync(join(draft, "before"));
      renameSync(dialogs, join(draft, "before", ".dialogs"));
    }
    renameSync(join(draft, ".dialogs"), dialogs);
    return restoring.counts;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Nobody has the folder's project open, and there is nothing in it. */
async function demandEmpty(dir: string): Promise<void> {
  const { openFileStore } = await import("@colloquy/store-file");
  const store = await unlessLocked(() => openFileStore(dir));
  const { pos } = store.health();
  await store.close();
  if (pos > 0)
    throw new Refused({
      code: "exists_already",
      message: "There is a project in this folder already. Restore the backup in another folder.",
    });
}

async function intoDatabase(dir: string, url: string, paths: readonly string[]) {
  const store = await unlessLocked(() => openStore(dir, url, { claims: "none" }));
  try {
    if (store.health().pos > 0)
      throw new Refused({
        code: "exists_already",
        message: "The database has a project of this name already. Choose another one: ?project=NAME",
      });
    const restoring = new Restoring(store);
    await restoring.all(paths);
    await restoring.writeDocuments(dir);
    await copyDocuments(dir, store, restoring.taskdocs);
    return restoring.counts;
  } finally {
    await store.close({ asCrashed: true });
  }
}

type Commit = Extract<BackupRecord, { is: "commit" }>;
type Past = Extract<BackupRecord, { is: "past" }>;

/** Commits the records of a backup to an empty store. */
class Restoring {
  readonly #store: Store;
  readonly #trees = new Map<StreamId, Tree>();
  readonly #documents = new Map<string, string>();
  #projectSeq = 0;
  #commits = 0;
  #inFlight: Promise<unknown>[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  get counts(): Pick<Restored, "commits" | "trees"> {
    return { commits: this.#commits, trees: this.#store.count() };
  }

  get taskdocs(): readonly string[] {
    return [...new Set([...this.#documents.keys()].map((path) => path.slice(0, path.lastIndexOf("/") + 1)))];
  }

  async all(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      try {
        for await (const record of backupRecords(path)) await this.#take(record);
        await this.#settle();
      } catch (error) {
        await Promise.allSettled(this.#inFlight);
        throw error instanceof Refused
          ? error
          : refusedBackup(path, `it cannot be restored: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /** Where a file is already, it stays. */
  async writeDocuments(dir: string): Promise<void> {
    const files = fileDocuments(dir);
    for (const [path, text] of this.#documents) if (files.linkIn(path) === undefined) await files.swap(path, "", text);
  }

  async #take(record: Exclude<BackupRecord, { is: "end" }>): Promise<void> {
    switch (record.is) {
      case "past":
        await this.#settle();
        return this.#stage(record);
      case "blob":
        return this.#store.putBlob(record.stream, record.name, Buffer.from(record.base64, "base64"));
      case "document":
        return this.#keep(record.path, record.text);
      case "commit":
        return this.#commit(record);
    }
  }

  /** No name in a backup leads elsewhere. */
  #keep(path: string, text: string): void {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (isTaskDocPath(folder) && SECTIONS.some((section) => sectionPath(folder, section) === path)) this.#documents.set(path, text);
  }

  async #stage({ stream, lines, blobs }: Past): Promise<void> {
    let tree = emptyTree(stream);
    const past = (lines as readonly Line<TreeEvent>[]).map((line): PastLine => {
      const before = tree;
      tree = applyAll(before, line.events, Date.parse(line.at));
      return { line, course: mainDialog(tree)?.course ?? 1, checkpoint: () => treeSnapshot(before, 0) };
    });
    await this.#store.stage(stream, { lines: each([past]), blobs: each(blobs.map(asBlob)) });
    this.#trees.set(stream, tree);
  }

  async #commit({ parts }: Commit): Promise<void> {
    const at = Date.parse(parts[0]?.line.at ?? "");
    const given = parts.map(({ stream, line }) => this.#part(stream as StreamId, line as Line));
    const gone = given.flatMap(({ stream, events }) => deletedIn(stream, events));
    this.#inFlight.push(this.#store.commit(given, at));
    this.#commits += 1;
    for (const rootId of gone) this.#trees.delete(rootId);
    if (gone.length > 0 || this.#inFlight.length >= MAX_IN_FLIGHT) await this.#settle();
  }

  #part(stream: StreamId, { seq, events, at }: Line): StreamPart {
    const expected = seq - 1;
    if (stream === PROJECT_STREAM) {
      if (expected !== this.#projectSeq) throw new Error(`event ${this.#projectSeq + 1} of the project is missing`);
      this.#projectSeq += events.length;
      return { stream, expected, events };
    }
    const before = this.#trees.get(stream) ?? emptyTree(stream as RootId);
    if (before.seq !== expected) throw new Error(`event ${before.seq + 1} of ${stream} is missing`);
    const after = applyAll(before, events as TreeEvent[], Date.parse(at));
    this.#trees.set(stream, after);
    const entry = entryOf(after);
    return {
      stream,
      expected,
      events,
      ...(entry && { entry }),
      course: mainDialog(after)?.course ?? 1,
      checkpoint: () => treeSnapshot(before, 0),
    };
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#inFlight.splice(0));
  }
}

const asBlob = ({ name, base64 }: Past["blobs"][number]) => ({ name, content: Buffer.from(base64, "base64") });

async function* each<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
