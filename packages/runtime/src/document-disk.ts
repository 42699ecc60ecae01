import * as fs from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isHidden } from "./tools/hidden.ts";

/** All that documents ask of a file system, so that a simulation can have it lose and delay. Paths are whole ones. */
export interface DocumentDisk {
  /** By the clock that files' times are by. */
  readonly nowMs: () => number;
  /** By a clock that nobody sets. */
  readonly elapsedMs: () => number;
  /** Of what a link leads to. */
  readonly stat: (
    path: string,
  ) => { readonly kind: "file" | "folder" | "other"; readonly size: number; readonly mtimeMs: number } | undefined;
  /** Does this path of the project lead to something that is hidden, or outside of it? */
  readonly leadsAway: (dir: string, path: string) => boolean;
  readonly read: (path: string) => string;
  /** What a folder holds; nothing when it is missing. */
  readonly list: (folder: string) => readonly { readonly name: string; readonly kind: "file" | "folder" | "other" }[];
  /** The whole file, made with its folders where they are missing; resolved when its content is safe (its name need not be). */
  readonly writeSynced: (path: string, text: string) => Promise<void>;
  /** At once: nobody comes between a look at a file and this. */
  readonly rename: (from: string, to: string) => void;
  /** No file is no failure. */
  readonly remove: (path: string) => void;
  /** Makes the names in it safe. */
  readonly syncFolder: (path: string) => Promise<void>;
}

export const realDocumentDisk: DocumentDisk = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  stat(path) {
    const stat = fs.statSync(path, { throwIfNoEntry: false });
    return stat && { kind: kindOf(stat), size: stat.size, mtimeMs: stat.mtimeMs };
  },
  leadsAway,
  read: (path) => fs.readFileSync(path, "utf8"),
  list(folder) {
    try {
      return fs.readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  },
  async writeSynced(path, text) {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "w");
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename: (from, to) => fs.renameSync(from, to),
  remove: (path) => fs.rmSync(path, { force: true }),
  async syncFolder(path) {
    if (process.platform === "win32") return; // folders cannot be opened there
    const folder = await open(path, "r");
    await folder.sync().finally(() => folder.close());
  },
};

const kindOf = (one: Pick<fs.Stats, "isFile" | "isDirectory">) => (one.isFile() ? "file" : one.isDirectory() ? "folder" : "other");

/**
 * A document that tools can write may be a link that one of them has put there. It is read only where it leads to an open file
 * of the project: what is hidden does not get into a prompt that way. (Memory and Taskdocs are out of every tool's reach.)
 */
function leadsAway(dir: string, path: string): boolean {
  if (isHidden(path) || !fs.lstatSync(join(dir, path), { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  try {
    const inside = relative(fs.realpathSync(dir), fs.realpathSync(join(dir, path)));
    return isAbsolute(inside) || inside.startsWith("..") || isHidden(inside);
  } catch {
    // A link to nowhere is no document.
    return true;
  }
}
