import type { Documents } from "@colloquy/runtime";

/** A memory entry, by its path below `memory/`. */
export interface MemoryDocument {
  readonly path: string;
  readonly text: string;
  /** Its version. */
  readonly shown: string;
}

export const MEMORY_FOLDER = "memory";

export function readMemory(documents: Documents): readonly MemoryDocument[] {
  if (!documents.has(MEMORY_FOLDER)) return [];
  return documents.list(MEMORY_FOLDER).flatMap((path) => {
    const document = documents.read(`${MEMORY_FOLDER}/${path}`);
    return document ? [{ path, text: document.text, shown: document.hash }] : [];
  });
}
