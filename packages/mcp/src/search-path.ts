import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { insideOf, isIn, realPlace } from "./project-path.ts";

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * The entries of a PATH outside the project. Agents write in the project, so nothing is looked up there by name alone: neither in
 * `node_modules/.bin` nor in a relative entry, which means another folder for each process.
 */
export const outsideProject = (path: string | undefined, root: string): string =>
  (path ?? DEFAULT_PATH)
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !isIn(root, entry))
    .join(delimiter);

/** The file that a bare name resolves to; undefined if there is none outside the project. */
export function findProgram(name: string, path: string, root: string, pathExt: string | undefined): string | undefined {
  const endings = process.platform === "win32" ? ["", ...(pathExt ?? ".EXE;.CMD;.BAT;.COM").split(";")] : [""];
  const places = path.split(delimiter).flatMap((folder) => (folder === "" ? [] : endings.map((ending) => join(folder, name + ending))));
  return places.find((place) => isExecutable(place) && insideOf(root, realPlace(place)) === undefined);
}

function isExecutable(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return statSync(place).isFile();
  } catch {
    return false; // Missing, or not executable.
  }
}
