import type { BigIntStats } from "node:fs";
import { join } from "node:path";
import { kindOf, namesIn, type NodeKind, statOf } from "./identity.ts";

export interface Entry {
  /** Relative to the project. */
  readonly path: string;
  readonly kind: NodeKind;
  readonly stat: BigIntStats;
}

/** Everything in a folder, parents first; names that aren't valid text separately. `isLeftOut`: neither returned nor entered. */
export function walk(
  base: string,
  folder: string,
  isLeftOut: (path: string, kind: NodeKind) => boolean = () => false,
): { readonly entries: readonly Entry[]; readonly leftOut: readonly string[] } {
  const entries: Entry[] = [];
  const leftOut: string[] = [];
  const look = (inside: string): void => {
    for (const name of namesIn(join(base, inside))) {
      const path = inside === "" ? name : `${inside}/${name}`;
      const stat = statOf(join(base, path));
      const kind = stat ? kindOf(stat) : "other";
      if (!stat || isLeftOut(path, kind)) leftOut.push(path);
      else {
        entries.push({ path, kind, stat });
        if (kind === "folder") look(path);
      }
    }
  };
  look(folder);
  return { entries, leftOut };
}
