// The reading path of docs/ARCHITECTURE.md: ten existing files that can be read in an hour, with their correct number of lines.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { report } from "./report.mjs";
import { root } from "../set-up.mjs";

const FILES = 10;
const MAX_LINES = 2_000;
/** "About 1,900 lines" may be off by this many, so that small edits of those files don't concern the page. */
const TOLERATED_LINES = 100;
const HEADING = "## A reading path";

/** @param {string} folder a repository */
export function checkReadingPath(folder) {
  const page = readFileSync(join(folder, "docs/ARCHITECTURE.md"), "utf8");
  const section = page.split(`${HEADING}\n`)[1]?.split(/^##+ /m)[0];
  if (section === undefined) return { lines: 0, problems: [`docs/ARCHITECTURE.md has no section "${HEADING}"`] };
  const files = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = ""]) => file);
  const missing = files.filter((file) => !existsSync(join(folder, file)));
  const lines = files
    .filter((file) => !missing.includes(file))
    .reduce((sum, file) => sum + readFileSync(join(folder, file), "utf8").split("\n").length - 1, 0);
  const told = Number(/about ([\d,]+) lines/.exec(section)?.[1]?.replaceAll(",", ""));
  const problems = [
    ...missing.map((file) => `The reading path names ${file}, which does not exist.`),
    ...(files.length === FILES ? [] : [`The reading path has ${files.length} files instead of ${FILES}.`]),
    ...(lines <= MAX_LINES ? [] : [`The reading path has ${lines} lines; an hour is at most ${MAX_LINES}.`]),
    ...(Math.abs(told - lines) <= TOLERATED_LINES
      ? []
      : [`The reading path has ${lines} lines; the page should say so ("about N lines").`]),
  ];
  return { lines, problems };
}

if (import.meta.main) {
  const { lines, problems } = checkReadingPath(root);
  report(problems, `the reading path has ${FILES} files with ${lines} lines`);
}
