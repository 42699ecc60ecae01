import { readdirSync } from "node:fs";
import { join } from "node:path";
import { boundedText, MAX_GIT_LIST_BYTES } from "../../../tools/files/bounded-text.ts";
import { statOf } from "../../identity.ts";

/** An object's name. */
export const ID = /^[0-9a-f]{40,64}$/;
export const short = (id: string): string => id.slice(0, 8);

/** Empty if it is missing. */
export const textOf = (file: string): string => boundedText(file, MAX_GIT_LIST_BYTES) ?? "";

export const linesOf = (file: string): readonly string[] => textOf(file).split("\n").filter(Boolean);

export function filesBelow(base: string, folder: string): readonly string[] {
  const stat = statOf(join(base, folder));
  if (!stat) return [];
  if (!stat.isDirectory()) return stat.isFile() ? [folder] : [];
  return readdirSync(join(base, folder)).flatMap((name) => filesBelow(base, `${folder}/${name}`));
}

/** The value of each reference in a git folder: a commit, or `ref: …`. */
export function refsIn(folder: string): ReadonlyMap<string, string> {
  const packed = textOf(join(folder, "packed-refs"))
    .split("\n")
    .flatMap((line) => {
      const [, id, name] = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line) ?? [];
      return id !== undefined && name !== undefined ? [[name, id] as const] : [];
    });
  const loose = filesBelow(folder, "refs").filter((name) => !name.endsWith(".lock"));
  return new Map([...packed, ...loose.map((name) => [name, textOf(join(folder, name)).trim()] as const)]);
}

/** The lines that a command appended to a log. */
export function addedLines(before: string, after: string): readonly string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return isBeginning(old, fresh) ? fresh.slice(old.length) : fresh;
}

export const isBeginning = (old: readonly string[], fresh: readonly string[]): boolean =>
  old.length <= fresh.length && old.every((line, at) => line === fresh[at]);
