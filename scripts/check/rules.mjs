// Compares the rules of docs/SPEC with the tests that cite them: every rule has a test, every cited id is a rule.
// Rules are in numeric order under each heading, headings by their first rule, and docs/SPEC/README.md lists every prefix.
// A rule is a line `- **G1** text`; a test cites it by a name that begins with `[G1]`. A skipped test proves nothing, so it cites nothing.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { report } from "./report.mjs";
import { root } from "../set-up.mjs";

const id = /[A-Z]+(?:\d+(?:-[A-Z0-9]+)?|-[A-Z0-9]+)/g;
const ruleLine = new RegExp(`^- \\*\\*${id.source}\\*\\* `, "gm");
const citation = new RegExp(`(?<!\\.(skip|todo)\\(\\s*)["'\`](\\[${id.source}\\]\\s*)+`, "g");

/** @param {string} folder a repository */
export function checkRules(folder) {
  const defined = idsIn(folder, "docs/SPEC/**/*.md", ruleLine);
  const cited = idsIn(folder, "{packages/*/{src,test,e2e},scripts}/**/*.{ts,tsx}", citation);
  const problems = [
    ...[...defined].filter(([rule]) => !cited.has(rule)).map(([rule, [file]]) => `${rule} (${file}) is cited by no test`),
    ...[...cited].filter(([rule]) => !defined.has(rule)).map(([rule, [file]]) => `${rule} is cited in ${file} but no rule has that id`),
    ...[...defined].filter(([, files]) => files.length > 1).map(([rule, files]) => `${rule} is defined twice: ${files.join(", ")}`),
    ...misplaced(folder),
    ...unlisted(folder, [...defined.keys()]),
  ];
  return { rules: defined.size, problems };
}

/**
 * The ids that the pattern finds, each with its files; a file is listed once per occurrence.
 * @param {string} folder
 * @param {string} files
 * @param {RegExp} pattern
 */
function idsIn(folder, files, pattern) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const file of globSync(files, { cwd: folder }).sort()) {
    const text = readFileSync(join(folder, file), "utf8");
    if (file.includes("fixtures") || !isRuleOrTest(file, text)) continue;
    for (const match of text.match(pattern)?.join(" ").match(id) ?? []) found.set(match, [...(found.get(match) ?? []), file]);
  }
  return found;
}

/**
 * Rules that come after one with a higher number of the same prefix: under the same heading, or as the first of a later one.
 * @param {string} folder
 */
function misplaced(folder) {
  /** @type {string[]} */
  const problems = [];
  for (const file of globSync("docs/SPEC/**/*.md", { cwd: folder }).sort()) {
    /** @type {Map<string, number>} */
    const firsts = new Map();
    for (const section of readFileSync(join(folder, file), "utf8").split(/^#+ /m)) {
      /** @type {Map<string, number>} */
      const lasts = new Map();
      for (const rule of section.match(ruleLine)?.join(" ").match(id) ?? []) {
        const prefix = prefixOf(rule);
        const number = Number(rule.slice(prefix.length));
        const before = lasts.get(prefix) ?? firsts.get(prefix) ?? 0;
        if (number < before) problems.push(`${file}: ${rule} comes after ${prefix}${before}; put rules in numeric order`);
        if (!lasts.has(prefix)) firsts.set(prefix, number);
        lasts.set(prefix, number);
      }
    }
  }
  return problems;
}

/**
 * Prefixes without a row in the index of docs/SPEC, and rows of prefixes without a rule.
 * @param {string} folder
 * @param {readonly string[]} rules
 */
function unlisted(folder, rules) {
  const index = join(folder, "docs/SPEC/README.md");
  const rows = existsSync(index)
    ? [...readFileSync(index, "utf8").matchAll(/^\| ([A-Z][A-Z-]*) \| /gm)].map(([, prefix = ""]) => prefix)
    : [];
  const prefixes = new Set(rules.map(prefixOf));
  return [
    ...[...prefixes].filter((prefix) => !rows.includes(prefix)).map((prefix) => `docs/SPEC/README.md does not list the prefix ${prefix}`),
    ...rows.filter((prefix) => !prefixes.has(prefix)).map((prefix) => `docs/SPEC/README.md lists ${prefix}, but no rule has that prefix`),
  ];
}

/** @param {string} rule `U-S1` → `U-S` */
const prefixOf = (rule) => rule.replace(/\d+$/, "");

/**
 * A contract suite is a test file without a test's name.
 * @param {string} file
 * @param {string} text
 */
const isRuleOrTest = (file, text) => /\.(md|(test|spec)\.tsx?)$/.test(file) || text.includes('from "vitest"');

if (import.meta.main) {
  const { rules, problems } = checkRules(root);
  report(problems, `${rules} rules, all cited`);
}
