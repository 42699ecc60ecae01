import type { Facts } from "./open-at.ts";

/** What a look into a folder found, good for as long as the folder has this stamp: a name can appear only where it changes. */
export interface FolderMemo {
  readonly stamp: string;
  readonly isInGit: boolean;
  /** Is it a git folder by its shape, whatever its name? */
  readonly hasShape: boolean;
  /** Entries that a command must be kept away from, or that lead to some. */
  readonly notable: readonly { readonly name: string; readonly kind: Facts["kind"] }[];
  /** Files with one name, by their identity. */
  readonly plain: ReadonlyMap<string, string>;
}

/** By path in the project. */
export type FolderMemory = Map<string, FolderMemo>;

const MAX_PROJECTS = 8;
const memories = new Map<string, FolderMemory>();

/** What this thread knows of a project. */
export function memoryOf(root: string): FolderMemory {
  const memory = memories.get(root) ?? new Map<string, FolderMemo>();
  memories.delete(root);
  memories.set(root, memory);
  for (const other of memories.keys()) {
    if (memories.size <= MAX_PROJECTS) break;
    memories.delete(other);
  }
  return memory;
}
