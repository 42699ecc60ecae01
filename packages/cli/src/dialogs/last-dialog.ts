import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../project/replace-file.ts";

const fileIn = (dir: string): string => join(dir, ".dialogs", "last");

/** Remembers the dialog that `@` refers to. A convenience: a failed write has no other effect. */
export async function rememberDialog(dir: string | undefined, id: string): Promise<void> {
  if (dir === undefined) return;
  try {
    await replaceFile(fileIn(dir), `${id}\n`);
  } catch {
    // An unwritable folder is reported by commands that must write there.
  }
}

/** The remembered dialog, if any; it may no longer exist. */
export async function lastDialog(dir: string | undefined): Promise<string | undefined> {
  if (dir === undefined) return undefined;
  const text = await readFile(fileIn(dir), "utf8").catch(() => "");
  return /^[0-9a-f]{32,64}$/.exec(text.trim())?.[0];
}
