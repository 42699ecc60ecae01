import { accessSync, chmodSync, constants, existsSync, linkSync, readFileSync, renameSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Applied } from "../../calls/tool.ts";
import { gitJudge } from "../../tools/protected/git-shape.ts";
import { isHidden, isReadOnly } from "../../tools/files/hidden.ts";
import { OpenFolder } from "../../tools/files/open-at.ts";
import { ownGitFolders } from "../../tools/protected/own-git.ts";
import { printable } from "../../tools/files/listing.ts";
import { syncAll, writeDurable } from "../durable.ts";
import { indexEntries, isOwnIndex, orRefreshed } from "../git-index-entries.ts";
import { contentIdentityAt, type Identity, identityAt, isSame, isSameContent, type Look, statOf } from "../identity.ts";
import { applying, type BegunMark, type DoneMark, doneMark, type Journal } from "./journal.ts";
import type { LayerFolder } from "../layer-folder.ts";
import type { Manifest, Operation } from "../operation.ts";
import { programsIn } from "./programs-in.ts";
import { removeTree } from "../remove-tree.ts";

/** Called before each step that a crash could precede. For tests. */
export type OnStep = (step: string) => void;

/**
 * Applies a sealed layer: all of it, or nothing if a path was changed meanwhile. If the process is killed, call it again to finish:
 * before `applying` exists nothing has happened; after that each operation happens once, and looking at the disk tells whether it has.
 * `programs`: paths that we run by now, which the command may have been allowed to write.
 */
export function applyLayer(layer: LayerFolder, onStep: OnStep = () => {}, programs: readonly string[] = []): Applied {
  acceptRefresh(layer);
  const applied = perform(applying(layer), onStep, programs);
  if (applied.conflicts.length > 0) return applied;
  onStep("clean up");
  cleanUp(layer);
  return applied;
}

/** Git rewrites its index whenever somebody runs `git status`. Nothing has started yet, so the manifest may still be updated. */
function acceptRefresh(layer: LayerFolder): void {
  const journal = applying(layer);
  if (existsSync(journal.begun) || existsSync(journal.done)) return;
  const manifest = manifestOf(journal);
  if (!manifest) return;
  const operations = manifest.operations.map((operation) =>
    operation.do === "put" && operation.before?.entries !== undefined
      ? { ...operation, before: orRefreshed(layer.root, operation.path, operation.before, identityAt) }
      : operation,
  );
  const isOther = operations.some(({ before }, at) => !isSame(before, manifest.operations[at]?.before));
  if (isOther) writeDurable(layer.manifest, JSON.stringify({ ...manifest, operations } satisfies Manifest));
}

/**
 * Performs all operations of a journal, or none if there are conflicts. After a crash it finishes the rest. A version that somebody
 * writes meanwhile stays.
 */
export function perform(journal: Journal, onStep: OnStep, programs: readonly string[] = []): Applied {
  const { layer, begun, done } = journal;
  if (existsSync(done)) return { conflicts: [], notes: doneMark(journal).notes };
  const manifest = manifestOf(journal);
  if (!manifest) throw new Error("The command's layer is gone, so nothing was applied.");
  const isResumed = existsSync(begun);
  const inGit = closedByGit(layer.root, manifest);
  if (isResumed && inGit.length > 0) throw notOurs(layer, "change", inGit[0]);
  if (!isResumed) {
    const conflicts = conflictsOf(journal, manifest, [...inGit, ...programsIn(layer, manifest, programs)]);
    if (conflicts.length > 0) return { conflicts, notes: [] };
    onStep("marker");
    writeDurable(begun, JSON.stringify({ states: statesOf(layer, manifest) } satisfies BegunMark));
  }
  const pass: Pass = { journal, isResumed, onStep };
  const refused = new Set<Operation>();
  for (const [at, operation] of manifest.operations.entries()) {
    onStep(`${at} ${operation.do} ${operation.path}`);
    if (!performOne(pass, operation, at)) refused.add(operation);
  }
  onStep("sync");
  const folders = new Set(manifest.operations.flatMap(({ path }) => existingParent(layer.root, path)));
  syncAll(
    [...folders, journal.kept].map((path) => ({ path, isFolder: true })),
    layer.root,
  );
  onStep(journal.isUndo ? "undone" : "applied");
  const notes = notesOf(
    journal,
    [...refused].map(({ path }) => path),
  );
  const left = journal.isUndo ? undefined : leftBy(journal, manifest, refused);
  writeDurable(done, JSON.stringify({ notes, ...(left && { left }) } satisfies DoneMark));
  return { conflicts: [], notes };
}

