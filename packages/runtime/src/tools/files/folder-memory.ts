import type { Facts } from "./open-at.ts";

/** The result of reading a folder, valid while the folder has this stamp: a new name changes it. */
export interface FolderMemo {
  readonly stamp: string;
  readonly isInGit: boolean;
  /** Is it a git folder by its content, whatever its name? */
  readonly hasShape: boolean;
  /** Entries that commands must not reach, or that lead to some. */
  readonly notable: readonly { readonly name: string; readonly kind: Facts["kind"] }[];
  /** Files with one name, by their identity. */
  readonly plain: ReadonlyMap<string, string>;
}

/** By path in the project. */
export type FolderMemory = Map<string, FolderMemo>;

const MAX_PROJECTS = 8;
const memories = new Map<string, FolderMemory>();

/** This thread's cache for a project. */
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
