import { accessSync, chmodSync, constants, existsSync, linkSync, readFileSync, renameSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Applied } from "../../calls/tool.ts";
import { gitJudge } from "../../tools/protected/git-shape.ts";
import { isHidden, isReadOnly } from "../../tools/files/hidden.ts";
import { OpenFolder } from "../../tools/files/open-at.ts";
import { ownGitFolders } from "../../tools/protected/own-git.ts";
import { printable } from "../../tools/files/listing.ts";
import { syncAll, writeDurable } from "../durable.ts";
import { identityAt, isSame, isSameContent, statOf } from "../identity.ts";
import type { LayerFolder } from "../layer-folder.ts";
import type { Manifest, Operation } from "../operation.ts";
import { removeTree } from "../remove-tree.ts";

/** Called before each step that a crash could come before. For tests. */
export type OnStep = (step: string) => void;

/**
 * Applies a sealed layer: all of it, or none where something was changed meanwhile. Killed at any point, it is finished by calling
 * it again: until `applying` is there nothing has happened, and from then on each operation is done once, told by looking.
 */
export function applyLayer(layer: LayerFolder, onStep: OnStep = () => {}): Applied {
  if (existsSync(layer.applied)) return { conflicts: [], notes: notesIn(layer) };
  const manifest = manifestOf(layer);
  if (!manifest) throw new Error("What the command did is not there any more, so nothing was applied.");
  const isResumed = existsSync(layer.applying);
  if (!isResumed) {
    const conflicts = conflictsOf(layer, manifest);
    if (conflicts.length > 0) return { conflicts, notes: [] };
    onStep("marker");
    writeDurable(layer.applying, "");
  }
  const left: string[] = [];
  for (const [at, operation] of manifest.operations.entries()) {
    onStep(`${at} ${operation.do} ${operation.path}`);
    if (!perform(layer, operation, at, isResumed, onStep)) left.push(operation.path);
  }
  onStep("sync");
  const folders = new Set(manifest.operations.flatMap(({ path }) => existingParent(layer.root, path)));
  syncAll(
    [...folders, layer.before].map((path) => ({ path, isFolder: true })),
    layer.root,
  );
  onStep("applied");
  writeDurable(layer.applied, JSON.stringify({ notes: notesOf(layer, left) } satisfies AppliedMark));
  onStep("clean up");
  cleanUp(layer);
  return { conflicts: [], notes: notesIn(layer) };
}

/** What only applying needed. `before` stays, for undo. */
function cleanUp(layer: LayerFolder): void {
  for (const name of ["upper", "work", "reading", "merged", "fresh"]) removeTree(join(layer.path, name));
}

