// Opens paths without races. Between checking a path and using it, somebody may replace it with a link. So a folder is opened part by
// part without following links, and its entries are reached through its descriptor, which no longer depends on any name. Node has no
// openat; on Linux /proc/self/fd/N/name does the same. Elsewhere only names are available.
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
} from "node:fs";
import { join } from "node:path";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const hasDescriptorPaths = process.platform === "linux" && existsSync("/proc/self/fd");

/** Why a path is out of reach, and what the model may do instead. */
export class OutOfReach extends Error {}

const movedAway = (path: string): OutOfReach => new OutOfReach(`"${path}" was changed while it was being opened. Try again.`);

/** What a name refers to. */
export interface Facts {
  readonly kind: "folder" | "file" | "link" | "other";
  readonly size: number;
  readonly mode: number;
  /** Its number of names. */
  readonly names: number;
  /** Shared by all of its names, and by nothing else. */
  readonly identity: string;
}

/** A folder of the project that stays the same if its name changes. Close it. */
export class OpenFolder {
  /** Absent where only names are available. */
  readonly #fd: number | undefined;
  readonly #path: string;

  private constructor(reach: string, path: string) {
    this.#path = path;
    this.#fd = hasDescriptorPaths ? openSync(reach, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) : undefined;
    if (!hasDescriptorPaths && !lstatSync(path).isDirectory()) throw movedAway(path);
  }

  /** `root` is a real path, and nothing in `inside` may be a link. `makes`: creates missing folders. */
  static open(root: string, inside: string, { makes = false } = {}): OpenFolder {
    let folder = new OpenFolder(root, root);
    try {
      for (const part of inside === "" ? [] : inside.split("/")) {
        const next = folder.child(part, makes);
        folder.close();
        folder = next;
      }
      folder.assertInPlace();
      return folder;
    } catch (error) {
      folder.close();
      throw error;
    }
  }

  /** Opens a folder, works with it, closes it. */
  static with<Result>(
    root: string,
    inside: string,
    work: (folder: OpenFolder) => Result,
    options: { readonly makes?: boolean } = {},
  ): Result {
    const folder = OpenFolder.open(root, inside, options);
    try {
      return work(folder);
    } finally {
      folder.close();
    }
  }

  child(name: string, makes = false): OpenFolder {
    const path = join(this.#path, name);
    if (makes) mkdirUnlessThere(this.at(name));
    try {
      return new OpenFolder(this.at(name), path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ELOOP" && code !== "ENOTDIR") throw error;
      throw this.facts(name)?.kind === "file" ? new OutOfReach(`"${name}" is a file, not a folder.`) : movedAway(name);
    }
  }

  /** Enters a subfolder; skips one that is gone or closed to us by now. */
  within(name: string, look: (folder: OpenFolder) => void): void {
    let child: OpenFolder;
    try {
      child = this.child(name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (error instanceof OutOfReach || code === "ENOENT" || code === "EACCES") return;
      throw error;
    }
    try {
      look(child);
    } finally {
      child.close();
    }
  }

  /** The path for opening, renaming or removing an entry of this folder. */
  at(name: string): string {
    return join(this.#reach, name);
  }

  get #reach(): string {
    return this.#fd === undefined ? this.#path : `/proc/self/fd/${this.#fd}`;
  }

  entries(): readonly { readonly name: string; readonly kind: Facts["kind"] }[] {
    return readdirSync(this.#reach, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** lstat: of the link, not of its target. */
  facts(name: string): Facts | undefined {
    const stat = lstatSync(this.at(name), { throwIfNoEntry: false, bigint: true });
    return stat && factsOf(stat);
  }

  /**
   * A file for reading; the caller closes it. Pipes, devices and sockets are refused before they are opened, since opening alone can
   * block or act.
   */
  openFile(name: string): { readonly fd: number; readonly facts: Facts } {
    if (this.facts(name)?.kind !== "file") throw new OutOfReach(`"${name}" is not a regular file.`);
    const fd = openSync(this.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const facts = factsOf(fstatSync(fd, { bigint: true }));
    if (facts.kind === "file") return { fd, facts };
    closeSync(fd);
    throw movedAway(name);
  }

  /** Throws if it is no longer where it was when it was checked. */
  assertInPlace(): void {
    if (this.#fd !== undefined && readlinkSync(this.#reach) !== this.#path) throw movedAway(this.#path);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

function mkdirUnlessThere(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

interface Kinds {
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

export const kindOf = (entry: Kinds): Facts["kind"] =>
  entry.isDirectory() ? "folder" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other";

export const identityOf = (stat: BigIntStats): string => `${stat.dev}:${stat.ino}`;

export const factsOf = (stat: BigIntStats): Facts => ({
  kind: kindOf(stat),
  size: Number(stat.size),
  mode: Number(stat.mode),
  names: Number(stat.nlink),
  identity: identityOf(stat),
});
