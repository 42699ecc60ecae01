import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../project/replace-file.ts";

const fileIn = (dir: string): string => join(dir, ".dialogs", "last");

/** Remembers the dialog that `@` stands for. A convenience: where it cannot be written, nothing else suffers. */
export async function rememberDialog(dir: string | undefined, id: string): Promise<void> {
  if (dir === undefined) return;
  try {
    await replaceFile(fileIn(dir), `${id}\n`);
  } catch {
    // A folder that cannot be written to is reported by whoever has to write there.
  }
}

/** What was remembered, if anything; it may not exist any more. */
export async function lastDialog(dir: string | undefined): Promise<string | undefined> {
  if (dir === undefined) return undefined;
  const text = await readFile(fileIn(dir), "utf8").catch(() => "");
  return /^[0-9a-f]{32,64}$/.exec(text.trim())?.[0];
}
