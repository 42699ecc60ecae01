import type { CallEffects, FileEffect } from "@colloquy/schema";
import { pathsOf } from "../classify/effects.ts";

/** The state keeps this many paths, to name them to the agent. */
const MAX_NAMED_PATHS = 20;
/** The log keeps this many files. The counts cover all of them. */
const MAX_KEPT_FILES = 200;
const ORDER: readonly FileEffect["kind"][] = ["deleted", "emptied", "changed", "moved", "mode", "created"];

/** The first paths that a call would change, and the number of further ones. */
export function touchedBy({ files, counts }: CallEffects): { readonly paths: readonly string[]; readonly more: number } {
  const all = counts.created + counts.changed + counts.emptied + counts.deleted + counts.moved;
  const paths = files.slice(0, MAX_NAMED_PATHS).flatMap(pathsOf);
  return { paths, more: Math.max(0, all - files.slice(0, MAX_NAMED_PATHS).reduce((sum, file) => sum + (file.files ?? 1), 0)) };
}

/** The effects that are recorded: losses first, then deletions, then changes. */
export function keptEffects(effects: CallEffects): CallEffects {
  if (effects.files.length <= MAX_KEPT_FILES) return effects;
  const rank = (file: FileEffect) => (file.isLost ? -1 : ORDER.indexOf(file.kind));
  return { ...effects, files: effects.files.toSorted((one, other) => rank(one) - rank(other)).slice(0, MAX_KEPT_FILES) };
}
