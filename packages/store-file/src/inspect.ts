import { type Fault, PROJECT_STREAM, type RootId, type StreamId, shortId } from "@colloquy/schema";
import type { Catalog } from "./catalog.ts";
import { type Disk, realDisk } from "./disk.ts";
import { corrupt } from "./faults.ts";
import { IndexFile } from "./index-file.ts";
import { isRootId, Layout, PLACES, type Place } from "./layout.ts";
import { holderOf, isAlive, realProcesses } from "./lock.ts";
import { type FileStoreOptions, openFileStore } from "./open-file-store.ts";
import { survey } from "./survey.ts";

/** Something that is not as it should be in a project's `.dialogs/`. */
export interface Problem {
  readonly kind:
    | "damaged" // a line that cannot be read, or lines that are missing
    | "newer" // written by a newer Colloquy: not damaged, and not to be repaired
    | "unlisted" // a tree that the index does not know
    | "missing" // a tree that only the index knows
    | "misplaced" // a folder that is not where its status says
    | "leftover" // a file that a crash left behind
    | "noticed"; // what opening the store found, and has dealt with
  /** From the project's folder. */
  readonly file: string;
  readonly line?: number;
  readonly rootId?: RootId;
  readonly message: string;
}

export type InspectOptions = Pick<FileStoreOptions, "disk" | "processes" | "foldEntry"> & {
  /** Only this tree. */
  readonly rootId?: RootId;
};

/** Looks through a project's files. When nobody works on it, what the journal holds is first brought to where it belongs. */
export async function inspect(dir: string, options: InspectOptions = {}): Promise<readonly Problem[]> {
  const { disk = realDisk, processes = realProcesses, rootId } = options;
  const layout = new Layout(dir);
  const holder = holderOf(disk, layout);
  const isBusy = holder !== undefined && isAlive(holder, processes);
  const noticed = isBusy ? [] : await settled(dir, options);
  const index = new IndexFile(disk, layout);
  try {
    const catalog = index.load()?.catalog ?? index.empty();
    const streams: StreamId[] = rootId ? [rootId] : [PROJECT_STREAM, ...new Set([...foundIn(disk, layout), ...catalog.streams()])];
    return [
      ...noticed,
      ...[...new Set(streams)].flatMap((stream) => inspectStream(disk, layout, catalog, stream, isBusy)),
      ...(rootId || isBusy ? [] : leftovers(disk, layout)),
    ];
  } finally {
    index.close();
  }
}

async function settled(dir: string, options: FileStoreOptions): Promise<Problem[]> {
  const store = await openFileStore(dir, { ...options, isBackground: false });
  const notices = store.health().notices;
  await store.close({ asCrashed: store.crashed }); // to look is not to deal with it
  return notices.map((message) => ({ kind: "noticed", file: ".dialogs", message }));
}

function inspectStream(disk: Disk, layout: Layout, catalog: Catalog, stream: StreamId, isBusy: boolean): Problem[] {
  const name = stream === PROJECT_STREAM ? {} : { rootId: stream };
  const place = placesOf(disk, layout, stream)[0];
  if (place === undefined) {
    const file = layout.name(layout.folder(stream, PLACES[catalog.statusOf(stream) ?? "running"]));
    return catalog.head(stream) && !isBusy
      ? [{ kind: "missing", file, ...name, message: `${file} is missing; only the index knows of it.` }]
      : [];
  }
  const problems: Problem[] = [];
  const found = survey(disk, layout, stream, place);
  const folder = layout.name(layout.folder(stream, place));
  const known = catalog.head(stream);
  if (found?.damage) problems.push({ ...damageOf(found.damage.fault), ...name });
  else if (found && known && known.seq > found.seq) {
    const fault = corrupt(stream, `${layout.name(layout.course(stream, place, found.head.course))}:${found.lines.length + 1}`);
    problems.push({ ...damageOf(fault), ...name });
  }
  if (stream === PROJECT_STREAM || !found) return problems;
  const status = catalog.statusOf(stream);
  if (status === undefined) {
    if (!isBusy)
      problems.push({ kind: "unlisted", file: folder, ...name, message: `The index does not know ${folder} (${shortId(stream)}).` });
  } else if (PLACES[status] !== place && !isBusy) {
    problems.push({
      kind: "misplaced",
      file: folder,
      ...name,
      message: `${folder} belongs into .dialogs/${PLACES[status]}/: it is ${status}.`,
    });
  }
  return problems;
}

function damageOf(fault: Fault): Problem {
  const [, file = ".dialogs", line = "1"] = /^(\S+):(\d+) /.exec(fault.message) ?? [];
  return { kind: fault.message.includes("newer Colloquy") ? "newer" : "damaged", file, line: Number(line), message: fault.message };
}

/** Files that were being written when a process died. */
function leftovers(disk: Disk, layout: Layout): Problem[] {
  const folders = [
    layout.dialogs,
    ...foundIn(disk, layout).flatMap((id) => placesOf(disk, layout, id).map((place) => layout.folder(id, place))),
  ];
  return folders.flatMap((folder) => {
    const names = disk.list(folder).filter((name) => name.endsWith(".tmp") || name.startsWith("lock."));
    return names.map((name): Problem => {
      const file = layout.name(`${folder}/${name}`);
      return { kind: "leftover", file, message: `${file} was left behind by a process that died.` };
    });
  });
}

/** Where folders of trees are, whatever their status. */
export function placesOf(disk: Disk, layout: Layout, stream: StreamId): Place[] {
  if (stream === PROJECT_STREAM) return disk.stat(layout.course(stream, "run", 1)) ? ["run"] : [];
  return Object.values(PLACES).filter((place) => disk.stat(layout.folder(stream, place)));
}

const foundIn = (disk: Disk, layout: Layout): RootId[] =>
  Object.values(PLACES).flatMap((place) => disk.list(layout.place(place)).filter(isRootId));