/** A folder may bring a manifest along that we never wrote: nothing leads out of the layer or the project, nor to a closed name. */
function manifestOf(layer: LayerFolder): Manifest | undefined {
  if (!existsSync(layer.manifest)) return undefined;
  const manifest = JSON.parse(readFileSync(layer.manifest, "utf8")) as Manifest;
  const isClosed = closedTo(layer.root);
  for (const operation of manifest.operations) {
    const { path } = operation;
    if (!isInside(path) || isClosed(path))
      throw new Error(`The layer ${layer.callId} is none of ours: it would change "${printable(path)}".`);
    if (operation.do === "put" && (!isInside(operation.source) || !/^(?:upper|merged|fresh)\//.test(operation.source)))
      throw new Error(`The layer ${layer.callId} is none of ours: it would take "${printable(operation.source)}".`);
  }
  return manifest;
}

const isInside = (path: string): boolean => path !== "" && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");

function closedTo(root: string): (path: string) => boolean {
  const gitVerdict = gitJudge({ has: (path) => statOf(join(root, path)) !== undefined, own: ownGitFolders(root) });
  const isInGit = (path: string) => path.split("/").some((part) => part.toLowerCase() === ".git");
  return (path) => isHidden(path) || gitVerdict(path) === "closed" || (isReadOnly(path) && !isInGit(path));
}

interface AppliedMark {
  readonly notes: readonly string[];
}

const notesIn = (layer: LayerFolder): readonly string[] => (JSON.parse(readFileSync(layer.applied, "utf8")) as AppliedMark).notes;

function notesOf(layer: LayerFolder, left: readonly string[]): readonly string[] {
  if (left.length === 0) return [];
  const names = left.slice(0, 20).map(printable).join(", ") + (left.length > 20 ? `, and ${left.length - 20} more` : "");
  return [
    `Somebody changed ${names} while this was being applied. Their version stays; the command's is in .dialogs/refused/${layer.callId}/.`,
  ];
}

/** What is not as it was when the command ran, and what we may not change. */
function conflictsOf(layer: LayerFolder, { conflicts, operations }: Manifest): readonly string[] {
  const found = new Set(conflicts);
  for (const operation of operations) if (!isUnchanged(layer.root, operation)) found.add(operation.path);
  return [...found].toSorted();
}

function isUnchanged(root: string, operation: Operation): boolean {
  const { path, before } = operation;
  try {
    return OpenFolder.with(root, folderOf(path), (folder) => {
      if (operation.do === "meta") return String(statOf(folder.at(nameOf(path)))?.ino) === operation.before.ino;
      accessSync(folder.at("."), constants.W_OK | constants.X_OK);
      return isSame(identityAt(folder.at(nameOf(path))), before);
    });
  } catch {
    return false; // Its folder is gone, leads elsewhere, or is closed to us.
  }
}

/** Gives false where a person's version stays. */
function perform(layer: LayerFolder, operation: Operation, at: number, isResumed: boolean, onStep: OnStep): boolean {
  try {
    return OpenFolder.with(layer.root, folderOf(operation.path), (folder) => performIn(layer, folder, operation, at, isResumed, onStep));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Its folder went away after a crash; before one, it was there a moment ago.
    if (!isResumed || (code !== "ENOENT" && code !== "ENOTDIR" && code !== undefined)) throw error;
    return setAside(layer, operation);
  }
}

function performIn(layer: LayerFolder, folder: OpenFolder, operation: Operation, at: number, isResumed: boolean, onStep: OnStep): boolean {
  const target = folder.at(nameOf(operation.path));
  if (operation.do === "meta") {
    if (String(statOf(target)?.ino) !== operation.before.ino) return true;
    setMeta(target, operation.mode, operation.mtimeMs);
    return true;
  }
  const kept = join(layer.before, String(at));
  // A folder was looked through a moment ago; a file is looked at once more.
  const found = isResumed || operation.before?.kind !== "folder" ? identityAt(target) : operation.before;
  if (operation.do === "remove") {
    if (found === undefined) return true;
    if (!isSameContent(found, operation.before)) return false;
    renameSync(target, kept);
    return true;
  }
  const source = join(layer.path, operation.source);
  if (isResumed && statOf(source) === undefined) {
    // In its place already; or a person has replaced it since.
    if (found?.ino === operation.ino && operation.mode !== undefined) setMode(target, operation.mode);
    return true;
  }
  const isMovedAway = found === undefined && operation.before !== undefined && statOf(kept) !== undefined;
  if (!isMovedAway && !isSameContent(found, operation.before)) return setAside(layer, operation);
  if (found !== undefined && statOf(kept) === undefined)
    keep(target, kept, found.kind === "folder" || statOf(source)?.isDirectory() === true);
  onStep(`${at} between ${operation.path}`);
  renameSync(source, target);
  if (operation.mode !== undefined) setMode(target, operation.mode);
  return true;
}

/** A file by a second name, so that its place is never empty; where a folder is involved, by moving it. */
function keep(target: string, kept: string, isMoved: boolean): void {
  if (!isMoved) {
    try {
      linkSync(target, kept);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Not every file system has links, and not every file may be linked.
      if (code !== "EPERM" && code !== "EMLINK" && code !== "EACCES" && code !== "ENOTSUP") throw error;
    }
  }
  renameSync(target, kept);
}

/** A link would lead elsewhere, and so would another name of the same file. */
function setMode(target: string, mode: number): boolean {
  const stat = statOf(target);
  if (stat === undefined || stat.isSymbolicLink() || (stat.isFile() && stat.nlink > 1n)) return false;
  chmodSync(target, mode);
  return true;
}

function setMeta(target: string, mode: number, mtimeMs: number | undefined): void {
  if (!setMode(target, mode)) return;
  if (mtimeMs !== undefined) utimesSync(target, mtimeMs / 1000, mtimeMs / 1000);
}

/** Keeps the command's version for people. */
function setAside(layer: LayerFolder, operation: Operation): false {
  if (operation.do !== "put" || statOf(join(layer.path, operation.source)) === undefined) return false;
  const name = encodeURIComponent(operation.path.toWellFormed()).slice(-200);
  OpenFolder.with(layer.root, `.dialogs/refused/${layer.callId}`, (to) => renameSync(join(layer.path, operation.source), to.at(name)), {
    makes: true,
  });
  return false;
}

function existingParent(root: string, path: string): readonly string[] {
  const place = join(root, folderOf(path));
  return statOf(place)?.isDirectory() ? [place] : [];
}

const folderOf = (path: string): string => (path.includes("/") ? dirname(path) : "");
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
