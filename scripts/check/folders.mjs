// Limits the number of files in a source folder.
import { globSync } from "node:fs";
import { dirname } from "node:path";
import { report } from "./report.mjs";
import { root } from "../set-up.mjs";

const MAX_FILES = 25;

/** @param {string} folder a repository */
export function checkFolders(folder) {
  const files = globSync(["packages/*/{src,test}/**/*.{ts,tsx}", "bench/src/*.ts", "scripts/**/*.{ts,mjs}"], {
    cwd: folder,
    exclude: ["**/fixtures/**"],
  });
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([name, count]) => `${name} has ${count} files; divide it into folders of at most ${MAX_FILES}.`);
}

if (import.meta.main) report(checkFolders(root), `no folder has more than ${MAX_FILES} files`);
