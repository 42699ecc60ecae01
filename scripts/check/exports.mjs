// A package exports what other packages use. Names that only its own files need stay out of its index.ts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import { root } from "../set-up.mjs";
import { report } from "./report.mjs";

/** Published packages, and those they re-export, have users outside this repository. */
const PUBLISHED = new Set(["colloquy", "library", "client", "react", "testing"]);

const IMPORTS = /(?:import|export)\s+(?:type\s+)?(\*|\{[^}]*\})[^;"]*?from\s+"@colloquy\/([a-z0-9-]+)(?:\/[a-z-]+)?"/g;
const DYNAMIC = /import\("@colloquy\/([a-z0-9-]+)(?:\/[a-z-]+)?"\)/g;
const REEXPORTS = /export\s+(?:type\s+)?\{([^}]*)\}(?:\s+from\s+"[^"]+")?/g;
const STARS = /export\s+\*\s+(?:as\s+(\w+)\s+)?from\s+"(\.[^"]+)"/g;
const DECLARED = /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|function\*?|class|interface|type|enum)\s+(\w+)/gm;

/** @param {string} list `a, type b, c as d`, by the name that others see; with `origin`, by the name before `as` */
const namesIn = (list, origin = false) =>
  list
    .replaceAll(/\/\/.*$/gm, "")
    .split(",")
    .map((part) => part.trim().replace(/^type\s+/, ""))
    .filter((part) => part !== "")
    .map((part) => (origin ? part.split(/\s+as\s+/)[0] : part.split(/\s+as\s+/).at(-1)) ?? part);

/**
 * @param {string} file
 * @returns {Set<string>}
 */
function exportedBy(file) {
  const text = readFileSync(file, "utf8");
  const names = new Set([...text.matchAll(DECLARED)].map(([, name]) => name ?? ""));
  for (const [, list = ""] of text.matchAll(REEXPORTS)) for (const name of namesIn(list)) names.add(name);
  for (const [, alias, path = ""] of text.matchAll(STARS)) {
    if (alias !== undefined) names.add(alias);
    else for (const name of exportedBy(join(dirname(file), path))) names.add(name);
  }
  return names;
}

/** By package, the names that other packages, benchmarks, scripts and examples import. */
const used = new Map();
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx", "*.mjs"], {
  cwd: root,
  encoding: "utf8",
});
for (const file of files.split("\n")) {
  if (file === "" || !existsSync(join(root, file))) continue;
  const text = readFileSync(join(root, file), "utf8");
  const own = /^packages\/([a-z-]+)\//.exec(file)?.[1];
  const add = (/** @type {string} */ name, /** @type {readonly string[]} */ names) => {
    if (name === own) return;
    used.set(name, (used.get(name) ?? new Set()).union(new Set(names)));
  };
  for (const [, list = "", name = ""] of text.matchAll(IMPORTS)) add(name, list === "*" ? ["*"] : namesIn(list.slice(1, -1), true));
  // Names taken from a dynamic import can't be parsed this way, so every word of the file counts as a use.
  for (const [, name = ""] of text.matchAll(DYNAMIC)) add(name, text.match(/\w+/g) ?? []);
}

/** @type {string[]} */
const problems = [];
for (const name of readdirSync(join(root, "packages"))) {
  const index = join(root, "packages", name, "src/index.ts");
  const users = used.get(name) ?? new Set();
  if (PUBLISHED.has(name) || users.has("*") || !existsSync(index)) continue;
  const unused = [...exportedBy(index)].filter((one) => !users.has(one)).toSorted();
  if (unused.length > 0) problems.push(`packages/${name}/src/index.ts exports what no other package uses: ${unused.join(", ")}`);
}
report(problems, "every package exports only what others use");
