// Colloquy's own code inside the project: our package, the packages it imports, Node. Tools that could write there would run as us: a
// changed worker file at the next listing, a changed package at the next start.
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { boundedText, MAX_SETTINGS_BYTES } from "../files/bounded-text.ts";
import { folded } from "../files/hidden.ts";

/** Where this process was started from. */
export interface StartedFrom {
  /** The folder of our package or of our checkout. */
  readonly home: string;
  readonly node: string;
  /** The script that was started, by the name it was started with. */
  readonly script: string | undefined;
  /** Where Node keeps its compile cache. */
  readonly caches: readonly string[];
  readonly hasPlugAndPlay: boolean;
}

/** Optional packages of bundled code; see scripts/build.mjs. */
export const OPTIONAL_PACKAGES = ["bufferutil", "utf-8-validate", "react-devtools-core", "pg", "@opentelemetry/api"];
/** `npx colloquy` takes these from the nearest `node_modules`: the shell that starts us, the Node of our shebang, and us. */
const STARTED_BY_NAME = [
  "colloquy",
  "node",
  ".bin/colloquy",
  ".bin/cq",
  ".bin/node",
  ".bin/sh",
  // What the scripts in `.bin` run; with `npx` and `npm start` that folder comes first in the PATH.
  ...["uname", "sed", "dirname", "basename", "cygpath", "env"].map((name) => `.bin/${name}`),
];
/** `require("x")` also finds `x.js`; on Windows a command `x` is `x.cmd` or `x.ps1`. */
const ENDINGS = ["", ".js", ".json", ".node", ".cmd", ".ps1"];

const NPX_STARTS = new Set(STARTED_BY_NAME.flatMap((name) => ENDINGS.map((end) => name + end)));
const MAY_BE_MODULES = /node_modules|[^ -~]/i;

/**
 * Would `npx colloquy` start this, in any folder of the project? A person may be in a workspace's folder, which has a `node_modules` of
 * its own. Nobody starts it inside an installed package.
 */
export function isStartedByNpx(path: string): boolean {
  if (!MAY_BE_MODULES.test(path)) return false;
  const parts = path.split("/").map(folded);
  const at = parts.indexOf("node_modules");
  const [first = "", second = ""] = at < 0 ? [] : parts.slice(at + 1);
  return NPX_STARTS.has(first) || NPX_STARTS.has(`${first}/${second}`);
}

/**
 * Paths in the project, with slashes, that tools may read but not write, including everything below them, whether they exist or not; ""
 * is the whole project. No folder is searched: packages are resolved as Node resolves them.
 */
export function ownCode(root: string, from: StartedFrom = started()): readonly string[] {
  const home = realPath(from.home);
  const isInstalled = home.split(sep).includes("node_modules");
  const places = [
    ...(isInstalled ? [home] : ["package.json", "dist", "packages", "node_modules"].map((name) => join(home, name))),
    ...packagesOf(home),
    ...[...searchedFrom(home), join(root, "node_modules")].flatMap((folder) => startedFrom(folder, root)),
    ...[...nodeAt(from.node, root), ...from.caches].flatMap(bothNames),
    ...(from.script !== undefined && isBelow(realPath(from.script), home) ? bothNames(from.script) : []),
    ...(from.hasPlugAndPlay ? [".pnp.cjs", ".pnp.loader.mjs", ".yarn"].map((name) => join(root, name)) : []),
  ];
  if (places.some((place) => isBelow(root, place))) return [""];
  const inside = places.filter((place) => isBelow(place, root)).map((place) => relative(root, place).split(sep).join("/"));
  const folders = new Set(inside);
  return [...folders]
    .filter((path) => !parentsOf(path).some((parent) => folders.has(parent)))
    .flatMap((path) => (isPackageOrCommand(path) ? ENDINGS.map((end) => path + end) : [path]));
}

/** Also their real paths, if a link in the project leads there. */
const startedFrom = (modules: string, root: string): readonly string[] =>
  STARTED_BY_NAME.flatMap((name) =>
    isBelow(modules, root) ? [join(modules, name), ...bothNames(join(modules, name))] : [join(modules, name)],
  );

