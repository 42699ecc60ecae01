import { type Entry, type Fault, PROJECT_STREAM, type RootId, type StreamId, shortId } from "@colloquy/schema";
import type { Catalog, Known } from "../catalog.ts";
import { codeOf, type Disk, readWhole, realDisk } from "../disk/disk.ts";
import { type Examined, examine } from "./examine.ts";
import { corrupt, isOfOneFile, oddFile } from "./faults.ts";
import { IndexFile } from "../courses/index-file.ts";
import { entryFrom } from "../courses/index-row.ts";
import { isRootId, Layout, PLACES, type StatusFolder } from "../disk/layout.ts";
import { type Holder, holderOf, isAlive, realProcesses } from "../disk/lock.ts";
import { marksOf } from "../journal/marks.ts";
import type { Meaning } from "./meaning.ts";
import { type FileStoreOptions, openFileStore } from "../open-file-store.ts";
import { projectionBytes } from "../projections.ts";

/** A problem in a project's `.dialogs/`. */
export interface Problem {
  readonly kind:
    | "damaged" // an unreadable or unfoldable line, or missing lines
    | "newer" // written by a newer Colloquy: not damaged, and not to be repaired
    | "outdated" // a derived file that differs from the log
    | "unlisted" // a tree missing from the index
    | "missing" // a tree that only the index knows
    | "misplaced" // a folder that is not where its status says
    | "leftover" // a file left behind by a crash
    | "noticed"; // found and dealt with when the store was opened
  /** Relative to the project's folder. */
  readonly file: string;
  readonly line?: number;
  readonly rootId?: RootId;
  readonly message: string;
}

export type InspectOptions = Omit<FileStoreOptions, "isBackground"> & {
  /** Only this tree. */
  readonly rootId?: RootId;
  /** Without it lines are read but not folded, and derived files are not compared. */
  readonly meaning?: Meaning;
};

/** Inspects a project's files. If no process has it open, the journal's content is first written where it belongs. */
export async function inspect(dir: string, options: InspectOptions = {}): Promise<readonly Problem[]> {
  const { disk = realDisk, processes = realProcesses, rootId, meaning } = options;
  const layout = new Layout(dir);
  const holder = holderIfAny(disk, layout);
  const isBusy = holder !== undefined && isAlive(holder, processes);
  const noticed = isBusy ? [] : await inspectFiles(dir, options);
  const index = new IndexFile(disk, layout);
  try {
    const catalog = index.load()?.catalog ?? index.empty();
    const streams: StreamId[] = rootId ? [rootId] : [PROJECT_STREAM, ...new Set([...foundIn(disk, layout), ...catalog.streams()])];
    return [
      ...noticed,
      ...[...new Set(streams)].flatMap((stream) => inspectStream(disk, layout, catalog, stream, isBusy, meaning)),
      ...(rootId || isBusy ? [] : leftovers(disk, layout)),
    ];
  } finally {
    index.close();
  }
}

function holderIfAny(disk: Disk, layout: Layout): Holder | undefined {
  try {
    return holderOf(disk, layout);
  } catch (error) {
    throw isOfOneFile(error) ? oddFile(layout, error) : error;
  }
}

async function inspectFiles(dir: string, options: FileStoreOptions): Promise<Problem[]> {
  const store = await openFileStore(dir, { ...options, isBackground: false });
  const notices = store.health().notices;
  await store.close({ asCrashed: store.crashed }); // inspecting does not count as dealing with it
  return notices.map((message) => ({ kind: "noticed", file: ".dialogs", message }));
}

