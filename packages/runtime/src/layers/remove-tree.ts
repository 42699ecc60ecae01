import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, readdirSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";

/** Removes a folder of ours with its content, whatever permissions a command or overlayfs set inside. */
export function removeTree(place: string): void {
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return;
  try {
    rmSync(place, { recursive: true, force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM" || code === "ENOTEMPTY") removeOneByOne(Buffer.from(place));
    // Deeper than a path can name, or than we may open folders: this program descends step by step.
    else if (spawnSync("/bin/rm", ["-rf", "--", place], { env: {}, stdio: "ignore" }).status !== 0) throw error;
  }
}

/** By bytes, since a command's names need not be valid text. */
function removeOneByOne(place: Buffer): void {
  if (!lstatSync(place).isDirectory()) {
    unlinkSync(place);
    return;
  }
  chmodSync(place, 0o700);
  for (const name of readdirSync(place, { encoding: "buffer" })) removeOneByOne(Buffer.concat([place, Buffer.from("/"), name]));
  rmdirSync(place);
}

/** Removes entries whose names aren't valid text. Returns the names as far as they can be shown. */
export function removeUnnamed(folder: string): readonly string[] {
  const unnamed = readdirSync(folder, { encoding: "buffer" }).filter((name) => name.toString("utf8").includes("\uFFFD"));
  for (const name of unnamed) removeOneByOne(Buffer.concat([Buffer.from(join(folder, "/")), name]));
  return unnamed.map((name) => name.toString("utf8"));
}
