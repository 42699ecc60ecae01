import { accessSync, chmodSync, constants, existsSync, linkSync, readFileSync, renameSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Applied } from "../../calls/tool.ts";
import { gitJudge } from "../../tools/protected/git-shape.ts";
import { isHidden, isReadOnly } from "../../tools/files/hidden.ts";
import { OpenFolder } from "../../tools/files/open-at.ts";
import { ownGitFolders } from "../../tools/protected/own-git.ts";
import { printable } from "../../tools/files/listing.ts";
import { syncAll, writeDurable } from "../durable.ts";
import { contentIdentityAt, type Identity, isSame, isSameContent, type Look, statOf } from "../identity.ts";
import { applying, type BegunMark, type DoneMark, doneMark, type Journal } from "./journal.ts";
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
  const applied = perform(applying(layer), onStep);
  if (applied.conflicts.length > 0) return applied;
  onStep("clean up");
  cleanUp(layer);
  return applied;
}

/** Goes through the operations of a journal, all or none of them, whatever was done of it before. */
export function perform(journal: Journal, onStep: OnStep): Applied {
  const { layer, begun, done } = journal;
  if (existsSync(done)) return { conflicts: [], notes: doneMark(journal).notes };
  const manifest = manifestOf(journal);
  if (!manifest) throw new Error("What the command did is not there any more, so nothing was applied.");
  const isResumed = existsSync(begun);
  if (!isResumed) {
    const conflicts = conflictsOf(journal, manifest);
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

/** What stands there now, so that undo knows it again. */
function leftBy({ layer, begun }: Journal, { operations }: Manifest, refused: ReadonlySet<Operation>): NonNullable<DoneMark["left"]> {
  // An older version began it, and wrote nothing down.
  const text = readFileSync(begun, "utf8");
  const { states } = (text === "" ? { states: [] } : JSON.parse(text)) as BegunMark;
  return operations.map((operation, at) => {
    if (refused.has(operation)) return null;
    const found = lookAt(layer.root, operation.path, contentIdentityAt);
    if (operation.do === "remove") return found === undefined ? "nothing" : null;
    if (operation.do === "meta") return found?.ino === operation.before.ino ? found : null;
    return found?.ino === operation.ino && found.state === states[at] ? found : null;
  });
}

function lookAt(root: string, path: string, look: Look): Identity | undefined {
  try {
    return OpenFolder.with(root, folderOf(path), (folder) => look(folder.at(nameOf(path))));
  } catch {
    return undefined; // Its folder is gone, or leads elsewhere.
  }
}

/** What only applying needed. `before` stays, for undo. */
function cleanUp(layer: LayerFolder): void {
  for (const name of ["upper", "work", "reading", "merged", "fresh"]) removeTree(join(layer.path, name));
}

/** A folder may bring a manifest along that we never wrote: nothing leads out of the layer or the project, nor to a closed name. */
function manifestOf({ layer, manifest: file, sources }: Journal): Manifest | undefined {
  if (!existsSync(file)) return undefined;
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  const isClosed = closedTo(layer.root);
  for (const operation of manifest.operations) {
    const { path } = operation;
    if (!isInside(path) || isClosed(path))
      throw new Error(`The layer ${layer.callId} is none of ours: it would change "${printable(path)}".`);
    if (operation.do === "put" && (!isInside(operation.source) || isLinked(layer, operation.source) || !sources.test(operation.source)))
      throw new Error(`The layer ${layer.callId} is none of ours: it would take "${printable(operation.source)}".`);
  }
  return manifest;
}

/** The folder of the layer that it takes from is one of ours, and leads nowhere else. */
const isLinked = (layer: LayerFolder, source: string): boolean =>
  statOf(join(layer.path, source.slice(0, source.indexOf("/"))))?.isSymbolicLink() === true;

const isInside = (path: string): boolean => path !== "" && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");

function closedTo(root: string): (path: string) => boolean {
  const gitVerdict = gitJudge({ has: (path) => statOf(join(root, path)) !== undefined, own: ownGitFolders(root) });
  const isInGit = (path: string) => path.split("/").some((part) => part.toLowerCase() === ".git");
  return (path) => isHidden(path) || gitVerdict(path) === "closed" || (isReadOnly(path) && !isInGit(path));
}

function notesOf({ layer, isUndo }: Journal, left: readonly string[]): readonly string[] {
  if (left.length === 0) return [];
  const names = left.slice(0, 20).map(printable).join(", ") + (left.length > 20 ? `, and ${left.length - 20} more` : "");
  const [what, whose] = isUndo ? ["undone", "the one from before"] : ["applied", "the command's"];
  return [`Somebody changed ${names} while this was being ${what}. Their version stays; ${whose} is in .dialogs/refused/${layer.callId}/.`];
}

/** What is not as it was when the command ran, and what we may not change. */
function conflictsOf(journal: Journal, { conflicts, operations }: Manifest): readonly string[] {
  const found = new Set(conflicts);
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
    return false; // Its folder is gone, leads elsewhere, or is closed to us.
  }
}

/** Gives false where a person's version stays. */
function performOne(pass: Pass, operation: Operation, at: number): boolean {
  const { layer } = pass.journal;
  try {
    return OpenFolder.with(layer.root, folderOf(operation.path), (folder) => performIn(pass, folder, operation, at));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Its folder went away after a crash; before one, it was there a moment ago.
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
  // A folder was looked through a moment ago; a file is looked at once more.
  const found = isResumed || operation.before?.kind !== "folder" ? look(target) : operation.before;
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
