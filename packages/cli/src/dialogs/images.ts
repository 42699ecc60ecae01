import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { wrongUsage } from "../line/failure.ts";

export const imageOption = {
  takes: "FILE",
  about: { en: "a picture that goes with it; may be given several times", zh: "随附的图片；可以给出多个" },
  repeats: true,
} as const;

/** Reads the named image files. */
export const imagesAt = (paths: readonly string[] | undefined, cwd: string): Promise<readonly Uint8Array[]> =>
  Promise.all((paths ?? []).map((path) => imageAt(resolve(cwd, path), path)));

async function imageAt(path: string, typed: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw wrongUsage(`The image ${typed} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
