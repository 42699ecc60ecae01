import { realpathSync } from "node:fs";
import { searchFiles, TimeUp } from "./files-job.ts";

const MAX_FILES = 20_000;
const TIME_MS = 5_000;

/** The names of a project's files as tools see them: without what is hidden from them, and what `.gitignore` leaves out. */
export async function projectFiles(dir: string, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  const job = { root: realpathSync.native(dir), inside: "", pattern: "", most: MAX_FILES };
  try {
    await searchFiles(job, signal, TIME_MS, (hits) => names.push(...hits.map(({ file }) => file)));
  } catch (error) {
    if (!(error instanceof TimeUp)) throw error; // Of a very large project the first ones are better than none.
  }
  return names;
}
