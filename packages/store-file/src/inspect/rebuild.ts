import { marksOf } from "../journal/marks.ts";
import { type Entry, PROJECT_STREAM, type RootId } from "@colloquy/schema";
import type { Opened } from "@colloquy/store";
import type { Catalog } from "../catalog.ts";
import type { EntryText } from "../journal/commit-record.ts";
import type { Disk } from "../disk/disk.ts";
import { isRootId, type Layout, PLACES } from "../disk/layout.ts";
import { StreamFiles } from "./stream-files.ts";
import { survey } from "./survey.ts";

/** Makes a tree's entry from its lines, as far as they can be folded. The store does not know what they mean. */
export type FoldEntry = (rootId: RootId, opened: Opened) => Entry | undefined;

export const entryText = (entry: Entry): EntryText => ({ status: entry.status, marks: marksOf(entry), text: JSON.stringify(entry) });

/** Fills a catalog from the course files if the index is lost. Returns the last commit's number. */
export function rebuild(disk: Disk, layout: Layout, catalog: Catalog, foldEntry: FoldEntry | undefined): number {
  let pos = 0;
  for (const place of Object.values(PLACES)) {
    for (const name of disk.list(layout.place(place)).filter(isRootId)) {
      const found = survey(new StreamFiles(disk, layout, name, place));
      if (!found || (catalog.head(name)?.seq ?? -1) >= found.seq) continue; // the same tree twice: the longer one is newer
      const entry = foldEntry?.(name, found.foldable);
      catalog.put(name, { ...found.head, pos: found.pos, entry: entry && entryText(entry) });
      pos = Math.max(pos, found.pos);
    }
  }
  const project = survey(new StreamFiles(disk, layout, PROJECT_STREAM, "run"));
  if (project) catalog.put(PROJECT_STREAM, { ...project.head, entry: undefined });
  return Math.max(pos, project?.pos ?? 0);
}
