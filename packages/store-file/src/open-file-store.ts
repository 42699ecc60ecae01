import { join } from "node:path";
import { Fault, PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import type { Catalog } from "./catalog.ts";
import { decodeCommit } from "./journal/commit-record.ts";
import { type Disk, isFull, replaceFile } from "./disk/disk.ts";
import { isOfOneFile, isReadonly, noRoomToOpen, oddFile, readonly } from "./inspect/faults.ts";
import { FileStore, type Ground } from "./file-store.ts";
import { IndexFile, type Loaded } from "./courses/index-file.ts";
import { type FoundJournal, readJournal } from "./journal/journal-reader.ts";
import { INCOMING, Layout, PLACES } from "./disk/layout.ts";
import { lockProject, type Processes, realProcesses } from "./disk/lock.ts";
import { type Pace, realPace } from "./disk/pace.ts";
import { entryText, type FoldEntry, rebuild } from "./inspect/rebuild.ts";
import { redo } from "./journal/recovery.ts";
import { threadedDisk } from "./courses/scribe-thread.ts";
import { type FoundSlot, Slots } from "./journal/slots.ts";
import { StreamFiles } from "./inspect/stream-files.ts";
import { survey } from "./inspect/survey.ts";
import { WriteBehind } from "./courses/write-behind.ts";

export interface FileStoreOptions {
  /** Makes a tree's entry from its lines if the index has none. Without it such trees are not listed. */
  readonly foldEntry?: FoldEntry;
  readonly slotBytes?: number;
  readonly slots?: number;
  /** An index below this size is not rewritten, however stale it is. */
  readonly compactAt?: number;
  /** False: no background writes, only by `flush`, `checkpoint` and `close`. */
  readonly isBackground?: boolean;
  readonly disk?: Disk;
  readonly pace?: Pace;
  readonly processes?: Processes;
  readonly now?: () => number;
}

/** Opens the store of the project in `dir`, and locks the project for this process. */
export async function openFileStore(dir: string, options: FileStoreOptions = {}): Promise<FileStore> {
  const { disk = threadedDisk, processes = realProcesses, now = Date.now } = options;
  const layout = new Layout(dir);
  try {
    disk.makeFolder(layout.dialogs);
    const notices = disk.makePrivate(layout.dialogs) ? [] : [notPrivate(layout)];
    const lock = lockProject(disk, layout, processes, now());
    return await openLocked({ disk, layout, lock, notices }, options);
  } catch (error) {
    if (isReadonly(error)) throw readonly(layout.dialogs, error);
    if (isFull(error)) throw noRoomToOpen(layout.dialogs, error);
    throw isOfOneFile(error) && !(error instanceof Fault) ? oddFile(layout, error) : error;
  }
}

type LockedProject = Pick<Ground, "disk" | "layout" | "lock" | "notices">;

async function openLocked(project: LockedProject, options: FileStoreOptions): Promise<FileStore> {
  const { disk, layout, lock } = project;
  const index = new IndexFile(disk, layout, options.pace, options.compactAt);
  let slots: Slots | undefined;
  try {
    await keepOutOfGit(disk, layout);
    // So that the journal and our lock are found even after a power cut; a process that died may not have synced them. The places exist
    // before any folder moves into them: a move that survives while its target's creation does not would lose the folder.
    for (const folder of [layout.journal, ...Object.values(PLACES).map(layout.place)]) disk.makeFolder(folder);
    for (const folder of [layout.dir, layout.dialogs, layout.journal]) await disk.syncFolder(folder);
    const { ground, found } = prepare(project, index, options);
    slots = ground.slots;
    await index.confirm(); // from now on we rely on it
    await slots.confirm(found);
    const store = new FileStore(ground);
    await store.lookCloser();
    return store;
  } catch (error) {
    index.close();
    await slots?.close();
    // The crash is still to be dealt with.
    if (lock.tookOver) lock.abandon();
    else lock.release();
    throw error;
  }
}

/**
 * Written before the journal folder exists, so a crash cannot leave a project without it. A project with a journal keeps its people's
 * choice: they may have changed or removed the file.
 */
async function keepOutOfGit(disk: Disk, layout: Layout): Promise<void> {
  if (disk.stat(layout.journal) || disk.stat(layout.gitignore)) return;
  await replaceFile(disk, layout.gitignore, Buffer.from("*\n"));
}

const notPrivate = ({ dialogs }: Layout): string =>
  `Other users of this machine may be able to read ${dialogs}: its permissions could not be changed. Its owner can: chmod 700 ${dialogs}`;

function prepare(
  { disk, layout, lock, notices: earlier }: LockedProject,
  index: IndexFile,
  options: FileStoreOptions,
): { ground: Ground; found: readonly FoundSlot[] } {
  const { slotBytes = 8 << 20, slots = 3, isBackground = true, foldEntry, pace = realPace } = options;
  const loaded = index.load();
  const journal = readJournal(disk, layout, loaded?.meta.freed ?? 0);
  const isTrusted = loaded !== undefined && !isHalf(loaded, journal) && !misses(loaded, journal);
  const catalog = isTrusted ? loaded.catalog : index.empty();
  const notices = [...earlier, ...journal.notices];

  // A young project has no index yet: the journal has everything from the beginning, and no course file has to be read.
  const isWhole = hasEverything(journal);
  let pos = isTrusted ? loaded.meta.pos : isWhole ? 0 : rebuild(disk, layout, catalog, foldEntry);
  const isYoung = isWhole || journal.scans[0]?.before?.end === 0;
  // A crash may have torn an append about files for people, made while nothing was committed.
  const isCutOff = loaded !== undefined && lock.tookOver !== undefined && !misses(loaded, journal);
  if (!isTrusted && !isYoung && !isCutOff && catalog.count() > 0)
    notices.push("The index was missing or damaged; it is made again from the course files.");
  if (foldEntry) foldMissing(disk, layout, catalog, foldEntry);
  const behind = new WriteBehind(disk, layout, pace, catalog);
  const redone = redo(journal, catalog, behind, !isTrusted);
  pos = Math.max(pos, redone.pos);
  // What damage took from the journal may have continued one of them.
  if (journal.scans.every(({ damaged }) => damaged.length === 0)) removeUnclaimed(disk, layout, catalog);
  const ground: Ground = {
    disk,
    pace,
    layout,
    lock,
    index,
    catalog,
    behind,
    slots: new Slots({ disk, layout, pace }, { slotBytes, slots }, journal.slots),
    last: journal.last,
    pos,
    suspects: redone.suspects,
    crashed: lock.tookOver !== undefined || journal.scans.length > 0,
    notices,
    isBackground,
  };
  return { ground, found: journal.slots };
}

/** Is the index only a partial append? With an empty journal, as after a clean stop, it may have been complete once. */
const isHalf = ({ hasTail }: Loaded, { slots }: FoundJournal): boolean => hasTail && slots.every((slot) => slot.used === 0);

/** Does the index lack something that is not in the journal either? */
function misses({ meta }: Loaded, { scans }: FoundJournal): boolean {
  const before = scans[0]?.before;
  return before !== undefined && before.generation > meta.freed && before.end > 0;
}

/** Does the journal begin with the project's first commit, and is it complete? */
function hasEverything({ scans }: FoundJournal): boolean {
  // A crash may have left a slot before it with only a torn write.
  const first = scans.find(({ commits }) => commits.length > 0)?.commits[0];
  return first !== undefined && decodeCommit(first.payload).pos === 1 && scans.every(({ damaged }) => damaged.length === 0);
}

/** Pasts of copied trees that no commit continued. */
function removeUnclaimed(disk: Disk, layout: Layout, catalog: Catalog): void {
  const incoming = layout.place(INCOMING);
  for (const name of disk.list(incoming)) if (!catalog.head(name as StreamId)) disk.removeFolder(join(incoming, name));
}

/** Trees whose entries could not be made with the index, because `foldEntry` was missing. */
function foldMissing(disk: Disk, layout: Layout, catalog: Catalog, foldEntry: FoldEntry): void {
  if (catalog.entryless() === 0) return;
  for (const stream of catalog.streams()) {
    if (stream === PROJECT_STREAM || catalog.statusOf(stream) !== undefined) continue;
    const known = catalog.get(stream);
    const found = Object.values(PLACES)
      .map((place) => survey(new StreamFiles(disk, layout, stream, place)))
      .find((at) => at !== undefined);
    const entry = found && foldEntry(stream, found.foldable);
    if (known && entry) catalog.put(stream, { ...known, entry: entryText(entry) });
  }
}
