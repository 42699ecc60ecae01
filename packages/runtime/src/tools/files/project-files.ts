import { realpathSync } from "node:fs";
import { searchFiles, TimeUp } from "./files-job.ts";

const MAX_FILES = 20_000;
const TIME_MS = 5_000;
/** On a busy machine the thread may not even have begun within that time. */
const MAX_ATTEMPTS = 10;

/** The names of a project's files as tools see them: without hidden and ignored ones. */
export async function projectFiles(dir: string, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  const job = { root: realpathSync.native(dir), inside: "", pattern: "", most: MAX_FILES };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      await searchFiles(job, signal, TIME_MS, (hits) => names.push(...hits.map(({ file }) => file)));
      break;
    } catch (error) {
      if (!(error instanceof TimeUp)) throw error;
      if (names.length > 0) break; // Part of a very large project is better than nothing.
    }
  }
  return names;
}
