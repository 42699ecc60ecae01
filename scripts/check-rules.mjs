// Compares the rules of docs/SPEC with the tests that cite them: every rule has a test, every cited id is a rule.
// A rule is a line `- **G1** text`; a test cites it by a name that begins with `[G1]`. A skipped test proves nothing, so it cites nothing.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { report } from "./report.mjs";
import { root } from "./set-up.mjs";

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
  ];
  return { rules: defined.size, problems };
}

/**
 * The ids that the pattern finds, each with the files it stands in; a file twice when it stands there twice.
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
 * A contract suite is a test without the name of one.
 * @param {string} file
 * @param {string} text
 */
const isRuleOrTest = (file, text) => /\.(md|(test|spec)\.tsx?)$/.test(file) || text.includes('from "vitest"');

if (import.meta.main) {
  const { rules, problems } = checkRules(root);
  report(problems, `${rules} rules, all cited`);
}
