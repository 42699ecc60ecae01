import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { Fault, Refused } from "@colloquy/schema";
import { type DocumentDisk, realDocumentDisk } from "./document-disk.ts";
import { OneAtATime } from "../engine/one-at-a-time.ts";
import { OutOfReach } from "../tools/files/open-at.ts";

/** A document as it is now: the file is the truth. */
export interface Document {
  readonly text: string;
  readonly hash: string;
  /** `text` says so, and is not what the file has. */
  readonly isTooLarge?: boolean;
}

/** Identifies a version; "" means that the document doesn't exist. */
export const fingerprint = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Taskdocs, memory and notes of a project. People edit them by hand at any time. */
export interface Documents {
  /** Undefined if it doesn't exist, or is reached through a link. */
  read(path: string): Document | undefined;
  /** The part of a document's path that is a link, or the document itself if it has a second name: neither is read or written. */
  linkIn(path: string): string | undefined;
  /** Does the folder exist? Most projects lack most of them, and looking up each file costs. */
  has(folder: string): boolean;
  /** Markdown files below a folder, by path relative to it, in order. */
  list(folder: string): readonly string[];
  /**
   * Compare and swap: replaces the version `from` by rename, so that readers see the old or the new version, never half (no text:
   * removes it). Throws `Refused` if its path contains a link. `written`: the new version is durable, even if it was there already.
   * `taken`: the file has another version, which stays.
   */
  swap(path: string, from: string, text: string | undefined): Promise<"written" | "taken">;
  /**
   * Present if the documents are kept elsewhere: resolves when the files below these folders are as new as what this process has heard
   * of, and changes made here by hand are known there.
   */
  ready?(folders: readonly string[]): Promise<void>;
}

/** A longer text is not meant as a document. */
const MAX_BYTES = 4_000_000;

/** Documents in the project's folder. Unchanged files are not read again. */
export function fileDocuments(dir: string, disk: DocumentDisk = realDocumentDisk): Documents {
  const known = new Map<string, { readonly mtimeMs: number; readonly size: number; readonly document: Document }>();
  const absences = new Absences(dir, disk);
  const swaps = new OneAtATime();

  function read(path: string): Document | undefined {
    if (disk.leadsAway(dir, path) || disk.linkIn(dir, path) !== undefined) return undefined;
    const stat = disk.stat(join(dir, path));
    if (stat?.kind !== "file") return undefined;
    const held = known.get(path);
    if (held && held.mtimeMs === stat.mtimeMs && held.size === stat.size) return held.document;
    const isTooLarge = stat.size > MAX_BYTES;
    const text = isTooLarge ? `(${path} has ${stat.size} bytes: too many to be read)` : disk.read(join(dir, path));
    const document = { text, hash: fingerprint(text), ...(isTooLarge && { isTooLarge }) };
    // Two changes within the clock's resolution look the same: a file that was too young when it was read is read again.
    if (disk.nowMs() - stat.mtimeMs > RESTED_MS) known.set(path, { mtimeMs: stat.mtimeMs, size: stat.size, document });
    else known.delete(path);
    return document;
  }
  function demandNoLink(path: string): void {
    const part = disk.linkIn(dir, path);
    if (part !== undefined) throw new Refused({ code: "bad_request", message: linkedDocument(path, part) });
  }
  const versionOf = (path: string): string => read(path)?.hash ?? "";

  async function swap(path: string, from: string, text: string | undefined): Promise<"written" | "taken"> {
    demandNoLink(path);
    const target = join(dir, path);
    const to = text === undefined ? "" : fingerprint(text);
    // Always the same name, so a crash leaves at most one draft, which the next change removes.
    const draft = join(dirname(target), `.${basename(target)}.draft`);
    if (from !== to && versionOf(path) === from) {
      if (text !== undefined) await disk.writeSynced(draft, text, dir);
      // Finds a link that was created meanwhile, before the file gets its name.
      demandNoLink(path);
      // A version that somebody wrote meanwhile stays.
      if (versionOf(path) === from) {
        if (text === undefined) disk.remove(target);
        else disk.rename(draft, target, dir);
      }
      absences.lookAgain();
    }
    if (versionOf(path) !== to) {
      disk.remove(draft);
      return "taken";
    }
    for (const folder of foldersOf(dir, target)) if (disk.stat(folder)) await disk.syncFolder(folder);
    return "written";
  }

  return {
    read: (path) => (absences.covers(path) ? undefined : read(path)),
    linkIn: (path) => disk.linkIn(dir, path),
    has: (folder) => !absences.covers(folder) && disk.linkIn(dir, folder) === undefined && disk.stat(join(dir, folder))?.kind === "folder",
    list: (folder) => (disk.linkIn(dir, folder) === undefined ? markdownBelow(disk, join(dir, folder)) : []),
    swap: (path, from, text) =>
      swaps
        .alone(join(dir, path), () => swap(path, from, text))
        .catch((error: unknown) => {
          if (error instanceof OutOfReach) throw new Refused({ code: "bad_request", message: linkedDocument(path, dirname(path)) });
          throw isFull(error) ? noRoom(path, error) : error;
        }),
  };
}

