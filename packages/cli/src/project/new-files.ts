import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { refused } from "../line/failure.ts";

/** Writes files that don't exist yet: all of them, or none if one exists. */
export async function writeNewFiles(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  const taken = Object.keys(files).filter((path) => existsSync(join(dir, path)));
  if (taken.length > 0)
    throw refused(
      "exists_already",
      `${taken.join(", ")} ${taken.length > 1 ? "are" : "is"} there already, and nothing is overwritten. Choose another folder.`,
    );
  for (const [path, content] of Object.entries(files)) {
    const place = join(dir, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, content, { flag: "wx" });
  }
}
