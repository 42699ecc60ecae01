// Each Chinese page names its English source and the version that it follows. A newer source is reported, but is no failure: whoever changes
// the English need not write Chinese. `node scripts/check/translations.mjs --follows PAGE` marks a page as brought up to date.
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { report } from "./report.mjs";
import { root } from "../set-up.mjs";

const MARK = /^<!-- follows (\S+) at ([0-9a-f]{12}) -->\n/;

/** @param {string} text */
const versionOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/**
 * Pages without a valid source, and pages that are older than theirs.
 * @param {string} folder a repository
 * @returns {{ readonly problems: readonly string[], readonly older: readonly string[] }}
 */
export function checkTranslations(folder) {
  /** @type {string[]} */
  const problems = [];
  /** @type {string[]} */
  const older = [];
  for (const page of globSync("docs/zh/*.md", { cwd: folder }).sort()) {
    const [, source = "", version = ""] = MARK.exec(readFileSync(join(folder, page), "utf8")) ?? [];
    if (source === "") problems.push(`${page} must begin with <!-- follows SOURCE at VERSION -->: ${command(page)}`);
    else if (!existsSync(join(folder, source))) problems.push(`${page} follows ${source}, which does not exist.`);
    else if (versionOf(readFileSync(join(folder, source), "utf8")) !== version)
      older.push(`${page} is older than ${source}. Bring it up to date, then: ${command(page)}`);
  }
  return { problems, older };
}

/** @param {string} page */
const command = (page) => `node scripts/check/translations.mjs --follows ${page}`;

/**
 * @param {string} folder
 * @param {string} page
 */
export function follow(folder, page) {
  const text = readFileSync(join(folder, page), "utf8").replace(MARK, "");
  const name = basename(page);
  const source = name === "README.md" ? name : `docs/${name}`;
  const version = versionOf(readFileSync(join(folder, source), "utf8"));
  writeFileSync(join(folder, page), `<!-- follows ${source} at ${version} -->\n${text}`);
}

if (import.meta.main) {
  const [option, ...pages] = process.argv.slice(2);
  if (option === "--follows") for (const page of pages) follow(root, page);
  const { problems, older } = checkTranslations(root);
  for (const one of older) console.log(one);
  report(problems, older.length === 0 ? "every Chinese page follows its English source" : `${older.length} Chinese pages are older`);
}
