import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "./remove-tree.ts";

/** Colloquy keeps everything about layers in this folder of the project. */
const LAYERS = ".dialogs/layers";
/** Ids of calls, and those of tests. */
const CALL = /^(?:[0-9a-f]{32}|call-[\w-]{1,100})$/;

/**
 * The folder of one call's layer, `.dialogs/layers/<call>/`. It is on the project's own file system, so applying is renaming.
 *
 * - `upper`, `work`, `merged`: of overlayfs; `merged` is where it is mounted, or the copy itself where there is no overlay
 * - `fresh`: files that were taken out of the merged view
 * - `before`: what was replaced and removed, for undo
 * - `layer.json`: the operations. With it the layer is sealed; without it, the command never ended
 * - `applying`, `applied`: how far applying has come
 * - `undo.json`, `undoing`, `undone`, `after`: the same for undoing; `after` holds what the undo replaces and removes
 */
export class LayerFolder {
  readonly root: string;
  readonly callId: string;
  readonly path: string;

  /** `root`: the project's folder, a real path. */
  constructor(root: string, callId: string) {
    if (!/^[\w-]{1,200}$/.test(callId)) throw new Error(`"${callId}" cannot name a layer.`);
    this.root = root;
    this.callId = callId;
    this.path = join(root, LAYERS, callId);
  }

  /** The layers of a project, by call. */
  static in(root: string): readonly LayerFolder[] {
    // A link would lead to somebody's files, and anything there that looks like an old layer would be removed.
    if (LayerFolder.problemAt(root) !== undefined || !isFolder(join(root, LAYERS))) return [];
    return readdirSync(join(root, LAYERS), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && CALL.test(entry.name))
      .map(({ name }) => new LayerFolder(root, name));
  }

  get upper(): string {
    return join(this.path, "upper");
  }
  get merged(): string {
    return join(this.path, "merged");
  }
  get fresh(): string {
    return join(this.path, "fresh");
  }
  get before(): string {
    return join(this.path, "before");
  }
  get manifest(): string {
    return join(this.path, "layer.json");
  }
  /** Its size, once it is sealed. */
  get size(): string {
    return join(this.path, "size");
  }
  /** The folders of a copy when it was made. */
  get copied(): string {
    return join(this.path, "copied");
  }
  get applying(): string {
    return join(this.path, "applying");
  }
  get applied(): string {
    return join(this.path, "applied");
  }

  get undoManifest(): string {
    return join(this.path, "undo.json");
  }
  get undoing(): string {
    return join(this.path, "undoing");
  }
  get undone(): string {
    return join(this.path, "undone");
  }
  get after(): string {
    return join(this.path, "after");
  }

  /** A process died while undoing the layer. */
  get isBeingUndone(): boolean {
    return existsSync(this.undoing) && !existsSync(this.undone);
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  /** Clears whatever an earlier process left. Returns when it was made, by the file system's clock. */
  make(): bigint {
    this.#assertReal();
    this.remove();
    const { mode, uid, gid } = lstatSync(this.root);
    mkdirSync(join(this.root, LAYERS), { recursive: true, mode: 0o700 });
    chmodSync(join(this.root, LAYERS), 0o700);
    mkdirSync(this.path, { mode: 0o700 });
    for (const name of ["upper", "work", "reading", "merged", "fresh", "before"]) mkdirSync(join(this.path, name), { mode: 0o700 });
    // The command finds the project's folder with its own owner and permissions.
    chmodSync(this.upper, mode & 0o7777);
    if (process.getuid?.() === 0) chownSync(this.upper, uid, gid);
    return lstatSync(this.path, { bigint: true }).ctimeNs;
  }

  remove(): void {
    this.#assertReal();
    removeTree(this.path);
    // A project without dialogs keeps none of our folders.
    removeIfEmpty(join(this.root, LAYERS));
    removeIfEmpty(join(this.root, ".dialogs"));
  }

  #assertReal(): void {
    const problem = LayerFolder.problemAt(this.root);
    if (problem !== undefined) throw new Error(`No layer can be kept here: ${problem}.`);
  }

  /** Why no layer can be kept here, if so. */
  static problemAt(root: string): string | undefined {
    const dialogs = join(root, ".dialogs");
    for (const folder of [".dialogs", LAYERS])
      if (lstatSync(join(root, folder), { throwIfNoEntry: false }) && !isFolder(join(root, folder))) return `\`${folder}\` is no folder`;
    if (!existsSync(dialogs)) return undefined;
    return lstatSync(dialogs).dev === lstatSync(root).dev ? undefined : "`.dialogs` is on another file system";
  }
}

const isFolder = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false })?.isDirectory() === true;

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "ENOENT" && code !== "ENOTDIR") throw error;
  }
}
