import { entryOf } from "@colloquy/core";
import { foldTree } from "@colloquy/runtime";
import type { Entry, RootId } from "@colloquy/schema";
import type { Opened } from "@colloquy/store";

/** What the index should say of a tree, from its log alone: for an index that was lost. */
export const foldEntry = (rootId: RootId, opened: Opened): Entry | undefined => entryOf(foldTree(rootId, opened));
