import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { gitJudge } from "../protected/git-shape.ts";
import { isHidden, isProgram, isReadOnly, isRequirement } from "./hidden.ts";
import { type Facts, OpenFolder, OutOfReach } from "./open-at.ts";
import { gitPrograms, learnGitPrograms } from "../protected/git-programs.ts";
import { isStartedByNpx, ownCode } from "../protected/own-code.ts";
import { hiddenIn, standIns } from "../shell/stand-ins.ts";

/** Something in the project, by its real path. */
export interface ResolvedPath {
  /** The project's folder, a real path. */
  readonly root: string;
  /** Relative to it, with slashes and without links; empty for the folder itself. */
  readonly inside: string;
  /** Its parent folder, and its name there. */
  readonly folder: string;
  readonly name: string;
}

/** A path of the project, judged by its real path: links and `..` are resolved first. `path` is what the model wrote. */
export function placeToRead(dir: string, path: string): ResolvedPath {
  const root = realpathSync.native(dir);
  const wanted = absolute(root, dir, path);
  assertNotHidden(root, wanted, path);
  return judged(root, realPath(wanted, path), path);
}

/**
 * The same for a file that may not exist yet: the nearest existing folder decides. `programs`: paths in the project that tools may not
 * write because we run them.
 */
function placeToWrite(dir: string, path: string, programs: readonly string[], programsOfGit = gitPrograms): ResolvedPath {
  const root = realpathSync.native(dir);
  const wanted = absolute(root, dir, path);
  assertNotHidden(root, wanted, path);
  const place = judged(root, realPathOfNew(wanted), path);
  if (place.inside === "") throw new OutOfReach(`"${path}" is a folder.`);
  const names = [place.inside, insideOf(root, wanted), standIns(root)(place.inside)];
  if (names.some(isRequirement)) throw new OutOfReach(requirementOnly(path));
  if (names.some(isReadOnly)) throw new OutOfReach(`"${path}" may be read but not written.`);
  const code = ownCode(root);
  if (names.some((name) => isProgram(name, code) || isStartedByNpx(name))) throw new OutOfReach(runByUs(path));
  const gitVerdict = gitJudge({ has: (inside) => isThere(join(root, inside)) });
  if (names.some((name) => gitVerdict(name) !== "free")) throw new OutOfReach(gitOnly(path));
  const git = programsOfGit(root, place.inside);
  if (names.some((name) => isProgram(name, git))) throw new OutOfReach(runByGit(path));
  if (names.some((name) => isProgram(name, programs)))
    throw new OutOfReach(`"${path}" may be read but not written: an MCP server runs it.`);
  return place;
}

/** A path of the project without links, as far as it exists; unchanged if that is unknown. Judges nothing. */
export function realInside(dir: string, path: string): string {
  try {
    const root = realpathSync.native(dir);
    const inside = insideOf(root, realPathOfNew(absolute(root, dir, path)));
    return leadsOut(inside) ? join(root, inside) : inside;
  } catch {
    return path; // The tool reports the problem.
  }
}

/** By the requested name; its real path is judged afterwards. */
function assertNotHidden(root: string, wanted: string, path: string): void {
  const inside = insideOf(root, wanted);
  if (!leadsOut(inside) && isHidden(inside)) throw closed(path);
}

/** The same; git is asked for its settings without blocking the process. */
export async function placeToWriteSoon(dir: string, path: string, programs: () => readonly string[]): Promise<ResolvedPath> {
  // A path that is refused is judged first: git says nothing about it.
  const { root, inside } = placeToWrite(dir, path, programs(), () => []);
  await learnGitPrograms(root, inside);
  return placeToWrite(dir, path, programs());
}

/** What exists there now, if anything. */
export const kindAt = ({ root, inside, folder, name }: ResolvedPath): Facts["kind"] | undefined =>
  inside === "" ? "folder" : OpenFolder.with(root, folder, (around) => around.facts(name)?.kind);

function absolute(root: string, dir: string, path: string): string {
  if (path.includes("\0")) throw new OutOfReach("A path has no zero bytes.");
  assertShort(path);
  const wanted = resolve(root, path);
  assertShort(wanted);
  // The targets of these differ by process or moment.
  if (/^\/(?:proc|dev|sys)(?:\/|$)/.test(wanted)) throw outside(path);
  // People and models know the project by the name it was opened with, which may be a link.
  const named = insideOf(resolve(dir), wanted);
  return isAbsolute(path) && !leadsOut(named) ? join(root, named) : wanted;
}

const MAX_PATH_BYTES = 4_000;
const MAX_NAME_BYTES = 255;

/** Reports a name that no file system accepts before looking it up. */
function assertShort(path: string): void {
  if (path.length > MAX_PATH_BYTES || Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new OutOfReach(
      `A path has at most ${MAX_PATH_BYTES} bytes, and "${path.slice(0, 60)}…" has ${Buffer.byteLength(path)}. Use a shorter one.`,
    );
  const long = path.split("/").find((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  if (long !== undefined)
    throw new OutOfReach(
      `A name in a path has at most ${MAX_NAME_BYTES} bytes, and "${long.slice(0, 60)}…" has ${Buffer.byteLength(long)}. Use a shorter one.`,
    );
}

function realPath(place: string, path: string): string {
  try {
    return realpathSync.native(place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP") throw new OutOfReach(`"${path}" is a link that leads to itself.`);
    throw new OutOfReach(`There is no "${path}" in the project.`);
  }
}

function realPathOfNew(place: string): string {
  if (isThere(place)) return realpathOfEntry(place);
  const parent = dirname(place);
  return parent === place ? place : join(realPathOfNew(parent), basename(place));
}

function isThere(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file has nothing below it.
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw error;
  }
}

function realpathOfEntry(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    // A dangling link.
    throw new OutOfReach(`"${basename(place)}" is a link that leads nowhere.`);
  }
}

function judged(root: string, place: string, path: string): ResolvedPath {
  const inside = insideOf(root, place);
  if (leadsOut(inside)) throw outside(path);
  if (hiddenIn(root)(inside)) throw closed(path);
  const folder = dirname(inside);
  return { root, inside, folder: folder === "." ? "" : folder, name: basename(inside) };
}

const runByUs = (path: string): string =>
  `"${path}" belongs to the code that Colloquy itself runs, which tools may read but not write. A person changes it.`;

const runByGit = (path: string): string =>
  `"${path}" may be read but not written: git's settings name it, so git would run or obey it for a person. A person changes it.`;

const gitOnly = (path: string): string =>
  `"${path}" belongs to a git repository, or would make one, which file tools may read but not write. Use git by run_command.`;

/** The text for a tool that would change the requirements. */
const requirementOnly = (path: string): string =>
  `"${path}" belongs to the requirements, which tools may read but not write. Use update_prd: it replaces one section, prd/<sectionKey>.md.`;

const insideOf = (root: string, place: string): string => relative(root, place).split(sep).join("/");
const leadsOut = (inside: string): boolean => inside === ".." || inside.startsWith("../") || isAbsolute(inside);
const closed = (path: string): OutOfReach => new OutOfReach(`"${path}" is not open to tools.`);
const outside = (path: string): OutOfReach => new OutOfReach(`"${path}" is outside of the project.`);