function inspectStream(
  disk: Disk,
  layout: Layout,
  catalog: Catalog,
  stream: StreamId,
  isBusy: boolean,
  meaning: Meaning | undefined,
): Problem[] {
  const name = stream === PROJECT_STREAM ? {} : { rootId: stream };
  const status = catalog.statusOf(stream);
  const places = placesOf(disk, layout, stream);
  const place = places.find((one) => status !== undefined && one === PLACES[status]) ?? places[0];
  const known = catalog.get(stream);
  if (place === undefined) {
    const file = layout.name(layout.folder(stream, PLACES[status ?? "running"]));
    if (stream === PROJECT_STREAM) return isBusy ? [] : lostProject(disk, layout, known, meaning);
    const message = `${file} is missing; only the index knows of it. colloquy doctor --fix takes it off the list.`;
    return known && !isBusy ? [{ kind: "missing", file, ...name, message }] : [];
  }
  const found = examine(disk, layout, stream, place, isBusy ? undefined : meaning);
  if (!found) return [];
  const damage = found.damage?.fault ?? (known && known.seq > found.seq ? tooShort(layout, stream, place, found) : undefined);
  const problems: Problem[] = damage ? [{ ...damageOf(damage), ...name }] : [];
  if (stream === PROJECT_STREAM || isBusy) return problems;
  const folder = layout.name(layout.folder(stream, place));
  if (status === undefined)
    problems.push({ kind: "unlisted", file: folder, ...name, message: `The index does not know ${folder} (${shortId(stream)}).` });
  for (const one of places) {
    if (status === undefined ? one === place : one === PLACES[status]) continue;
    const file = layout.name(layout.folder(stream, one));
    const message = `${file} belongs into .dialogs/${PLACES[status ?? "running"]}/: it is ${status ?? "running"}.`;
    problems.push({ kind: "misplaced", file, ...name, message });
  }
  if (damage || status === undefined || !meaning) return problems;
  const isDue = catalog.isDue(stream);
  return [...problems, ...outdated(disk, layout, stream, place, found, known, isDue, meaning).map((one) => ({ ...one, ...name }))];
}

/** The project's own log is gone, and there are trees that can tell some of it. */
function lostProject(disk: Disk, layout: Layout, known: Known | undefined, meaning: Meaning | undefined): Problem[] {
  if (!meaning?.missingFromProject || (!known && foundIn(disk, layout).length === 0)) return [];
  const file = layout.name(layout.course(PROJECT_STREAM, "run", 1));
  const message = `${file} is missing: tasks, notices and who began which dialog. colloquy doctor --fix rebuilds it from the dialogs.`;
  return [{ kind: "missing", file, message }];
}

/** The line that should follow the last one. */
function tooShort(layout: Layout, stream: StreamId, place: StatusFolder, { head, places }: Examined): Fault {
  const last = places.findLast(({ course }) => course === head.course)?.line ?? (stream === PROJECT_STREAM ? 0 : 1);
  return corrupt(stream, `${layout.name(layout.course(stream, place, head.course))}:${last + 1}`);
}

/** Derived files that differ from the log. */
function outdated(
  disk: Disk,
  layout: Layout,
  rootId: RootId,
  place: StatusFolder,
  found: Examined,
  known: Known | undefined,
  isDue: boolean,
  meaning: Meaning,
): Problem[] {
  const { folded, snapshot } = found;
  if (!folded) return [];
  const folder = layout.folder(rootId, place);
  const problem = (path: string, what: string, line?: number): Problem => {
    const file = layout.name(path);
    const where = line === undefined ? file : `${file}:${line}`;
    const message = `${where} ${what}. colloquy doctor ${shortId(rootId)} --fix makes it again.`;
    return { kind: "outdated", file, ...(line !== undefined && { line }), message };
  };
  const isWrong = ({ reducer, seq, state }: { reducer: number; seq: number; state: unknown }) =>
    reducer === meaning.reducer && seq > 0 && folded.states.has(seq) && !meaning.isSame(folded.states.get(seq), state);
  const problems = found.checkpoints
    .filter((one) => isWrong(one.snapshot))
    .map(({ course }) => problem(layout.course(rootId, place, course), "holds another state than the lines before it lead to", 1));
  if (snapshot && (snapshot.snapshot.seq > found.seq || isWrong(snapshot.snapshot)))
    problems.push(problem(layout.snapshot(rootId, place), "holds another state than the log leads to"));
  if (!isFileOrNone(disk, layout.snapshot(rootId, place))) problems.push(problem(layout.snapshot(rootId, place), "is no file"));
  // After a crash they may be outdated, and are updated when the project is opened.
  for (const { path, content } of isDue ? [] : folded.files) {
    const file = `${folder}/${path}`;
    const wanted = content === undefined ? undefined : projectionBytes(path, content);
    if (!isFileOrNone(disk, file)) problems.push(problem(file, "is no file"));
    else if (!sameBytes(readOrNone(disk, file), wanted)) problems.push(problem(file, "does not say what the log says"));
  }
  if (known && known.seq !== found.head.seq)
    problems.push(problem(layout.index, `is at event ${known.seq} of ${shortId(rootId)}, and the log at ${found.head.seq}`));
  else if (known && (known.course !== found.head.course || known.size !== found.head.size))
    problems.push(problem(layout.index, `has the wrong place for the end of the log of ${shortId(rootId)}`));
  else if (
    known &&
    (!isSameEntry(entryFrom(known.entry?.text ?? ""), folded.entry) || known.entry?.marks !== (folded.entry && marksOf(folded.entry)))
  )
    problems.push(problem(layout.index, `does not say of ${shortId(rootId)} what its log says`));
  return problems;
}