const started = (): StartedFrom => ({
  home: fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../../../.." : "..", import.meta.url)),
  node: process.execPath,
  script: process.argv[1],
  caches: [module.getCompileCacheDir() ?? [], join(tmpdir(), "node-compile-cache")].flat(),
  hasPlugAndPlay: "pnp" in process.versions,
});

/** Where `require` looks last: NODE_PATH, `.node_modules` in the home folder. */
const GLOBAL_FOLDERS = (module as { readonly globalPaths?: readonly string[] }).globalPaths ?? [];

let found: { readonly stamp: string; readonly places: readonly string[] } | undefined;

/**
 * Every path where Node would look for a package that we import, directly or indirectly, up to where it finds it. Looked up again when
 * something was installed beside us.
 */
function packagesOf(home: string): readonly string[] {
  const stamp = [home, ...[join(home, "package.json"), ...searchedFrom(home)].map(timeOf)].join(" ");
  if (found?.stamp !== stamp) found = { stamp, places: lookUpPackages(home) };
  return found.places;
}

const timeOf = (place: string): number => statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function lookUpPackages(home: string): readonly string[] {
  const places = new Set<string>();
  const known = new Set([home]);
  for (const folder of known) {
    const names = folder === home ? [...neededBy(folder), ...OPTIONAL_PACKAGES] : neededBy(folder);
    for (const name of names) {
      const asked = [...searchedFrom(folder), ...GLOBAL_FOLDERS].map((modules) => join(modules, name));
      const at = asked.findIndex((place) => existsSync(place));
      for (const place of at < 0 ? asked : asked.slice(0, at + 1)) places.add(place);
      const folderFound = asked[at];
      if (folderFound !== undefined) known.add(realPath(folderFound));
    }
  }
  known.delete(home);
  return [...new Set([...places].flatMap(bothNames)), ...known];
}

/** The `node_modules` folders that Node searches for code in this folder, nearest first. */
function searchedFrom(folder: string): readonly string[] {
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

function neededBy(folder: string): readonly string[] {
  try {
    const text = boundedText(join(folder, "package.json"), MAX_SETTINGS_BYTES) ?? "";
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = JSON.parse(text) as Manifest;
    // Without optional peer dependencies: for us, the React of somebody's page, which we don't load.
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
    return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers];
  } catch {
    return []; // Not a package, or not one that Node could load.
  }
}

/** The package or folder that Node came with, and packages of other names that may hold the same file. */
function nodeAt(named: string, root: string): readonly string[] {
  const node = realPath(named);
  const parts = node.split(sep);
  const modules = parts.lastIndexOf("node_modules");
  if (modules >= 0) {
    const folder = parts.slice(0, modules + 1).join(sep);
    return [node, join(folder, parts[modules + 1] ?? ""), ...namesIn(parts.slice(0, parts.indexOf("node_modules") + 1).join(sep))];
  }
  const around = dirname(dirname(node));
  return basename(dirname(node)) === "bin" && around !== root && isBelow(around, root) ? [node, around] : [node];
}

const namesIn = (modules: string): readonly string[] =>
  existsSync(modules)
    ? readdirSync(modules)
        .filter((name) => /^node(?:-bin-.+|-(?:linux|darwin|win|freebsd|sunos|aix).*)?$/.test(name))
        .map((name) => join(modules, name))
    : [];

const isPackageOrCommand = (path: string): boolean => /(?:^|\/)node_modules\/(?:@[^/]+\/|\.bin\/)?[^/]+$/.test(path);

/** A link counts besides its target. */
function bothNames(place: string): readonly string[] {
  const whole = resolve(place);
  const real = realPath(whole);
  const named = join(realPath(dirname(whole)), basename(whole));
  return named === real ? [real] : [named, real];
}

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
function realPath(place: string): string {
  try {
    return realpathSync.native(place);
  } catch {
    const above = dirname(place);
    return above === place ? place : join(realPath(above), basename(place));
  }
}

const isBelow = (place: string, folder: string): boolean =>
  place === folder || place.startsWith(folder.endsWith(sep) ? folder : folder + sep);
