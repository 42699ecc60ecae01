import { entryOf } from "@colloquy/core";
import { foldTree, Unfoldable } from "@colloquy/runtime";
import type { Entry, RootId } from "@colloquy/schema";
import type { Opened } from "@colloquy/store";

/**
 * What the index should say of a tree, from its log alone: for an index that was lost. Of a log that cannot be folded to its end, what it said
 * before: the tree is listed, and opening it reports what is wrong.
 */
export function foldEntry(rootId: RootId, opened: Opened): Entry | undefined {
  try {
    return entryOf(foldTree(rootId, opened));
  } catch (error) {
    if (!(error instanceof Unfoldable)) throw error;
    const before = opened.lines.filter((line) => line.seq < error.seq);
    return before.length === 0 || before.length === opened.lines.length ? undefined : foldEntry(rootId, { ...opened, lines: before });
  }
}