/** What lists, the inbox and start-up rely on. Fields that another version adds or omits are no problem. */
function isSameEntry(one: Entry | undefined, other: Entry | undefined): boolean {
  const facts = (entry: Entry | undefined) =>
    entry &&
    JSON.stringify([
      entry.rootId,
      entry.status,
      entry.hot,
      entry.agent,
      entry.title,
      entry.state,
      entry.stopped,
      entry.due,
      entry.questions?.map(({ id, kind, headline }) => [id, kind, headline]) ?? [],
    ]);
  return facts(one) === facts(other);
}

const sameBytes = (one: Buffer | undefined, other: Buffer | undefined): boolean =>
  one === undefined || other === undefined ? one === other : one.equals(other);

const isFileOrNone = (disk: Disk, path: string): boolean => disk.stat(path)?.isFolder !== true;

function readOrNone(disk: Disk, path: string): Buffer | undefined {
  try {
    return readWhole(disk, path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return Buffer.alloc(0); // it is not what it should be
  }
}

function damageOf(fault: Fault): Problem {
  const [, file = ".dialogs", line] = /^([^\s:]+)(?::(\d+))? /.exec(fault.message) ?? [];
  const kind = fault.message.includes("newer Colloquy (format") ? "newer" : "damaged";
  return { kind, file, ...(line !== undefined && { line: Number(line) }), message: fault.message };
}

/** Files that were being written when a process died. */
function leftovers(disk: Disk, layout: Layout): Problem[] {
  const folders = [
    layout.dialogs,
    ...foundIn(disk, layout).flatMap((id) => placesOf(disk, layout, id).map((place) => layout.folder(id, place))),
  ];
  return folders.flatMap((folder) => {
    const names = listOrNone(disk, folder).filter((name) => name.endsWith(".tmp") || name.startsWith("lock."));
    return names.map((name): Problem => {
      const file = layout.name(`${folder}/${name}`);
      return { kind: "leftover", file, message: `${file} was left behind by a process that died.` };
    });
  });
}

function listOrNone(disk: Disk, folder: string): readonly string[] {
  try {
    return disk.list(folder);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return []; // no folder, or unreadable: found with its tree
  }
}

/** Places of trees' folders, whatever their status. */
export function placesOf(disk: Disk, layout: Layout, stream: StreamId): StatusFolder[] {
  if (stream === PROJECT_STREAM) return disk.stat(layout.course(stream, "run", 1)) ? ["run"] : [];
  return Object.values(PLACES).filter((place) => disk.stat(layout.folder(stream, place)));
}

const foundIn = (disk: Disk, layout: Layout): RootId[] =>
  Object.values(PLACES).flatMap((place) => disk.list(layout.place(place)).filter(isRootId));
