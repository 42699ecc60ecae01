// The package diagram of docs/ARCHITECTURE.md, from the packages' imports. `--check` only says whether it is up to date.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Visitor, parseSync } from "rolldown/utils";
import { report } from "./check/report.mjs";
import { root } from "./set-up.mjs";

const PAGE = "docs/ARCHITECTURE.md";
const BEGIN = "<!-- made by npm run diagram -->";
const END = "<!-- end -->";

/** The packages of ours that each package imports, tests aside. Names are those of the folders. @returns {Map<string, Set<string>>} */
function imports() {
  const folders = globSync("packages/*/package.json", { cwd: root })
    .map((file) => file.split("/")[1] ?? "")
    .sort();
  const folderOf = new Map(
    folders.map((folder) => [
      /** @type {string} */ (JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")).name),
      folder,
    ]),
  );
  /** @type {Map<string, Set<string>>} */
  const found = new Map(folders.map((folder) => [folder, new Set()]));
  for (const file of globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root }).sort()) {
    if (/\.test\.tsx?$/.test(file)) continue;
    const importer = file.split("/")[1] ?? "";
    /** @param {{ source?: unknown }} node */
    const onImport = ({ source }) => {
      const from = source && typeof source === "object" && "value" in source ? String(source.value) : "";
      const imported = folderOf.get(from.split("/").slice(0, 2).join("/"));
      if (imported && imported !== importer) found.get(importer)?.add(imported);
    };
    new Visitor({
      ImportDeclaration: onImport,
      ImportExpression: onImport,
      TSImportType: onImport,
      ExportNamedDeclaration: onImport,
      ExportAllDeclaration: onImport,
    }).visit(parseSync(file, readFileSync(join(root, file), "utf8")).program);
  }
  return found;
}

/**
 * Everything that a package reaches through its imports.
 * @param {Map<string, Set<string>>} graph
 * @param {string} from
 * @returns {Set<string>}
 */
function reached(graph, from) {
  /** @type {Set<string>} */
  const all = new Set();
  const left = [...(graph.get(from) ?? [])];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (all.has(next)) continue;
    all.add(next);
    left.push(...(graph.get(next) ?? []));
  }
  return all;
}

/** An arrow for each import that no other path of arrows implies; a table of all imports would be unreadable. */
function diagram() {
  const graph = imports();
  const arrows = [...graph].flatMap(([from, direct]) =>
    [...direct]
      .filter((to) => ![...direct].some((other) => other !== to && reached(graph, other).has(to)))
      .sort()
      .map((to) => `  ${from} --> ${to}`),
  );
  return ["```mermaid", "graph TD", ...arrows, "```"].join("\n");
}

const page = readFileSync(join(root, PAGE), "utf8");
const from = page.indexOf(BEGIN);
const to = page.indexOf(END, from);
const made = from < 0 || to < 0 ? undefined : `${page.slice(0, from)}${BEGIN}\n${diagram()}\n${page.slice(to)}`;
if (made === undefined) report([`${PAGE} has no place for the diagram: ${BEGIN} … ${END}`], "");
else if (!process.argv.includes("--check")) writeFileSync(join(root, PAGE), made);
else
  report(
    made === page ? [] : [`The package diagram in ${PAGE} is not what the packages import. Make it again: npm run diagram`],
    "the package diagram is up to date",
  );
