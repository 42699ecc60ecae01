import { type Entry, type Fault, PROJECT_STREAM, type RootId, type Snapshot, type StreamId, shortId } from "@colloquy/schema";
import type { Catalog, Known } from "../catalog.ts";
import { codeOf, type Disk, readWhole, realDisk } from "../disk/disk.ts";
import { type Examined, examine } from "./examine.ts";
import { corrupt, isOfOneFile, oddFile } from "./faults.ts";
import { IndexFile } from "../courses/index-file.ts";
import { entryFrom } from "../courses/index-row.ts";
import { isRootId, Layout, PLACES } from "../disk/layout.ts";
import { type Holder, holderOf, isAlive, realProcesses } from "../disk/lock.ts";
import { marksOf } from "../journal/marks.ts";
import type { Folded, Meaning } from "./meaning.ts";
import { type FileStoreOptions, openFileStore } from "../open-file-store.ts";
import { projectionBytes } from "../projections.ts";
import { placesOf, StreamFiles } from "./stream-files.ts";

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
    const inspection: Inspection = { disk, layout, catalog, isBusy, meaning };
    const streams: StreamId[] = rootId ? [rootId] : [PROJECT_STREAM, ...new Set([...foundIn(disk, layout), ...catalog.streams()])];
    return [
      ...noticed,
      ...[...new Set(streams)].flatMap((stream) => inspectStream(inspection, stream)),
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

interface Inspection {
  readonly disk: Disk;
  readonly layout: Layout;
  readonly catalog: Catalog;
  /** Another process has the project open: derived files may lag behind. */
  readonly isBusy: boolean;
  readonly meaning: Meaning | undefined;
}

function inspectStream({ disk, layout, catalog, isBusy, meaning }: Inspection, stream: StreamId): Problem[] {
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
  const files = new StreamFiles(disk, layout, stream, place);
  const found = examine(files, isBusy ? undefined : meaning);
  if (!found) return [];
  const damage = found.damage?.fault ?? (known && known.seq > found.seq ? tooShort(files, found) : undefined);
  const problems: Problem[] = damage ? [{ ...damageOf(damage), ...name }] : [];
  if (stream === PROJECT_STREAM || isBusy) return problems;
  const folder = layout.name(files.folder);
  if (status === undefined)
    problems.push({ kind: "unlisted", file: folder, ...name, message: `The index does not know ${folder} (${shortId(stream)}).` });
  for (const one of places) {
    if (status === undefined ? one === place : one === PLACES[status]) continue;
    const file = layout.name(layout.folder(stream, one));
    const message = `${file} belongs into .dialogs/${PLACES[status ?? "running"]}/: it is ${status ?? "running"}.`;
    problems.push({ kind: "misplaced", file, ...name, message });
  }
  if (damage || status === undefined || !found.folded || !meaning) return problems;
  const derived = [
    ...outdatedStates(files, found, found.folded, meaning),
    // After a crash they may be outdated; opening the project updates them.
    ...(catalog.isDue(stream) ? [] : outdatedProjections(files, found.folded)),
    ...(known ? outdatedRow(files, found, found.folded, known) : []),
  ];
  return [...problems, ...derived.map((one) => ({ ...one, ...name }))];
}

/** The project's own log is gone, and there are trees that can tell some of it. */
function lostProject(disk: Disk, layout: Layout, known: Known | undefined, meaning: Meaning | undefined): Problem[] {
  if (!meaning?.missingFromProject || (!known && foundIn(disk, layout).length === 0)) return [];
  const file = layout.name(layout.course(PROJECT_STREAM, "run", 1));
  const message = `${file} is missing: tasks, notices and who began which dialog. colloquy doctor --fix rebuilds it from the dialogs.`;
  return [{ kind: "missing", file, message }];
}

/** The line that should follow the last one. */
function tooShort(files: StreamFiles, { head, places }: Examined): Fault {
  const last = places.findLast(({ course }) => course === head.course)?.line ?? (files.stream === PROJECT_STREAM ? 0 : 1);
  return corrupt(files.stream, `${files.nameOf(head.course)}:${last + 1}`);
}

function outdated({ layout, stream }: StreamFiles, path: string, what: string, line?: number): Problem {
  const file = layout.name(path);
  const where = line === undefined ? file : `${file}:${line}`;
  const message = `${where} ${what}. colloquy doctor ${shortId(stream)} --fix makes it again.`;
  return { kind: "outdated", file, ...(line !== undefined && { line }), message };
}

/** Checkpoints and the snapshot that differ from the log. */
function outdatedStates(files: StreamFiles, { checkpoints, seq, snapshot }: Examined, folded: Folded, meaning: Meaning): Problem[] {
  const isWrong = (kept: Snapshot) =>
    kept.reducer === meaning.reducer &&
    kept.seq > 0 &&
    folded.states.has(kept.seq) &&
    !meaning.isSame(folded.states.get(kept.seq), kept.state);
  const problems = checkpoints
    .filter((one) => isWrong(one.snapshot))
    .map(({ course }) => outdated(files, files.course(course), "holds another state than the lines before it lead to", 1));
  if (snapshot && (snapshot.snapshot.seq > seq || isWrong(snapshot.snapshot)))
    problems.push(outdated(files, files.snapshot, "holds another state than the log leads to"));
  if (!isFileOrNone(files.disk, files.snapshot)) problems.push(outdated(files, files.snapshot, "is not a file"));
  return problems;
}

/** Files for people that differ from the log. */
function outdatedProjections(files: StreamFiles, folded: Folded): Problem[] {
  return folded.files.flatMap(({ path, content }) => {
    const file = `${files.folder}/${path}`;
    const wanted = content === undefined ? undefined : projectionBytes(path, content);
    if (!isFileOrNone(files.disk, file)) return [outdated(files, file, "is not a file")];
    return sameBytes(readOrNone(files.disk, file), wanted) ? [] : [outdated(files, file, "does not say what the log says")];
  });
}

/** The index's row, if it differs from the log. */
function outdatedRow(files: StreamFiles, { head }: Examined, { entry }: Folded, known: Known): Problem[] {
  const id = shortId(files.stream);
  const problem = (what: string) => [outdated(files, files.layout.index, what)];
  if (known.seq !== head.seq) return problem(`is at event ${known.seq} of ${id}, and the log at ${head.seq}`);
  if (known.course !== head.course || known.size !== head.size) return problem(`has the wrong place for the end of the log of ${id}`);
  const isSame = isSameEntry(entryFrom(known.entry?.text ?? ""), entry) && known.entry?.marks === (entry && marksOf(entry));
  return isSame ? [] : problem(`does not say of ${id} what its log says`);
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

const foundIn = (disk: Disk, layout: Layout): RootId[] =>
  Object.values(PLACES).flatMap((place) => disk.list(layout.place(place)).filter(isRootId));
