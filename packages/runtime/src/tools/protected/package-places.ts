// Where Node finds packages. Code that is imported from the project's folder runs as us: tools must not be able to write it.
import { existsSync, realpathSync, statSync } from "node:fs";
import module from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { boundedText, MAX_SETTINGS_BYTES } from "../files/bounded-text.ts";

/** `require("x")` also finds `x.js`; on Windows a command `x` is `x.cmd` or `x.ps1`. */
export const ENDINGS = ["", ".js", ".json", ".node", ".cmd", ".ps1"];

/**
 * Paths in the project, with slashes, of these packages and of everything that they import, whether they exist or not. `names`: packages
 * that the settings name and that are imported from the project's folder.
 */
export function installedPackages(root: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : pathsIn(root, importedBy({ folder: realPath(root), names, isPackage: false }));
}

/** Places below the project, as paths in it. */
export function pathsIn(root: string, places: readonly string[]): readonly string[] {
  const inside = places.filter((place) => isBelow(place, root)).map((place) => relative(root, place).split(sep).join("/"));
  const folders = new Set(inside);
  return [...folders]
    .filter((path) => !parentsOf(path).some((parent) => folders.has(parent)))
    .flatMap((path) => (isPackageOrCommand(path) ? ENDINGS.map((end) => path + end) : [path]));
}

/** Where `require` looks last: NODE_PATH, `.node_modules` in the home folder. */
const GLOBAL_FOLDERS = (module as { readonly globalPaths?: readonly string[] }).globalPaths ?? [];

/** A folder whose code imports packages. */
interface Importer {
  readonly folder: string;
  /** What it imports besides the dependencies in its `package.json`. */
  readonly names: readonly string[];
  /** Does its `package.json` say what it imports? Not a project's, for which only `names` are imported. */
  readonly isPackage: boolean;
}

const found = new Map<string, { readonly stamp: string; readonly places: readonly string[] }>();

/**
 * Every path where Node would look for a package that is imported from here, directly or indirectly, up to where it finds it. Looked up
 * again when something was installed there.
 */
export function importedBy(importer: Importer): readonly string[] {
  const { folder, names, isPackage } = importer;
  const key = JSON.stringify([folder, names, isPackage]);
  const stamp = stampOf(importer);
  const known = found.get(key);
  if (known?.stamp === stamp) return known.places;
  const places = lookUp(importer);
  found.set(key, { stamp, places });
  return places;
}

function stampOf({ folder, names }: Importer): string {
  const searched = searchedFrom(folder);
  const scopes = names.filter((name) => name.startsWith("@")).map((name) => dirname(name));
  const installed = searched.flatMap((modules) =>
    [...scopes, ...names.map((name) => join(name, "package.json"))].map((one) => join(modules, one)),
  );
  return [join(folder, "package.json"), ...searched, ...new Set(installed)].map(timeOf).join(" ");
}

const timeOf = (place: string): number => statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function lookUp({ folder: start, names, isPackage }: Importer): readonly string[] {
  const places = new Set<string>();
  const known = new Set([start]);
  for (const folder of known) {
    const needed = folder === start ? [...(isPackage ? neededBy(folder, false) : []), ...names] : neededBy(folder, !isPackage);
    for (const name of needed) {
      const asked = [...searchedFrom(folder), ...GLOBAL_FOLDERS].map((modules) => join(modules, name));
      const at = asked.findIndex((place) => existsSync(place));
      for (const place of at < 0 ? asked : asked.slice(0, at + 1)) places.add(place);
      const folderFound = asked[at];
      if (folderFound !== undefined) known.add(realPath(folderFound));
    }
  }
  known.delete(start);
  return [...new Set([...places].flatMap(bothNames)), ...known];
}

/** The `node_modules` folders that Node searches for code in this folder, nearest first. */
export function searchedFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  const rest = above === folder ? [] : searchedFrom(above);
  return basename(folder) === "node_modules" ? rest : [join(folder, "node_modules"), ...rest];
}

interface Manifest {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** `takesAll`: optional peer dependencies too. We ourselves load none of those (the React of somebody's page). */
function neededBy(folder: string, takesAll: boolean): readonly string[] {
  try {
    const text = boundedText(join(folder, "package.json"), MAX_SETTINGS_BYTES) ?? "";
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = JSON.parse(text) as Manifest;
    const peers = Object.keys(peerDependencies).filter((name) => takesAll || peerDependenciesMeta[name]?.optional !== true);
    return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers];
  } catch {
    return []; // Not a package, or not one that Node could load.
  }
}

/** A link counts besides its target. */
export function bothNames(place: string): readonly string[] {
  const whole = resolve(place);
  const real = realPath(whole);
  const named = join(realPath(dirname(whole)), basename(whole));
  return named === real ? [real] : [named, real];
}

const isPackageOrCommand = (path: string): boolean => /(?:^|\/)node_modules\/(?:@[^/]+\/|\.bin\/)?[^/]+$/.test(path);

const parentsOf = (path: string): readonly string[] =>
  path
    .split("/")
    .slice(1)
    .map((_, at) =>
      path
        .split("/")
        .slice(0, at + 1)
        .join("/"),
    );

/** For a missing path, its existing part decides. */
export function realPath(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    const above = dirname(place);
    return above === place ? place : join(realPath(above), basename(place));
  }
}

export const isBelow = (place: string, folder: string): boolean =>
  place === folder || place.startsWith(folder.endsWith(sep) ? folder : folder + sep);
