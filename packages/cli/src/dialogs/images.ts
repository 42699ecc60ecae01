import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { wrongUsage } from "../line/failure.ts";

export const imageOption = { takes: "FILE", about: "a picture that goes with it; may be given several times", repeats: true } as const;

/** The pictures that were named, as they are in their files. */
export const imagesAt = (paths: readonly string[] | undefined, cwd: string): Promise<readonly Uint8Array[]> =>
  Promise.all((paths ?? []).map((path) => imageAt(resolve(cwd, path), path)));

async function imageAt(path: string, typed: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw wrongUsage(`The image ${typed} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
