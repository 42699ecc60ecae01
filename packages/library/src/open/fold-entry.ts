import { entryOf } from "@colloquy/core";
import { foldTree, Unfoldable } from "@colloquy/runtime";
import type { Entry, RootId } from "@colloquy/schema";
import type { Opened } from "@colloquy/store";

/**
 * Rebuilds a tree's index entry from its log alone. If the log cannot be folded to its end, the entry shows the state
 * before the damage: the tree is listed, and opening it reports what is wrong.
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
