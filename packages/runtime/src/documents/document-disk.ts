import * as fs from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { isHidden, isRequirement } from "../tools/files/hidden.ts";
import { OpenFolder } from "../tools/files/open-at.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

/** Everything that documents need from a file system, so that a simulation can lose and delay writes. Paths are absolute. */
export interface DocumentDisk {
  /** The clock of file times. */
  readonly nowMs: () => number;
  /** A monotonic clock. */
  readonly elapsedMs: () => number;
  /** Follows links. */
  readonly stat: (
    path: string,
  ) => { readonly kind: "file" | "folder" | "other"; readonly size: number; readonly mtimeMs: number } | undefined;
  /** Does this path of the project lead to something hidden or outside? */
  readonly leadsAway: (dir: string, path: string) => boolean;
  /** The first part of a document's path that is a link, or the document itself if it has a second name. */
  readonly linkIn: (dir: string, path: string) => string | undefined;
  readonly read: (path: string) => string;
  /** The entries of a folder; none if it is missing. */
  readonly list: (folder: string) => readonly { readonly name: string; readonly kind: "file" | "folder" | "other" }[];
  /**
   * Writes the whole file and missing folders; resolves when the content is durable (the name need not be). `root`: no folder below it
   * may be a link.
   */
  readonly writeSynced: (path: string, text: string, root?: string) => Promise<void>;
  /** Synchronous, so nothing comes between a look at the file and this. Both paths are in one folder. */
  readonly rename: (from: string, to: string, root?: string) => void;
  /** A missing file is no failure. */
  readonly remove: (path: string) => void;
  /** Makes the folder's names durable. */
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
      // A link or hard link in the draft's place is removed, not written through.
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

/** The folder of a file, opened part by part below the root without following links. */
function folderOf(path: string, root = dirname(path)): OpenFolder {
  const real = fs.realpathSync(root);
  return OpenFolder.open(real, relative(root, dirname(path)).split(sep).join("/"), { makes: true });
}

/** Taskdocs, memory and requirements are the project's own files: never the target of a link, nor a file with a second name. */
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
 * Tools can write such documents, so one may be a link that a tool created. It is read only if it leads to a visible file of the
 * project: hidden content can't reach a prompt this way. (Memory and Taskdocs are out of every tool's reach.)
 */
function leadsAway(dir: string, path: string): boolean {
  if (isHidden(path) || !fs.lstatSync(join(dir, path), { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  try {
    const inside = relative(fs.realpathSync(dir), fs.realpathSync(join(dir, path)));
    return isAbsolute(inside) || inside.startsWith("..") || isHidden(inside);
  } catch {
    // A dangling link is not a document.
    return true;
  }
}
