import { dirname, join } from "node:path";
import type { RootId } from "@colloquy/schema";
import type { Disk } from "../disk/disk.ts";
import { isOfOneFile, notConfirmed } from "../inspect/faults.ts";
import type { Layout } from "../disk/layout.ts";
import type { Written } from "../projections.ts";
import type { Dirt, WriteBehind } from "../courses/write-behind.ts";

/** From this many files on, one sync of the whole file system is cheaper than one per file. */
const MAX_STREAMS = 256;
const SYNCS_AT_ONCE = 4;

interface CheckpointParts {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly behind: WriteBehind;
}

/** Makes everything written behind durable in its place. A failed sync must not be retried over the same pages. */
export async function syncDirt({ disk, layout, behind }: CheckpointParts, dirt: Dirt, projected: readonly Written[]): Promise<void> {
  const inTree = (rootId: RootId, path: string) => join(layout.folder(rootId, behind.placeOf(rootId)), path);
  const syncFile = async (path: string) => {
    const fd = unlessGone(() => disk.open(path, "write"));
    if (fd !== undefined) await disk.sync(fd).finally(() => disk.close(fd));
  };
  const syncFolder = async (path: string) => {
    if (unlessGone(() => disk.stat(path))?.isFolder) await disk.syncFolder(path);
  };
  /** An unsynced file looks right while the machine runs, and would not be written again. */
  const remove = ({ rootId, path }: Written) => disk.remove(inTree(rootId, path));
  const syncAll = () =>
    disk.syncAll(layout.dialogs).catch((error: unknown) => {
      projected.forEach(remove);
      throw error;
    });
  try {
    if (dirt.files.length + dirt.streams.length + projected.length > MAX_STREAMS && (await syncAll())) return;
    // Paths are built one by one, because a folder may move meanwhile.
    await inTurns(dirt.files, ({ stream, course }) => syncFile(layout.course(stream, behind.placeOf(stream), course)));
    await inTurns(projected, async (one) => {
      const file = inTree(one.rootId, one.path);
      if (!unlessGone(() => disk.stat(file))) return;
      await syncFile(file).catch((error: unknown) => {
        remove(one);
        throw error;
      });
    });
    await inTurns([...onceEach(projected.flatMap(foldersOf))], async ({ rootId, path }) => {
      await syncFolder(inTree(rootId, path));
    });
    await inTurns(dirt.streams, (stream) => syncFolder(layout.folder(stream, behind.placeOf(stream))));
    await inTurns(dirt.places, (place) => disk.syncFolder(place));
  } catch (error) {
    throw notConfirmed(error);
  }
}

/** A removed or replaced file is damage of that tree; it says nothing about the disk. */
function unlessGone<Value>(open: () => Value): Value | undefined {
  try {
    return open();
  } catch (error) {
    if (isOfOneFile(error)) return undefined;
    throw error;
  }
}

/** Each once, however often it was written. */
const onceEach = (all: readonly Written[]): Iterable<Written> => new Map(all.map((one) => [`${one.rootId}/${one.path}`, one])).values();

/** The tree's folders that contain a file, innermost first. */
function foldersOf({ rootId, path }: Written): Written[] {
  const folder = dirname(path);
  return folder === "." ? [{ rootId, path: "" }] : [{ rootId, path: folder }, ...foldersOf({ rootId, path: folder })];
}

async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, worker));
}
