// Colloquy's own code inside the project: our package, the packages it imports, Node. Tools that could write there would run as us: a
// changed worker file at the next listing, a changed package at the next start.
import { existsSync, readdirSync } from "node:fs";
import module from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { folded } from "../files/hidden.ts";
import { bothNames, ENDINGS, importedBy, isBelow, pathsIn, realPath, searchedFrom } from "./package-places.ts";

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
export const OPTIONAL_PACKAGES = ["bufferutil", "utf-8-validate", "react-devtools-core", "pg", "@opentelemetry/api", "nostr-wasm"];
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
    ...importedBy({ folder: home, names: OPTIONAL_PACKAGES, isPackage: true }),
    ...[...searchedFrom(home), join(root, "node_modules")].flatMap((folder) => startedFrom(folder, root)),
    ...[...nodeAt(from.node, root), ...from.caches].flatMap(bothNames),
    ...(from.script !== undefined && isBelow(realPath(from.script), home) ? bothNames(from.script) : []),
    ...(from.hasPlugAndPlay ? [".pnp.cjs", ".pnp.loader.mjs", ".yarn"].map((name) => join(root, name)) : []),
  ];
  if (places.some((place) => isBelow(root, place))) return [""];
  return pathsIn(root, places);
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