interface Pass {
  readonly journal: Journal;
  readonly isResumed: boolean;
  readonly onStep: OnStep;
}

const statesOf = ({ path }: LayerFolder, { operations }: Manifest): BegunMark["states"] =>
  operations.map((one) => (one.do === "put" ? contentIdentityAt(join(path, one.source))?.state : undefined));

/** What is there now, so that undo recognizes it. */
function leftBy({ layer, begun }: Journal, { operations }: Manifest, refused: ReadonlySet<Operation>): NonNullable<DoneMark["left"]> {
  // Empty if an older version started it, which recorded nothing.
  const text = readFileSync(begun, "utf8");
  const { states } = (text === "" ? { states: [] } : JSON.parse(text)) as BegunMark;
  return operations.map((operation, at) => {
    if (refused.has(operation)) return null;
    const found = lookAt(layer.root, operation.path, contentIdentityAt);
    if (operation.do === "remove") return found === undefined ? "nothing" : null;
    if (operation.do === "meta") return found?.ino === operation.before.ino ? found : null;
    if (found?.ino !== operation.ino || found.state !== states[at]) return null;
    return isOwnIndex(layer.root, operation.path) ? { ...found, entries: indexEntries(join(layer.root, operation.path)) } : found;
  });
}

function lookAt(root: string, path: string, look: Look): Identity | undefined {
  try {
    return OpenFolder.with(root, folderOf(path), (folder) => look(folder.at(nameOf(path))));
  } catch {
    return undefined; // Its folder is gone, or is a link.
  }
}

/** Removes what only applying needed. `before` stays, for undo. */
function cleanUp(layer: LayerFolder): void {
  for (const name of ["upper", "work", "reading", "merged", "fresh"]) removeTree(join(layer.path, name));
}

/** A folder may contain a manifest that we never wrote: nothing may lead out of the layer or the project, or to a protected name. */
function manifestOf({ layer, manifest: file, sources }: Journal): Manifest | undefined {
  if (!existsSync(file)) return undefined;
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  for (const operation of manifest.operations) {
    const { path } = operation;
    if (!isInside(path) || isClosed(path)) throw notOurs(layer, "change", path);
    if (operation.do === "put" && (!isInside(operation.source) || isLinked(layer, operation.source) || !sources.test(operation.source)))
      throw notOurs(layer, "take", operation.source);
  }
  return manifest;
}

const notOurs = ({ callId }: LayerFolder, verb: "change" | "take", path = ""): Error =>
  new Error(`The layer ${callId} is none of ours: it would ${verb} "${printable(path)}".`);

/** True if the folder in the layer that it reads from is a link, which we never make. */
const isLinked = (layer: LayerFolder, source: string): boolean =>
  statOf(join(layer.path, source.slice(0, source.indexOf("/"))))?.isSymbolicLink() === true;

const isInside = (path: string): boolean => path !== "" && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");

const isInGit = (path: string): boolean => path.split("/").some((part) => part.toLowerCase() === ".git");
const isClosed = (path: string): boolean => isHidden(path) || (isReadOnly(path) && !isInGit(path));

/**
 * Paths that would become part of a repository other than the project's own. The layer and the project count together: each may hold
 * half of a git folder, which neither the command nor a later tool was refused.
 */
