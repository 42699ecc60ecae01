import { attempt, type Disk, writeOne } from "@colloquy/store-file";
import type { Chance } from "./chance.ts";
import type { Life, Schedule } from "./schedule.ts";

/** A change of a file since its last sync. */
interface Change {
  readonly at: number;
  /** Absent: the file was truncated or extended at `at`. */
  readonly bytes: Uint8Array | undefined;
  readonly before: Uint8Array;
  readonly sizeBefore: number;
  /** `lost`: a sync of it failed. It stays visible while the machine runs, and no later sync saves it. */
  fate: "open" | "durable" | "lost";
}

class FileNode {
  bytes = new Uint8Array(256);
  size = 0;
  changes: Change[] = [];
  changedMs = 0;

  write(bytes: Uint8Array, at: number, fate: Change["fate"]): void {
    const end = at + bytes.length;
    // A durable change needs no memory of the previous content, unless an older change isn't durable.
    if (fate !== "durable" || this.changes.length > 0)
      this.changes.push({ at, bytes: bytes.slice(), before: this.bytes.slice(at, Math.min(end, this.size)), sizeBefore: this.size, fate });
    this.#put(bytes, at);
  }

  resize(size: number): void {
    this.changes.push({ at: size, bytes: undefined, before: this.bytes.slice(size, this.size), sizeBefore: this.size, fate: "open" });
    this.#resize(size);
  }

  /** What a power cut leaves: everything synced, and a random part of the rest. */
  forget(chance: Chance): void {
    const changes = this.changes;
    this.changes = [];
    for (const { at, before, sizeBefore } of changes.toReversed()) {
      this.#resize(sizeBefore);
      this.bytes.set(before, at);
    }
    for (const change of changes) if (change.fate !== "lost") this.#redo(change, change.fate === "durable" ? 1 : chance.next(), chance);
  }

  /** Nothing, a prefix, some sectors, or all of it. */
  #redo({ at, bytes }: Change, share: number, chance: Chance): void {
    if (share < 0.25) return;
    if (!bytes) return this.#resize(at);
    if (share > 0.75) return this.#put(bytes, at);
    if (share < 0.5) return this.#put(bytes.subarray(0, chance.below(bytes.length)), at);
    for (let from = 0; from < bytes.length;) {
      const to = Math.min(bytes.length, from + SECTOR_BYTES - ((at + from) % SECTOR_BYTES));
      if (chance.is(0.5)) this.#put(bytes.subarray(from, to), at + from);
      from = to;
    }
  }

  #put(bytes: Uint8Array, at: number): void {
    if (at + bytes.length > this.size) this.#resize(at + bytes.length);
    this.bytes.set(bytes, at);
  }

  #resize(size: number): void {
    if (size > this.bytes.length) {
      const larger = new Uint8Array(Math.max(size, this.bytes.length * 2));
      larger.set(this.bytes);
      this.bytes = larger;
    }
    if (size < this.size) this.bytes.fill(0, size, this.size);
    this.size = size;
  }
}

class FolderNode {
  changedMs = 0;
  readonly names = new Map<string, DiskNode>();
  readonly syncedNames = new Map<string, DiskNode>();
}

type DiskNode = FileNode | FolderNode;

/** A change of names, which a power cut undoes unless one of its folders was synced. */
interface Naming {
  readonly folders: readonly FolderNode[];
  readonly apply: () => void;
}

const SECTOR_BYTES = 512;
/** The resolution of file times. */
const GRAIN_MS = 4;

/** What can fail while the machine runs. */
export interface Troubles {
  /** Disk full: nothing can grow. */
  isFull: boolean;
  /** This many of the next syncs fail. */
  failingSyncs: number;
  /** Syncs take this much longer. */
  slowMs: number;
  /** The process or the machine dies in the middle of the write that brings this to zero. */
  writesLeft: number;
  /** Syncs report success without syncing. Colloquy can't work with such a disk: this tests that the checks notice. */
  lies: boolean;
}