/** For people; agents read the same in their language. */
export const linkedDocument = (path: string, part: string): string =>
  `${path} is neither read nor written: ${part} is a link, or a file with another name. Replace it with a separate file or folder.`;

/** The folders from a file's up to the project's. */
function foldersOf(dir: string, file: string): readonly string[] {
  const folder = dirname(file);
  return folder === dir || folder === dirname(folder) ? [folder] : [folder, ...foldersOf(dir, folder)];
}

const isFull = (error: unknown): boolean => ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "");

const noRoom = (path: string, cause: unknown): Fault =>
  new Fault("log_full", "later", `No room on the disk for ${path}. Free some space: work resumes by itself.`, { cause });

const RESTED_MS = 1_000;

/**
 * Most projects have no memory, notes or Taskdoc, but every step of every dialog asks for them. Nothing can appear in the project's
 * folder without changing its mtime: one look at that answers all lookups of the next millisecond.
 */
class Absences {
  readonly #dir: string;
  readonly #disk: DocumentDisk;
  readonly #absent = new Map<string, number>();
  #glance = { at: -Infinity, mtimeMs: NaN };

  constructor(dir: string, disk: DocumentDisk) {
    this.#dir = dir;
    this.#disk = disk;
  }

  /** True if the first part of the path is known to be absent. */
  covers(path: string): boolean {
    const end = path.indexOf("/");
    const top = end < 0 ? path : path.slice(0, end);
    const mtimeMs = this.#folderTime();
    if (this.#absent.get(top) === mtimeMs) return true;
    // Two changes within the clock's resolution look like one: only a folder that hasn't changed for a while is trusted.
    if (this.#disk.nowMs() - mtimeMs > RESTED_MS && !this.#disk.stat(join(this.#dir, top))) {
      this.#absent.set(top, mtimeMs);
      return true;
    }
    return false;
  }

  /** Call after a change of our own. */
  lookAgain(): void {
    this.#glance.at = -Infinity;
  }

  #folderTime(): number {
    const now = this.#disk.elapsedMs();
    if (now - this.#glance.at > 1) this.#glance = { at: now, mtimeMs: this.#disk.stat(this.#dir)?.mtimeMs ?? NaN };
    return this.#glance.mtimeMs;
  }
}

function markdownBelow(disk: DocumentDisk, folder: string, prefix = ""): string[] {
  return disk
    .list(folder)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, kind }) => {
      if (kind === "folder") return markdownBelow(disk, join(folder, name), `${prefix}${name}/`);
      return kind === "file" && name.endsWith(".md") ? [`${prefix}${name}`] : [];
    });
}

/** Documents in memory, for tests and for projects without a folder. */
export function memoryDocuments(files: Map<string, string> = new Map()): Documents {
  return {
    read: (path) => {
      const text = files.get(path);
      return text === undefined ? undefined : { text, hash: fingerprint(text) };
    },
    linkIn: () => undefined,
    has: (folder) => [...files.keys()].some((path) => path.startsWith(`${folder.replace(/\/$/, "")}/`)),
    list: (folder) =>
      [...files.keys()]
        .filter((path) => path.startsWith(`${folder}/`) && path.endsWith(".md"))
        .map((path) => path.slice(folder.length + 1))
        .toSorted(),
    swap: async (path, from, text) => {
      const version = () => fingerprintOf(files.get(path));
      if (version() === from) {
        if (text === undefined) files.delete(path);
        else files.set(path, text);
      }
      return version() === fingerprintOf(text) ? "written" : "taken";
    },
  };
}

const fingerprintOf = (text: string | undefined): string => (text === undefined ? "" : fingerprint(text));
