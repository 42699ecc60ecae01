import { createHash, randomBytes } from "node:crypto";
import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isHidden } from "./tools/hidden.ts";

/** A document as it is: the file is the truth. */
export interface Document {
  readonly text: string;
  readonly hash: string;
}

/** Tells versions apart; "" is the version of a document that is not there. */
export const fingerprint = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Taskdocs, memory and notes of a project. People edit them by hand at any time. */
export interface Documents {
  read(path: string): Document | undefined;
  /** Is there such a folder at all? Most projects lack most of them, and asking for each file costs. */
  has(folder: string): boolean;
  /** Markdown files below a folder, by path relative to it, in order. */
  list(folder: string): readonly string[];
  /** By rename: readers see the old or the new, never half. */
  write(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** Whoever writes more than this by hand did not mean it as a document. */
const MOST_BYTES = 4_000_000;

/**
 * A document that tools can write may be a link that one of them has put there. It is read only where it leads to an open file
 * of the project: what is hidden does not get into a prompt that way. (Memory and Taskdocs are out of every tool's reach.)
 */
function leadsAway(dir: string, path: string): boolean {
  if (isHidden(path) || !lstatSync(join(dir, path), { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  try {
    const inside = relative(realpathSync(dir), realpathSync(join(dir, path)));
    return isAbsolute(inside) || inside.startsWith("..") || isHidden(inside);
  } catch {
    // A link to nowhere is no document.
    return true;
  }
}

/** Documents in the project's folder. What has not changed on disk is not read again. */
export function fileDocuments(dir: string): Documents {
  const known = new Map<string, { readonly mtimeMs: number; readonly size: number; readonly document: Document }>();
  const absences = new Absences(dir);
  return {
    read(path) {
      if (absences.covers(path) || leadsAway(dir, path)) return undefined;
      const stat = statSync(join(dir, path), { throwIfNoEntry: false });
      if (!stat?.isFile()) return undefined;
      const held = known.get(path);
      // A file that was changed within the clock's grain may look the same: it is read until it has rested.
      if (held && held.mtimeMs === stat.mtimeMs && held.size === stat.size && Date.now() - stat.mtimeMs > 1_000) return held.document;
      const text = stat.size > MOST_BYTES ? `(${path} has ${stat.size} bytes: too many to be read)` : readFileSync(join(dir, path), "utf8");
      const document = { text, hash: fingerprint(text) };
      known.set(path, { mtimeMs: stat.mtimeMs, size: stat.size, document });
      return document;
    },
    has: (folder) => !absences.covers(folder) && (statSync(join(dir, folder), { throwIfNoEntry: false })?.isDirectory() ?? false),
    list: (folder) => markdownBelow(join(dir, folder)),
    async write(path, text) {
      const target = join(dir, path);
      await mkdir(dirname(target), { recursive: true });
      const draft = `${target}.${randomBytes(4).toString("hex")}.tmp`;
      const file = await open(draft, "w");
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, target);
    },
    remove: (path) => rm(join(dir, path), { force: true }),
  };
}

const RESTED_MS = 1_000;

/**
 * Most projects have no memory, no notes and no Taskdoc, and every step of every dialog asks. What is not in the project's
 * folder cannot come into it without changing the folder's time: one look at that answers for all, for a millisecond.
 */
class Absences {
  readonly #dir: string;
  readonly #absent = new Map<string, number>();
  #glance = { at: -Infinity, mtimeMs: NaN };

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** True when the first part of the path is known not to be there. */
  covers(path: string): boolean {
    const end = path.indexOf("/");
    const top = end < 0 ? path : path.slice(0, end);
    const mtimeMs = this.#folderTime();
    if (this.#absent.get(top) === mtimeMs) return true;
    // Two changes within the clock's grain look like one: only a folder that has rested is trusted.
    if (Date.now() - mtimeMs > RESTED_MS && !statSync(join(this.#dir, top), { throwIfNoEntry: false })) {
      this.#absent.set(top, mtimeMs);
      return true;
    }
    return false;
  }

  #folderTime(): number {
    const now = performance.now();
    if (now - this.#glance.at > 1) this.#glance = { at: now, mtimeMs: statSync(this.#dir, { throwIfNoEntry: false })?.mtimeMs ?? NaN };
    return this.#glance.mtimeMs;
  }
}

function markdownBelow(folder: string, prefix = ""): string[] {
  return entriesOf(folder)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.isDirectory()) return markdownBelow(join(folder, entry.name), `${prefix}${entry.name}/`);
      return entry.isFile() && entry.name.endsWith(".md") ? [`${prefix}${entry.name}`] : [];
    });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Documents in memory, for tests and for projects without a folder. */
export function memoryDocuments(files: Map<string, string> = new Map()): Documents {
  return {
    read: (path) => {
      const text = files.get(path);
      return text === undefined ? undefined : { text, hash: fingerprint(text) };
    },
    has: (folder) => [...files.keys()].some((path) => path.startsWith(`${folder.replace(/\/$/, "")}/`)),
    list: (folder) =>
      [...files.keys()]
        .filter((path) => path.startsWith(`${folder}/`) && path.endsWith(".md"))
        .map((path) => path.slice(folder.length + 1))
        .toSorted(),
    write: async (path, text) => void files.set(path, text),
    remove: async (path) => void files.delete(path),
  };
}
