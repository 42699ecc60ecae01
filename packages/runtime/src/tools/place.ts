import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** Why a path is out of reach; the model is told, and what it may do instead. */
export class OutOfReach extends Error {}

const unseen = (part: string): boolean => part === ".dialogs" || part.endsWith(".tsk") || part.startsWith(".env");
const readOnly = (inside: string): boolean =>
  inside === "colloquy.yaml" || inside.startsWith(`agents${sep}`) || inside.startsWith(join(".git", "hooks")) || inside === join(".git", "config");

/**
 * A path of the project, judged by where it really is: links and `..` are followed before anything is decided.
 * `path` is what the model wrote; the result is absolute.
 */
export async function placeToRead(dir: string, path: string): Promise<string> {
  const root = await realpath(dir);
  const place = await realpath(resolve(root, path)).catch(() => {
    throw new OutOfReach(`There is no "${path}" in the project.`);
  });
  guard(root, place, path);
  return place;
}

/** The same for a file that may not exist yet: the nearest folder that does decides. */
export async function placeToWrite(dir: string, path: string): Promise<string> {
  const root = await realpath(dir);
  const place = await resolveNew(resolve(root, path));
  const inside = guard(root, place, path);
  if (inside === "") throw new OutOfReach(`"${path}" is a folder.`);
  if (readOnly(inside)) throw new OutOfReach(`"${path}" may be read but not written.`);
  return place;
}

async function resolveNew(place: string): Promise<string> {
  const isThere = await lstat(place).then(
    () => true,
    () => false,
  );
  if (isThere) return realpath(place).catch(() => Promise.reject(new OutOfReach(`"${basename(place)}" is a link that leads nowhere.`)));
  const parent = dirname(place);
  return parent === place ? place : join(await resolveNew(parent), basename(place));
}

function guard(root: string, place: string, path: string): string {
  const inside = relative(root, place);
  if (inside.startsWith("..") || isAbsolute(inside)) throw new OutOfReach(`"${path}" is outside of the project.`);
  if (inside.split(sep).some(unseen)) throw new OutOfReach(`"${path}" is not open to tools.`);
  return inside;
}

/** What a listing leaves out. */
export const isUnseen = unseen;
