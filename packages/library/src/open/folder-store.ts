import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "@colloquy/schema";
import { readOwnerFile } from "./owner-file.ts";

/** Which project of which database a folder belongs to. */
export interface FolderStore {
  /** The database's address, without a password. */
  readonly store: string;
  readonly project: string;
  /** The database's own id of the project: distinguishes two of one name. */
  readonly id: string;
}

const DIALOGS = ".dialogs";
/** Shown as part of a command, so a folder from elsewhere must not contain more than an address here. */
const ADDRESS = /^postgres(?:ql)?:\/\/[\w.~%@:/[\]-]{1,500}$/;
const PROJECT = /^[a-z][a-z0-9_-]{0,39}$/;
const pathIn = (dir: string): string => join(dir, DIALOGS, "store.json");

/** Undefined: the folder keeps its own log, or none yet. */
function folderStore(dir: string): FolderStore | undefined {
  const path = pathIn(dir);
  if (!existsSync(path)) return undefined;
  try {
    const { store, project, id } = JSON.parse(readOwnerFile(path)) as FolderStore;
    const areTexts = [store, project, id].every((value) => typeof value === "string");
    if (areTexts && ADDRESS.test(store) && PROJECT.test(project)) return { store, project, id };
  } catch {
    // reported below
  }
  throw new Fault("store_unfit", "never", `${path} names no database. Remove it, and name the store: --store URL`);
}

/** A folder whose project is in a database would look empty without it. */
export function refuseForgottenStore(dir: string): void {
  const known = folderStore(dir);
  if (!known) return;
  const address = `${known.store}?project=${known.project}`;
  const message = `The project in ${dir} is kept in ${address}. If that is your database, name it: --store "${address}", COLLOQUY_STORE, or store: in colloquy.yaml. To begin anew in the folder, remove ${pathIn(dir)}.`;
  throw new Fault("store_unfit", "never", message);
}

/** A folder's own dialogs would be hidden by those of the database. */
export function refuseOwnDialogs(dir: string, what?: string): void {
  const hasSome = ["run", "done", "archive"].some((place) => {
    const folder = join(dir, DIALOGS, place);
    return existsSync(folder) && readdirSync(folder).length > 0;
  });
  if (!hasSome || (what === undefined && folderStore(dir))) return;
  throw new Fault(
    "store_unfit",
    "never",
    what === undefined
      ? `${dir} has dialogs of its own, which a database would hide. Move them: colloquy move --to URL. Or leave out --store, COLLOQUY_STORE, and store: in colloquy.yaml.`
      : `${dir} has dialogs of its own. ${what}`,
  );
}

/** The form of an address that may be shown in a command: other characters could mean something to a shell. */
const plainAddress = (store: string): string =>
  store.replaceAll(/[^\w.~%@:/[\]-]+/g, (signs) =>
    [...Buffer.from(signs)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );

/** Joins the folder to the project, or refuses another project of the same name. */
export function joinStore(dir: string, joined: FolderStore): void {
  const found = { ...joined, store: plainAddress(joined.store) };
  const known = folderStore(dir);
  if (known?.project === found.project && known.store === found.store && known.id !== found.id) {
    throw new Fault(
      "store_unfit",
      "never",
      `${found.store} has another project named "${found.project}" than the one that ${dir} belongs to. ` +
        `Choose another name (?project=NAME), or, if the new one is right, remove ${pathIn(dir)}.`,
    );
  }
  if (known?.id === found.id && known.store === found.store) return;
  mkdirSync(join(dir, DIALOGS), { recursive: true, mode: 0o700 });
  if (!known) excludeFromGit(dir);
  const draft = `${pathIn(dir)}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(found, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, pathIn(dir));
}

/** Tokens and the search index are in the folder all the same. A folder that was in use keeps what its people made of it. */
function excludeFromGit(dir: string): void {
  const folder = join(dir, DIALOGS);
  const file = join(folder, ".gitignore");
  const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!isThere(file) && !isThere(join(folder, "journal"))) writeFileSync(file, "*\n", { mode: 0o600, flag: "wx" });
}

/** The folder keeps its own log again. */
export const forgetStore = (dir: string): void => rmSync(pathIn(dir), { force: true });