function closedByGit(root: string, { operations }: Manifest): readonly string[] {
  const made = new Set(operations.flatMap(({ do: what, path }) => (what === "put" ? [path] : [])));
  const has = (path: string) => made.has(path) || statOf(join(root, path)) !== undefined;
  const verdict = gitJudge({ has, own: ownGitFolders(root) });
  return operations.flatMap(({ path }) => (verdict(path) === "closed" ? [path] : []));
}

function notesOf({ layer, isUndo }: Journal, left: readonly string[]): readonly string[] {
  if (left.length === 0) return [];
  const names = left.slice(0, 20).map(printable).join(", ") + (left.length > 20 ? `, and ${left.length - 20} more` : "");
  const [what, whose] = isUndo ? ["undone", "the one from before"] : ["applied", "the command's"];
  return [`Somebody changed ${names} while this was being ${what}. Their version stays; ${whose} is in .dialogs/refused/${layer.callId}/.`];
}

/** Paths that changed since the command ran, and paths that we may not change. */
function conflictsOf(journal: Journal, { conflicts, operations }: Manifest, closed: readonly string[]): readonly string[] {
  const found = new Set([...conflicts, ...closed]);
  for (const operation of operations) if (!isUnchanged(journal, operation)) found.add(operation.path);
  return [...found].toSorted();
}

function isUnchanged({ layer: { root }, look, isUndo }: Journal, operation: Operation): boolean {
  const { path, before } = operation;
  try {
    return OpenFolder.with(root, folderOf(path), (folder) => {
      const place = folder.at(nameOf(path));
      if (operation.do === "meta")
        return String(statOf(place)?.ino) === operation.before.ino && ["", look(place)?.state].includes(operation.before.state);
      accessSync(folder.at("."), constants.W_OK | constants.X_OK);
      return (isUndo ? isSameContent : isSame)(look(place), before);
    });
  } catch {
    return false; // Its folder is gone, is a link, or is closed to us.
  }
}

/** Returns false if a person's version stays. */
function performOne(pass: Pass, operation: Operation, at: number): boolean {
  const { layer } = pass.journal;
  try {
    return OpenFolder.with(layer.root, folderOf(operation.path), (folder) => performIn(pass, folder, operation, at));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Its folder disappeared after a crash; before one, it was there a moment ago.
    if (!pass.isResumed || (code !== "ENOENT" && code !== "ENOTDIR" && code !== undefined)) throw error;
    return setAside(layer, operation);
  }
}

function performIn({ journal, isResumed, onStep }: Pass, folder: OpenFolder, operation: Operation, at: number): boolean {
  const { layer, look } = journal;
  const target = folder.at(nameOf(operation.path));
  if (operation.do === "meta") {
    if (String(statOf(target)?.ino) !== operation.before.ino) return true;
    setMeta(target, operation.mode, operation.mtimeMs);
    return true;
  }
  const kept = join(journal.kept, String(at));
  // A folder was checked a moment ago; a file is checked once more.
  const found = isResumed || operation.before?.kind !== "folder" ? look(target) : operation.before;
  if (operation.do === "remove") {
    if (found === undefined) return true;
    if (!isSameContent(found, operation.before)) return false;
    renameSync(target, kept);
    return true;
  }
  const source = join(layer.path, operation.source);
  if (isResumed && statOf(source) === undefined) {
    // Already in place, or replaced by a person since.
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

/** A file gets a second name first, so that its path is never empty; a folder is moved. */
function keep(target: string, kept: string, isMoved: boolean): void {
  if (!isMoved) {
    try {
      linkSync(target, kept);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Not every file system has hard links, and not every file may be linked.
      if (code !== "EPERM" && code !== "EMLINK" && code !== "EACCES" && code !== "ENOTSUP") throw error;
    }
  }
  renameSync(target, kept);
}

/** A symbolic link would lead elsewhere, and so would a hard link to the same file. */
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
