import * as fs from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { isHidden, isRequirement } from "../tools/files/hidden.ts";
import { OpenFolder } from "../tools/files/open-at.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

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
  /** The first part of a document's path that is a link, or the document itself where it has another name as well. */
  readonly linkIn: (dir: string, path: string) => string | undefined;
  readonly read: (path: string) => string;
  /** What a folder holds; nothing when it is missing. */
  readonly list: (folder: string) => readonly { readonly name: string; readonly kind: "file" | "folder" | "other" }[];
  /**
   * The whole file, made with its folders where they are missing; resolved when its content is safe (its name need not be).
   * `root`: no folder below it is reached through a link.
   */
  readonly writeSynced: (path: string, text: string, root?: string) => Promise<void>;
  /** At once: nobody comes between a look at a file and this. Both are in one folder. */
  readonly rename: (from: string, to: string, root?: string) => void;
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
  linkIn,
  read: (path) => fs.readFileSync(path, "utf8"),
  list(folder) {
    try {
      return fs.readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  },
  async writeSynced(path, text, root) {
    if (root === undefined) await mkdir(dirname(path), { recursive: true });
    const around = folderOf(path, root);
    try {
      // A link, or a second name of some other file, that stands where the draft goes is removed and not written through.
      fs.rmSync(around.at(basename(path)), { force: true });
      const file = await open(around.at(basename(path)), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
    } finally {
      around.close();
    }
  },
  rename(from, to, root) {
    const around = folderOf(to, root);
    try {
      around.assertInPlace();
      fs.renameSync(around.at(basename(from)), around.at(basename(to)));
    } finally {
      around.close();
    }
  },
  remove: (path) => fs.rmSync(path, { force: true }),
  async syncFolder(path) {
    if (process.platform === "win32") return; // folders cannot be opened there
    const folder = await open(path, "r");
    await folder.sync().finally(() => folder.close());
  },
};

/** The folder that a file is in, opened part by part below the root without following links. */
function folderOf(path: string, root = dirname(path)): OpenFolder {
  const real = fs.realpathSync(root);
  return OpenFolder.open(real, relative(root, dirname(path)).split(sep).join("/"), { makes: true });
}

/** Taskdocs, memory and requirements are the project's own files: what a link leads to, and a file that others write under another name, is not. */
function linkIn(dir: string, path: string): string | undefined {
  if (!isHidden(path) && !isRequirement(path)) return undefined;
  const parts = path.split("/").filter((part) => part !== "");
  for (const [at] of parts.entries()) {
    const part = parts.slice(0, at + 1).join("/");
    const stat = fs.lstatSync(join(dir, part), { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (stat.isSymbolicLink() || (stat.isFile() && stat.nlink > 1)) return part;
  }
  return undefined;
}

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