/** A disk that keeps everything synced and, on a power cut, as much or as little of the rest as a real one may. */
export class SimulatedDisk {
  readonly troubles: Troubles = { isFull: false, failingSyncs: 0, slowMs: 0, writesLeft: Infinity, lies: false };
  readonly #schedule: Schedule;
  readonly #chance: Chance;
  readonly #root = new FolderNode();
  #namings: Naming[] = [];
  #nextFd = 3;
  #open = new Map<number, FileNode>();
  /** Called when a write is the last one. */
  onDoom: () => void = () => undefined;

  constructor(schedule: Schedule, chance: Chance) {
    this.#schedule = schedule;
    this.#chance = chance;
  }

  get openFiles(): number {
    return this.#open.size;
  }

  /** Treats all names so far as durable. */
  settle(): void {
    for (const { apply } of this.#namings) apply();
    this.#namings = [];
  }

  /** The process is gone, the machine runs on. */
  kill(): void {
    this.#open = new Map();
    this.troubles.writesLeft = Infinity;
  }

  /** Power off, power on. */
  cut(): void {
    this.kill();
    // A folder loses its changes from some moment on.
    const lost = new Set<FolderNode>();
    for (const { folders, apply } of this.#namings) {
      if (this.#chance.is(0.7) && !folders.some((folder) => lost.has(folder))) apply();
      else for (const folder of folders) lost.add(folder);
    }
    this.#namings = [];
    this.#forget(this.#root);
  }

  /** Whole files by path, as readable now. */
  files(under = "/"): Map<string, Uint8Array> {
    const found = new Map<string, Uint8Array>();
    const walk = (node: DiskNode | undefined, path: string): void => {
      if (node instanceof FileNode) found.set(path, node.bytes.subarray(0, node.size));
      else for (const [name, child] of node?.names ?? []) walk(child, `${path === "/" ? "" : path}/${name}`);
    };
    walk(this.#find(under), under);
    return found;
  }

  /** A whole file, as readable now. */
  text(path: string): string | undefined {
    const node = this.#find(path);
    return node instanceof FileNode ? Buffer.from(node.bytes.subarray(0, node.size)).toString() : undefined;
  }

  changedMs(path: string): number {
    return this.#find(path)?.changedMs ?? 0;
  }

  /** The disk as a process sees it. A dead process changes and learns nothing more. */
  mount(life: Life): Disk {
    const isGone = () => life.isOver || this.troubles.writesLeft <= 0;
    const later = <Value>(begin: () => () => Value): Promise<Value> =>
      new Promise((resolve, reject) => {
        if (isGone()) return;
        let end: () => Value;
        try {
          end = begin();
        } catch (error) {
          return reject(error);
        }
        this.#schedule.after(life, this.#chance.wait(0.02, 3) + this.troubles.slowMs * this.#chance.next(), () => {
          if (isGone()) return;
          try {
            resolve(end());
          } catch (error) {
            reject(error);
          }
        });
      });
    const change =
      <Args extends unknown[]>(work: (...args: Args) => void) =>
      (...args: Args): void => {
        if (!isGone()) work(...args);
      };
    const remove = change((path: string) => {
      if (!this.#find(path)) return;
      const [folder, name] = this.#place(path);
      this.#name(folder, name, undefined);
    });
    const mounted: Disk = {
      open: (path, how) => this.#openFile(path, how === "read" || isGone()),
      close: (fd) => void this.#open.delete(fd),
      read: (fd, into, at) => this.#read(fd, into, at),
      readAsync: (fd, into, at) => later(() => () => this.#read(fd, into, at)),
      write: (fd, bytes, at) => (isGone() ? bytes.length : this.#write(this.#file(fd), bytes, at, "open")),
      writeSynced: (fd, bytes, at) => {
        if (isGone()) return bytes.length;
        this.#schedule.block(this.#chance.wait(0.01, 2) + this.troubles.slowMs * this.#chance.next());
        this.#failSync(this.#file(fd), () => this.#write(this.#file(fd), bytes, at, "open"));
        return this.#write(this.#file(fd), bytes, at, this.troubles.lies ? "open" : "durable");
      },
      writeSyncedAsync: (fd, bytes, at) =>
        later(() => {
          const file = this.#file(fd);
          const written = this.#write(file, bytes, at, "open");
          const mine = file.changes.slice(-1);
          return () => {
            this.#failSync(file, () => undefined);
            this.#settled(file, mine);
            return written;
          };
        }),
      sync: (fd) =>
        later(() => {
          const file = this.#file(fd);
          const covered = [...file.changes];
          return () => {
            this.#failSync(file, () => undefined);
            this.#settled(file, covered);
          };
        }),
      syncFolder: (path) =>
        later(() => {
          const folder = this.#folder(path); // it may move while it is being synced
          const before = new Set(this.#namings);
          return () => this.#syncFolder(folder, before);
        }),
      syncAll: async () => false,
      stat: (path) => {
        const node = this.#find(path);
        return node && { size: node instanceof FileNode ? node.size : 0, isFolder: node instanceof FolderNode };
      },
      truncate: change((fd, size) => {
        if (this.troubles.isFull && size > this.#file(fd).size) throw failure("ENOSPC");
        this.#file(fd).resize(size);
        this.#touch(this.#file(fd));
      }),
      makeFolder: change((path) => void this.#makeFolder(path)),
      makePrivate: () => true,
      list: (path) => {
        const node = this.#find(path);
        return node instanceof FolderNode ? [...node.names.keys()] : [];
      },
      rename: change((from, to) => this.#rename(from, to)),
      link: change((from, to) => {
        const node = this.#find(from);
        const [folder, name] = this.#place(to);
        if (!node) throw failure("ENOENT");
        if (folder.names.has(name)) throw failure("EEXIST");
        this.#name(folder, name, node);
      }),
      remove,
      removeFolder: remove,
      // Runs in a thread: others come in between, and so may the end.
      writeMany: async (writings) => {
        const failures: unknown[] = [];
        for (const writing of writings) failures.push(await later(() => () => attempt(() => writeOne(mounted, writing))));
        return failures;
      },
      room: () => (this.troubles.isFull ? 0 : undefined),
    };
    return mounted;
  }

  #write(file: FileNode, bytes: Uint8Array, at: number, fate: Change["fate"]): number {
    let taken = bytes;
    if (this.troubles.isFull && at + bytes.length > file.size) {
      taken = bytes.subarray(0, Math.max(0, file.size - at));
      if (taken.length === 0) throw failure("ENOSPC");
    }
    this.troubles.writesLeft -= 1;
    this.#touch(file);
    if (this.troubles.writesLeft > 0) file.write(taken, at, fate);
    else {
      // It was in flight when the process ended.
      file.write(taken.subarray(0, this.#chance.below(taken.length + 1)), at, "open");
      this.onDoom();
    }
    return taken.length;
  }

  /** Linux marks pages clean after a failed write: the content is visible while the machine runs, and no longer. */
  #failSync(file: FileNode, doHalf: () => void): void {
    if (this.troubles.failingSyncs <= 0) return;
    this.troubles.failingSyncs -= 1;
    doHalf();
    for (const one of file.changes) if (one.fate === "open") one.fate = "lost";
    throw failure("EIO");
  }

  #settled(file: FileNode, changes: readonly Change[]): void {
    if (this.troubles.lies) return;
    for (const one of changes) if (one.fate === "open") one.fate = "durable";
    if (file.changes.every(({ fate }) => fate === "durable")) file.changes = [];
  }

  #forget(node: DiskNode): void {
    if (node instanceof FileNode) return node.forget(this.#chance);
    node.names.clear();
    for (const [name, child] of node.syncedNames) node.names.set(name, child);
    for (const child of node.names.values()) this.#forget(child);
  }

  #openFile(path: string, mustExist: boolean): number {
    const [folder, name] = this.#place(path);
    let node = folder.names.get(name);
    if (!node) {
      if (mustExist) throw failure("ENOENT");
      if (this.troubles.isFull) throw failure("ENOSPC");
      this.#name(folder, name, (node = new FileNode()));
    }
    if (node instanceof FolderNode) throw failure("EISDIR");
    const fd = this.#nextFd++;
    this.#open.set(fd, node);
    return fd;
  }

  #read(fd: number, into: Uint8Array, at: number): number {
    const file = this.#file(fd);
    const bytes = file.bytes.subarray(Math.min(at, file.size), Math.min(at + into.length, file.size));
    into.set(bytes);
    return bytes.length;
  }

  /** Syncing a folder writes all earlier changes in it; a move includes the other folder. */
  #syncFolder(folder: FolderNode, before: ReadonlySet<Naming>): void {
    if (this.troubles.lies) return;
    const written = new Set([folder]);
    const due = new Set<Naming>();
    for (const naming of this.#namings.toReversed()) {
      if (!before.has(naming) || !naming.folders.some((one) => written.has(one))) continue;
      due.add(naming);
      for (const one of naming.folders) written.add(one);
    }
    for (const naming of this.#namings) if (due.has(naming)) naming.apply();
    this.#namings = this.#namings.filter((naming) => !due.has(naming));
  }

  #makeFolder(path: string): FolderNode {
    let folder = this.#root;
    for (const name of path.split("/")) {
      if (name === "") continue;
      const known = folder.names.get(name);
      if (known instanceof FileNode) throw failure("ENOTDIR");
      if (!known && this.troubles.isFull) throw failure("ENOSPC");
      const made = known ?? new FolderNode();
      if (!known) this.#name(folder, name, made);
      folder = made;
    }
    return folder;
  }

  #rename(from: string, to: string): void {
    const [source, oldName] = this.#place(from);
    const [target, newName] = this.#place(to);
    const node = source.names.get(oldName);
    if (!node) throw failure("ENOENT");
    const known = target.names.get(newName);
    if (known instanceof FolderNode && known.names.size > 0) throw failure("ENOTEMPTY");
    source.names.delete(oldName);
    target.names.set(newName, node);
    this.#touch(source);
    this.#touch(target);
    const apply = () => {
      source.syncedNames.delete(oldName);
      target.syncedNames.set(newName, node);
    };
    this.#namings.push({ folders: [source, target], apply });
  }

  #name(folder: FolderNode, name: string, node: DiskNode | undefined): void {
    const set = (names: Map<string, DiskNode>) => (node ? names.set(name, node) : names.delete(name));
    set(folder.names);
    this.#touch(folder);
    this.#namings.push({ folders: [folder], apply: () => set(folder.syncedNames) });
  }

  #touch(node: DiskNode): void {
    node.changedMs = Math.floor(this.#schedule.nowMs / GRAIN_MS) * GRAIN_MS;
  }

  #file(fd: number): FileNode {
    const file = this.#open.get(fd);
    if (!file) throw failure("EBADF");
    return file;
  }

  #place(path: string): [FolderNode, string] {
    const cut = path.lastIndexOf("/");
    return [this.#folder(path.slice(0, cut) || "/"), path.slice(cut + 1)];
  }

  #folder(path: string): FolderNode {
    const node = this.#find(path);
    if (!node) throw failure("ENOENT");
    if (node instanceof FileNode) throw failure("ENOTDIR");
    return node;
  }

  #find(path: string): DiskNode | undefined {
    let node: DiskNode | undefined = this.#root;
    for (const name of path.split("/")) if (name !== "") node = node instanceof FolderNode ? node.names.get(name) : undefined;
    return node;
  }
}

const failure = (code: string): Error => Object.assign(new Error(`${code}: simulated`), { code });
