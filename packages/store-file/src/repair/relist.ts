import { PROJECT_STREAM } from "@colloquy/schema";
import { IndexFile, type Loaded } from "../courses/index-file.ts";
import { readWhole, replaceFile } from "../disk/disk.ts";
import { PLACES } from "../disk/layout.ts";
import { entryText } from "../inspect/rebuild.ts";
import { placesOf, StreamFiles } from "../inspect/stream-files.ts";
import type { RepairRun } from "./repair-run.ts";

/** Makes the index match the repaired streams, and forget those that are gone. */
export async function relist(run: RepairRun): Promise<void> {
  const { disk, layout, changed, gone } = run;
  const index = new IndexFile(disk, layout);
  try {
    const loaded = index.load();
    if (!loaded || changed.size + gone.size === 0) return;
    renewRows(run, loaded);
    if (gone.size === 0) return await index.append(loaded.catalog, loaded.catalog.fresh(), loaded.meta);
    const rows = [...loaded.catalog.streams()].flatMap((stream) => {
      const known = gone.has(stream) ? undefined : loaded.catalog.get(stream);
      return known ? [{ stream, known, isDue: loaded.catalog.isDue(stream) }] : [];
    });
    // Rewritten, because a row cannot be taken back. If that is interrupted, the next start rebuilds it from the course files.
    await replaceFile(disk, `${layout.index}.bad-${run.time}`, readWhole(disk, layout.index) ?? Buffer.alloc(0));
    const catalog = index.empty();
    for (const { stream, known, isDue } of rows) catalog.put(stream, known, isDue);
    await index.append(catalog, catalog.fresh(), loaded.meta);
  } finally {
    index.close();
  }
}

function renewRows(run: RepairRun, { catalog }: Loaded): void {
  const { disk, layout, foldEntry } = run;
  for (const stream of run.changed) {
    const place = placesOf(disk, layout, stream)[0];
    const files = place && new StreamFiles(disk, layout, stream, place);
    const found = files && run.examine(files);
    if (!found) continue;
    const entry = stream === PROJECT_STREAM ? undefined : foldEntry(stream, found.foldable);
    catalog.put(stream, { ...found.head, entry: entry && entryText(entry) });
    // Without the lines that were cut out, its status may differ.
    const target = layout.folder(stream, entry ? PLACES[entry.status] : place);
    if (stream !== PROJECT_STREAM && target !== files.folder && !disk.stat(target)) disk.rename(files.folder, target);
  }
}
