// The size of `npm install colloquy`: rebuilt if stale, measured as npm would pack it, and compared with a budget.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { LIBRARY_REFERENCE, libraryReference } from "../library-reference.mjs";
import { report } from "./report.mjs";
import { isBuilt, root } from "../set-up.mjs";

const MB = 1_000_000;
const BUDGET = { packed: 3 * MB, unpacked: 10 * MB, packages: 30 };

/** @param {string} file */
const read = (file) => JSON.parse(readFileSync(join(root, file), "utf8"));
const { dependencies, exports } = read("package.json");

/** The number of packages installed beside this one. */
function installed() {
  const { packages } = read("package-lock.json");
  const seen = new Set();
  /** @type {(name: string, from: string) => void} */
  const visit = (name, from) => {
    // As Node resolves it: beside the importer, then further up.
    const folders = from.split("/node_modules/").map((_, depth, parts) => parts.slice(0, parts.length - depth).join("/node_modules/"));
    const place = [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`].find((path) => path in packages);
    if (place === undefined || seen.has(place)) return;
    seen.add(place);
    for (const next of Object.keys(packages[place].dependencies ?? {})) visit(next, place);
  };
  for (const name of Object.keys(dependencies)) visit(name, "");
  return seen.size;
}

/**
 * Everything that a file of dist/ imports from elsewhere, directly or indirectly.
 * @param {string} file
 * @param {Set<string>} seen
 * @returns {readonly string[]}
 */
function imports(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const found = readFileSync(join(root, "dist", file), "utf8").matchAll(/^(?:import|export) .*?from "([^"]+)";$|^import "([^"]+)";$/gm);
  return [...found].flatMap(([, from, bare]) => {
    const name = from ?? bare ?? "";
    return name.startsWith("./") ? imports(name.slice(2), seen) : [name];
  });
}

if (!isBuilt()) execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"], {
  cwd: root,
  maxBuffer: 32 * MB,
});
const [{ size, unpackedSize }] = JSON.parse(packed.toString());
const packages = installed();
const mega = (/** @type {number} */ bytes) => `${(bytes / MB).toFixed(1)} MB`;

const absent = Object.values(exports)
  .flatMap((to) => (typeof to === "string" ? [to] : Object.values(to)))
  .filter((path) => !existsSync(join(root, path)))
  .map((path) => `package.json: exports has ${path}, which is not there`);
const strangers = ["client.js", "react.js"].flatMap((file) =>
  imports(file)
    .filter((name) => isBuiltin(name) || (!(name in dependencies) && name !== "react"))
    .map((name) => `dist/${file} is for browsers too, and imports ${name}`),
);
const heavy = [
  [size > BUDGET.packed, `packed ${mega(size)}; ${mega(BUDGET.packed)} are allowed`],
  [unpackedSize > BUDGET.unpacked, `unpacked ${mega(unpackedSize)}; ${mega(BUDGET.unpacked)} are allowed`],
  [packages > BUDGET.packages, `${packages} packages are installed with it; ${BUDGET.packages} are allowed`],
].flatMap(([isTooMuch, message]) => (isTooMuch ? [String(message)] : []));
const isStale = !existsSync(join(root, LIBRARY_REFERENCE)) || readFileSync(join(root, LIBRARY_REFERENCE), "utf8") !== libraryReference();
const stale = isStale ? [`${LIBRARY_REFERENCE} is not what the types say. Make it again: npm run reference`] : [];
report([...stale, ...absent, ...strangers, ...heavy], `${mega(size)} packed, ${mega(unpackedSize)} unpacked, ${packages} packages with it`);
