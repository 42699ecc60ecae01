import { existsSync, mkdirSync, realpathSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import { Refused, shortId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { copyDocuments } from "./copy-documents.ts";
import { copyLog } from "./copy-log.ts";
import type { Environment } from "./environment.ts";
import { forgetStore, refuseOwnDialogs } from "./folder-store.ts";
import { openStore } from "./open-store.ts";
import { storeUrl } from "./store-setting.ts";
import { unlessLocked } from "./unless-locked.ts";

/** The files of a folder's store. */
const LOG_FILES = ["run", "done", "archive", "journal", "index.jsonl", "project.jsonl", "project.snapshot.json"];

export interface Moved {
  readonly commits: number;
  readonly trees: number;
  /** Where the folder's own log is kept after the database replaces it. */
  readonly aside?: string;
}

/**
 * Moves a project's log to `postgres://…?project=NAME` or `file:DIR`: copied, compared, and only then in force. Refused while anything
 * is running, or if the target already has a project. The original stays as a copy.
 */
export async function moveProject(folder: string, env: Environment, to: string): Promise<Moved> {
  const dir = realpathSync(folder);
  const from = await storeUrl(dir, env);
  const isInFolder = from === "" || from === "file:";
  if (!/^(?:file|postgres|postgresql):/.test(to)) throw refused("bad_request", "--to takes postgres://…?project=NAME or file:DIR.");
  if (to.startsWith("file:") === isInFolder)
    throw refused(
      "bad_request",
      isInFolder
        ? "The project is in its folder already. Move it to postgres://…?project=NAME."
        : "Move a project from a database to file:DIR.",
    );
  const source = await unlessLocked(() => openStore(dir, from, { claims: "none" }));
  try {
    refuseRunning(source);
    await refuseOthers(source);
    return isInFolder ? await toDatabase(dir, source, to) : await toFolder(dir, source, resolve(dir, to.slice("file:".length) || "."));
  } finally {
    await source.close();
  }
}

async function toDatabase(dir: string, source: Store, url: string): Promise<Moved> {
  const { target, join: joinFolder } = await openTarget(url);
  try {
    if (target.health().pos > 0)
      throw refused("exists_already", `The database has a project of this name already. Choose another one: ?project=NAME`);
    const { taskdocs, ...copied } = await copyLog(source, target);
    await copyDocuments(dir, target, taskdocs);
    await source.close();
    joinFolder(dir);
    return { ...copied, aside: setAside(dir) };
  } finally {
    await target.close();
  }
}

async function openTarget(url: string): Promise<{ readonly target: Store; readonly join: (dir: string) => void }> {
  const { openPostgresStore, storeAddress } = await import("@colloquy/store-postgres");
  const { joinStore } = await import("./folder-store.ts");
  const address = storeAddress(url);
  const target = await unlessLocked(() => openPostgresStore(address, { place: "", claims: "none" }));
  return { target, join: (dir) => joinStore(dir, { store: address.shown, project: address.project, id: target.projectId }) };
}

async function toFolder(dir: string, source: Store, folder: string): Promise<Moved> {
  mkdirSync(folder, { recursive: true });
  refuseOwnDialogs(folder, "A project can only be moved to a folder without dialogs.");
  const { openFileStore } = await import("@colloquy/store-file");
  const target = await unlessLocked(() => openFileStore(folder));
  let copied: Moved;
  try {
    const { taskdocs, ...counts } = await copyLog(source, target);
    await copyDocuments(folder, source, taskdocs);
    copied = counts;
  } finally {
    await target.close();
  }
  if (realpathSync(folder) === dir) forgetStore(dir);
  return copied;
}

function refuseRunning(store: Store): void {
  const hot = store.hot();
  if (hot.length === 0) return;
  const some = hot.slice(0, 3).map((rootId) => shortId(rootId));
  const names = hot.length > some.length ? `${some.join(", ")} …` : some.join(", ");
  throw refused("locked", `Something is running: ${names}. Let it finish, or stop it first: colloquy stop ${some[0]}`);
}

async function refuseOthers({ cluster }: Store): Promise<void> {
  const other = (await cluster?.nodes())?.find(({ isThis }) => !isThis);
  if (!other) return;
  throw refused("locked", `Process ${other.pid} on ${other.host} has this project open since ${other.since}. Stop it first.`);
}

/** Moves the folder's own log aside, since it must no longer count as the project's. */
function setAside(dir: string): string {
  const dialogs = join(dir, ".dialogs");
  const aside = join(dialogs, `moved-${new Date().toISOString().replaceAll(/[-:]|\.\d+Z/g, "")}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of LOG_FILES) if (existsSync(join(dialogs, name))) renameSync(join(dialogs, name), join(aside, name));
  return aside;
}

const refused = (code: "bad_request" | "exists_already" | "locked", message: string): Refused => new Refused({ code, message });
