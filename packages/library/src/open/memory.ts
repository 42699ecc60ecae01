import type { Documents } from "@colloquy/runtime";

/** A memory entry, by its path below `memory/`. */
export interface MemoryDocument {
  readonly path: string;
  readonly text: string;
  /** Its version. */
  readonly shown: string;
}

const FOLDER = "memory";

export function readMemory(documents: Documents): readonly MemoryDocument[] {
  if (!documents.has(FOLDER)) return [];
  return documents.list(FOLDER).flatMap((path) => {
    const document = documents.read(`${FOLDER}/${path}`);
    return document ? [{ path, text: document.text, shown: document.hash }] : [];
  });
}
