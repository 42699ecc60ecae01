import { dirname, basename } from "node:path";
import type { Disk } from "../src/disk/disk.ts";
import { failure } from "./faulty-disk.ts";

interface FileNode {
  bytes: Uint8Array;
  synced: Uint8Array;
  /** Writes since the last sync, in order; a truncation has no bytes. */
  unsynced: { at: number; bytes: Uint8Array | undefined }[];
}

interface FolderNode {
  readonly names: Map<string, Node>;
  readonly syncedNames: Map<string, Node>;
}

type Node = FileNode | FolderNode;

/** A rename, which a crash undoes unless one of its folders was synced. */
interface Naming {
  readonly folders: readonly FolderNode[];
  readonly apply: () => void;
}

/** Numbers from 0 to 1. */
export type Chance = () => number;

const SECTOR = 512;

/** A disk in memory that loses in a crash what was not synced: all, part or none of it, as a real one may. */
export class CrashDisk {
  readonly #root: FolderNode = { names: new Map(), syncedNames: new Map() };
  readonly #chance: Chance;
  readonly #open = new Map<number, FileNode>();
  #namings: Naming[] = [];
  #nextFd = 3;
  /** The power fails during the write that brings this to zero. */
  writesLeft = Infinity;
  #life = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** The disk as one process sees it. After a crash its calls do nothing. */
  mount(): Disk {
    const life = this.#life;
    const alive = () => {
      if (life !== this.#life || this.writesLeft <= 0) throw failure("EIO");
    };
    const never = <Value>() => new Promise<Value>(() => {});
    /** A dead process's promises never settle. */
    const living = async <Value>(work: () => Value): Promise<Value> => {
      await new Promise((resolve) => setImmediate(resolve));
      if (life !== this.#life || this.writesLeft <= 0) return never();
      try {
        return work();
      } catch (error) {
        if (life !== this.#life || this.writesLeft <= 0) return never();
        throw error;
      }
    };
    const now =
      <Args extends unknown[], Value>(work: (...args: Args) => Value) =>
      (...args: Args): Value => {
        alive();
        return work(...args);
      };
    return {
      open: now((path, how) => this.#openFile(path, how === "read")),
      close: (fd) => void this.#open.delete(fd),
      read: now((fd, into, at) => this.#read(fd, into, at)),
      readAsync: (fd, into, at) => living(() => this.#read(fd, into, at)),
      write: now((fd, bytes, at) => this.#write(fd, bytes, at)),
      writeSynced: now((fd, bytes, at) => this.#writeSynced(fd, bytes, at)),
      writeSyncedAsync: (fd, bytes, at) => living(() => this.#writeSynced(fd, bytes, at)),
      sync: (fd) => living(() => sync(this.#file(fd))),
      syncFolder: async (path) => {
        alive();
        const folder = this.#folder(path); // it may move while it is being synced
        return living(() => this.#syncFolder(folder));
      },
      syncAll: async () => false,
      stat: now((path) => {
        const node = this.#find(path);
        return node && { size: "bytes" in node ? node.bytes.length : 0, isFolder: "names" in node };
      }),
      truncate: now((fd, size) => truncate(this.#file(fd), size)),
      makePrivate: () => true,
      makeFolder: now((path) => void this.#makeFolder(path)),
      list: now((path) => {
        const node = this.#find(path);
        return node && "names" in node ? [...node.names.keys()] : [];
      }),
      rename: now((from, to) => this.#rename(from, to)),
      link: now((from, to) => this.#link(from, to)),
      remove: now((path) => this.#remove(path)),
      removeFolder: now((path) => this.#remove(path)),
      room: () => undefined,
    };
  }

  /** Makes all names so far durable. */
  settle(): void {
    for (const naming of this.#namings) naming.apply();
    this.#namings = [];
  }

  /** Power off, power on. */
  crash(): void {
    this.#life += 1;
    this.writesLeft = Infinity;
    this.#open.clear();
    // A folder loses its changes from some moment on.
    const lost = new Set<FolderNode>();
    for (const naming of this.#namings) {
      if (this.#chance() < 0.7 && !naming.folders.some((folder) => lost.has(folder))) naming.apply();
      else for (const folder of naming.folders) lost.add(folder);
    }
    this.#namings = [];
    this.#forget(this.#root);
  }

  /** All paths, for inspection. */
  paths(): string[] {
    const below = (node: Node, path: string): string[] =>
      "names" in node ? [...node.names].flatMap(([name, child]) => [`${path}/${name}`, ...below(child, `${path}/${name}`)]) : [];
    return below(this.#root, "");
  }

  /** The process dies but the machine lives: nothing written is lost. */
  kill(): void {
    this.#life += 1;
    this.writesLeft = Infinity;
    this.#open.clear();
  }

  #forget(node: Node): void {
    if ("names" in node) {
      node.names.clear();
      for (const [name, child] of node.syncedNames) node.names.set(name, child);
      for (const child of node.names.values()) this.#forget(child);
      return;
    }
    let bytes = node.synced;
    for (const { at, bytes: written } of node.unsynced) {
      if (!written) bytes = this.#chance() < 0.5 ? bytes : resized(bytes, at);
      else bytes = this.#partly(bytes, written, at);
    }
    node.bytes = node.synced = Uint8Array.from(bytes);
    node.unsynced = [];
  }

  /** Complete, missing, truncated at some byte, or by sectors. */
  #partly(before: Uint8Array, written: Uint8Array, at: number): Uint8Array {
    const fate = this.#chance();
    if (fate < 0.25) return before;
    if (fate < 0.5) return patched(before, written, at);
    if (fate < 0.75) return patched(before, written.subarray(0, Math.floor(this.#chance() * written.length)), at);
    let bytes = before;
    for (let from = 0; from < written.length;) {
      const to = Math.min(written.length, from + SECTOR - ((at + from) % SECTOR));
      if (this.#chance() < 0.5) bytes = patched(bytes, written.subarray(from, to), at + from);
      from = to;
    }
    return bytes;
  }

  #openFile(path: string, mustExist: boolean): number {
    const folder = this.#folder(dirname(path));
    let node = folder.names.get(basename(path));
    if (!node) {
      if (mustExist) throw failure("ENOENT");
      node = { bytes: new Uint8Array(), synced: new Uint8Array(), unsynced: [] };
      this.#name(folder, basename(path), node);
    }
    if ("names" in node) throw failure("EISDIR");
    const fd = this.#nextFd++;
    this.#open.set(fd, node);
    return fd;
  }

  #read(fd: number, into: Uint8Array, at: number): number {
    const bytes = this.#file(fd).bytes.subarray(at, at + into.length);
    into.set(bytes);
    return bytes.length;
  }

  #write(fd: number, bytes: Uint8Array, at: number): number {
    const file = this.#file(fd);
    file.unsynced.push({ at, bytes: Uint8Array.from(bytes) });
    file.bytes = patched(file.bytes, bytes, at);
    this.writesLeft -= 1;
    if (this.writesLeft <= 0) throw failure("EIO");
    return bytes.length;
  }

  #writeSynced(fd: number, bytes: Uint8Array, at: number): number {
    const written = this.#write(fd, bytes, at);
    sync(this.#file(fd));
    return written;
  }

  /** Syncing a folder includes all earlier changes in it; a rename takes the other folder along. */
  #syncFolder(folder: FolderNode): void {
    const written = new Set([folder]);
    const due = this.#namings.toReversed().filter((naming) => {
      const isOf = naming.folders.some((one) => written.has(one));
      if (isOf) for (const one of naming.folders) written.add(one);
      return isOf;
    });
    for (const naming of due.toReversed()) naming.apply();
    this.#namings = this.#namings.filter((naming) => !due.includes(naming));
  }

  #makeFolder(path: string): FolderNode {
    if (path === "/") return this.#root;
    const parent = this.#makeFolder(dirname(path));
    const known = parent.names.get(basename(path));
    if (known && "names" in known) return known;
    const made: FolderNode = { names: new Map(), syncedNames: new Map() };
    this.#name(parent, basename(path), made);
    return made;
  }

  #remove(path: string): void {
    const folder = this.#find(dirname(path));
    if (folder && "names" in folder) this.#name(folder, basename(path), undefined);
  }

  #rename(from: string, to: string): void {
    const [source, target] = [this.#folder(dirname(from)), this.#folder(dirname(to))];
    const node = source.names.get(basename(from));
    if (!node) throw failure("ENOENT");
    const known = target.names.get(basename(to));
    if (known && "names" in known && known.names.size > 0) throw failure("ENOTEMPTY");
    source.names.delete(basename(from));
    target.names.set(basename(to), node);
    const apply = () => {
      source.syncedNames.delete(basename(from));
      target.syncedNames.set(basename(to), node);
    };
    this.#namings.push({ folders: [source, target], apply });
  }

  #link(from: string, to: string): void {
    const node = this.#find(from);
    const folder = this.#folder(dirname(to));
    if (!node) throw failure("ENOENT");
    if (folder.names.has(basename(to))) throw failure("EEXIST");
    this.#name(folder, basename(to), node);
  }

  #name(folder: FolderNode, name: string, node: Node | undefined): void {
    const set = (names: Map<string, Node>) => (node ? names.set(name, node) : names.delete(name));
    set(folder.names);
    this.#namings.push({ folders: [folder], apply: () => set(folder.syncedNames) });
  }

  #file(fd: number): FileNode {
    const file = this.#open.get(fd);
    if (!file) throw failure("EBADF");
    return file;
  }

  #folder(path: string): FolderNode {
    const node = this.#find(path);
    if (!node) throw failure("ENOENT");
    if (!("names" in node)) throw failure("ENOTDIR");
    return node;
  }

  #find(path: string): Node | undefined {
    if (path === "/") return this.#root;
    const parent = this.#find(dirname(path));
    return parent && "names" in parent ? parent.names.get(basename(path)) : undefined;
  }
}

function sync(file: FileNode): void {
  file.synced = file.bytes;
  file.unsynced = [];
}

function truncate(file: FileNode, size: number): void {
  file.unsynced.push({ at: size, bytes: undefined });
  file.bytes = resized(file.bytes, size);
}

const resized = (bytes: Uint8Array, size: number): Uint8Array => {
  const result = new Uint8Array(size);
  result.set(bytes.subarray(0, size));
  return result;
};

const patched = (bytes: Uint8Array, written: Uint8Array, at: number): Uint8Array => {
  const result = resized(bytes, Math.max(bytes.length, at + written.length));
  result.set(written, at);
  return result;
};
