import { type BigIntStats, chmodSync, constants, copyFileSync, mkdirSync, readlinkSync, symlinkSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Changes, Scene } from "./changes.ts";
import { modeOf } from "./changes.ts";
import type { FileRow } from "./file-row.ts";
import { type Identity, identityAt, kindOf, statOf } from "../identity.ts";
import type { LayerFolder } from "../layer-folder.ts";
import type { Operation } from "../operation.ts";
import { fileKey } from "./made-by-agents.ts";
import type { Refuser } from "./refusals.ts";
import { removeTree, removeUnnamed } from "../remove-tree.ts";
import { type Entry, walk } from "../tree-walk.ts";

/** Setuid and setgid, which a file loses; a folder may keep them. */
const FILE_POWERS = 0o6000;

/** Turns changes into operations: what each puts where, and what was there. Refused changes are left out. */
export class Sealer {
  readonly operations: Operation[] = [];
  readonly rows: FileRow[] = [];
  readonly refused = new Set<string>();
  readonly conflicts = new Set<string>();
  /** Paths that must be durable before anything is reported. */
  readonly sources: { readonly path: string; readonly isFolder: boolean }[] = [];
  readonly #layer: LayerFolder;
  readonly #scene: Scene;
  readonly #isRefused: Refuser;
  #copies = 0;

  constructor(layer: LayerFolder, scene: Scene, isRefused: Refuser) {
    this.#layer = layer;
    this.#scene = scene;
    this.#isRefused = isRefused;
  }

  add({ changes, unnamed }: Changes): void {
    for (const path of unnamed) this.refused.add(path);
    for (const { path, before, after, isMeta } of changes) {
      if (isMeta && before && after) this.#meta(path, before, after);
      else if (after) this.#put(path, before, after);
      else if (before) this.#remove(path, before);
    }
    // Permissions last and inside out: a folder closed first couldn't be changed any more.
    const metas = this.operations.filter((one) => one.do === "meta").toSorted((one, other) => (one.path > other.path ? -1 : 1));
    this.operations.splice(0, Infinity, ...this.operations.filter((one) => one.do !== "meta"), ...metas);
  }

  #meta(path: string, before: BigIntStats, after: BigIntStats): void {
    const kind = kindOf(after);
    if (this.#isRefused(path, kind)) {
      this.refused.add(path);
      return;
    }
    this.#watch(path, before);
    const mode = this.#modeOf(path, after) & (kind === "file" ? ~FILE_POWERS : 0o7777);
    const identity: Identity = { kind, ino: String(before.ino), state: "", ctimeNs: "" };
    this.operations.push({
      do: "meta",
      path,
      mode,
      mtimeMs: kind === "file" ? timeOf(after) : undefined,
      before: identity,
      was: { mode: modeOf(before), mtimeMs: kind === "file" ? timeOf(before) : undefined },
    });
    if (modeOf(before) !== mode) this.#row({ path, kind: "mode", group: undefined, before: undefined, after: undefined });
  }

  #remove(path: string, before: BigIntStats): void {
    const kind = kindOf(before);
    const { lower } = this.#scene;
    if (this.#isRefused(path, kind)) {
      this.refused.add(path);
      return;
    }
    if (kind === "folder") {
      const { entries, leftOut } = walk(lower, path, this.#isRefused);
      if (leftOut.length > 0) {
        // Not as a whole: protected paths stay, with their parent folders.
        const kept = (folder: string) => leftOut.some((one) => one.startsWith(`${folder}/`));
        for (const one of leftOut) this.refused.add(one);
        for (const entry of entries)
          if (!(entry.kind === "folder" && kept(entry.path)) && kept(dirname(entry.path))) this.#remove(entry.path, entry.stat);
        return;
      }
      for (const entry of entries) this.#watch(entry.path, entry.stat);
      this.#rowsOf(entries, path, "deleted");
      if (entries.every((entry) => entry.kind === "folder"))
        this.#row({ path, kind: "deleted", group: path, before: undefined, after: undefined });
    } else {
      this.#watch(path, before);
      this.#row({ path, kind: "deleted", group: undefined, before: sizeOf(before), after: undefined });
    }
    const identity = identityAt(join(lower, path));
    if (identity) this.operations.push({ do: "remove", path, before: identity });
  }

  #put(path: string, before: BigIntStats | undefined, after: BigIntStats): void {
    const { lower, merged } = this.#scene;
    const kind = kindOf(after);
    const old = before?.isDirectory() ? walk(lower, path, this.#isRefused) : undefined;
    if (this.#isRefused(path, kind) || (before && this.#isRefused(path, kindOf(before))) || (old?.leftOut.length ?? 0) > 0) {
      this.refused.add(path);
      return;
    }
    if (before && !before.isDirectory()) this.#watch(path, before);
    for (const entry of old?.entries ?? []) this.#watch(entry.path, entry.stat);
    this.#rowsOf(old?.entries ?? [], path, "deleted");

    let source: string;
    if (kind === "folder") {
      if (before) this.#row({ path, kind: "deleted", group: undefined, before: sizeOf(before), after: undefined });
      const { entries, leftOut } = walk(merged, path, this.#isRefused);
      for (const one of leftOut) this.refused.add(one);
      source = this.#sourceOfFolder(path, after, entries, leftOut);
      this.#rowsOf(entries, path, "created");
      if (entries.every((entry) => entry.kind === "folder"))
        this.#row({ path, kind: "created", group: path, before: undefined, after: undefined });
    } else {
      source = this.#sourceOfFile(path, { path, kind, stat: after });
      // The link doesn't lead to the file's content.
      const isReplaced = before?.isFile() === true && kind === "link";
      if (isReplaced) this.#row({ path, kind: "deleted", group: undefined, before: sizeOf(before), after: undefined });
      const isEmptied = before?.isFile() === true && before.size > 0n && after.size === 0n;
      const how = !before || before.isDirectory() || isReplaced ? "created" : isEmptied ? "emptied" : "changed";
      this.#row({
        path,
        kind: how,
        group: undefined,
        before: before?.isDirectory() || isReplaced ? undefined : before && sizeOf(before),
        after: sizeOf(after),
      });
    }
    const place = join(this.#layer.path, source);
    const mode = kind === "link" ? undefined : this.#modeOf(path, after) & (kind === "file" ? ~FILE_POWERS : 0o7777);
    this.operations.push({
      do: "put",
      path,
      source,
      ino: String(statOf(place)?.ino),
      mode,
      before: before && identityAt(join(lower, path)),
    });
  }

  /** Already in the layer, or copied there from the merged view. */
  #sourceOfFile(path: string, entry: Entry): string {
    const own = this.#own(path);
    if (own !== undefined && statOf(join(this.#layer.path, own)) && kindOfAt(join(this.#layer.path, own)) === entry.kind) {
      if (entry.kind === "file") this.sources.push({ path: join(this.#layer.path, own), isFolder: false });
      this.sources.push({ path: dirname(join(this.#layer.path, own)), isFolder: true });
      return own;
    }
    return this.#copied((place) => this.#copy(entry, place));
  }

  #sourceOfFolder(path: string, stat: BigIntStats, entries: readonly Entry[], leftOut: readonly string[]): string {
    const own = this.#own(path);
    if (own !== undefined && this.#isComplete(path, entries, leftOut)) {
      for (const one of leftOut.flatMap((path) => this.#own(path) ?? [])) removeTree(join(this.#layer.path, one));
      for (const { path: inside, kind, stat: mode } of [{ path, kind: "folder", stat } as Entry, ...entries]) {
        const place = join(this.#layer.path, own, inside.slice(path.length));
        if (kind === "folder") removeUnnamed(place);
        const wanted = this.#modeOf(inside, mode) & (kind === "file" ? ~FILE_POWERS : 0o7777);
        if (kind !== "link" && inside !== path && wanted !== modeOf(mode)) chmodSync(place, wanted);
        if (kind !== "link") this.sources.push({ path: place, isFolder: kind === "folder" });
      }
      this.sources.push({ path: dirname(join(this.#layer.path, own)), isFolder: true });
      return own;
    }
    return this.#copied((place) => {
      mkdirSync(place, { mode: 0o700 });
      this.sources.push({ path: place, isFolder: true });
      for (const entry of entries) this.#copy(entry, join(place, entry.path.slice(path.length + 1)));
      // Permissions last: a closed folder couldn't be filled.
      for (const entry of entries.toReversed())
        if (entry.kind === "folder") chmodSync(join(place, entry.path.slice(path.length + 1)), this.#modeOf(entry.path, entry.stat));
    });
  }

  /** The command's own writes, relative to the layer's folder. */
  #own(path: string): string | undefined {
    return this.#scene.upper === undefined ? `merged/${path}` : statOf(join(this.#scene.upper, path)) ? `upper/${path}` : undefined;
  }

  /** Is everything that the merged view shows of this new folder in the layer itself? Not if the folder was moved. */
  #isComplete(path: string, entries: readonly Entry[], leftOut: readonly string[]): boolean {
    const { upper } = this.#scene;
    if (upper === undefined) return true;
    const left = new Set(leftOut);
    const own = walk(upper, path, (one) => left.has(one) || one.includes("\uFFFD")).entries;
    return own.length === entries.length && own.every((entry, at) => entry.path === entries[at]?.path && entry.kind === entries[at].kind);
  }

  #copied(fill: (place: string) => void): string {
    const source = `fresh/${this.#copies++}`;
    fill(join(this.#layer.path, source));
    this.sources.push({ path: this.#layer.fresh, isFolder: true });
    return source;
  }

  #copy({ path, kind, stat }: Entry, place: string): void {
    const from = join(this.#scene.merged, path);
    if (kind === "folder") mkdirSync(place, { mode: 0o700 });
    else if (kind === "link") symlinkSync(readlinkSync(from), place);
    else {
      copyFileSync(from, place, constants.COPYFILE_FICLONE);
      chmodSync(place, this.#modeOf(path, stat) & ~FILE_POWERS);
      utimesSync(place, Number(stat.mtimeMs) / 1000, Number(stat.mtimeMs) / 1000);
    }
    if (kind !== "link") this.sources.push({ path: place, isFolder: kind === "folder" });
  }

  #modeOf(path: string, stat: BigIntStats): number {
    return this.#scene.modes.get(path) ?? modeOf(stat);
  }

  /** A file that somebody changed while the command ran. */
  #watch(path: string, stat: BigIntStats): void {
    if (!stat.isDirectory() && stat.ctimeNs > this.#scene.sinceNs) this.conflicts.add(path);
  }

  #rowsOf(entries: readonly Entry[], group: string, kind: "created" | "deleted"): void {
    for (const entry of entries) {
      if (entry.kind === "folder") continue;
      const size = sizeOf(entry.stat);
      this.#row({
        path: entry.path,
        kind,
        group,
        before: kind === "deleted" ? size : undefined,
        after: kind === "created" ? size : undefined,
      });
    }
  }

  #row(row: FileRow): void {
    this.rows.push(row);
  }
}

const timeOf = (stat: BigIntStats): number => Number(stat.mtimeNs / 1000n) / 1000;

const kindOfAt = (place: string) => {
  const stat = statOf(place);
  return stat && kindOf(stat);
};

const sizeOf = (stat: BigIntStats): NonNullable<FileRow["before"]> => ({
  bytes: Number(stat.size),
  isLink: !stat.isFile(),
  key: fileKey(stat),
  bornNs: stat.birthtimeNs,
});
