import { LOG_VERSION, PROJECT_STREAM, type RootId, type StreamId } from "@colloquy/schema";
import { checkpointText, lastSeq, type LostLine } from "./course.ts";
import { type Disk, readWhole, realDisk, replaceFile } from "./disk.ts";
import { IndexFile } from "./index-file.ts";
import { inspect, type InspectOptions, placesOf, type Problem } from "./inspect.ts";
import { Layout, PLACES, type Place } from "./layout.ts";
import { lockProject } from "./lock.ts";
import { entryText, type FoldEntry } from "./rebuild.ts";
import { type Damage, type Survey, survey } from "./survey.ts";

export type RepairOptions = InspectOptions & { readonly foldEntry: FoldEntry; readonly now?: () => number };

/** Puts right what can be put right. Nothing is thrown away: what has to go is kept beside. Returns what was done, for people. */
export async function repair(dir: string, options: RepairOptions): Promise<readonly string[]> {
  const { disk = realDisk, now = Date.now, foldEntry } = options;
  const layout = new Layout(dir);
  const problems = await inspect(dir, options);
  const lock = lockProject(disk, layout, options.processes, now());
  try {
    const done: string[] = [];
    const time = new Date(now()).toISOString().replaceAll(/[:.]/g, "-");
    for (const problem of problems) done.push(...(await mend(disk, layout, problem, time)));
    await listAgain(disk, layout, problems, foldEntry);
    return done;
  } finally {
    if (lock.tookOver) lock.abandon();
    else lock.release();
  }
}

async function mend(disk: Disk, layout: Layout, { kind, file, message, rootId }: Problem, time: string): Promise<string[]> {
  switch (kind) {
    case "damaged":
      return cutOut(disk, layout, rootId ?? PROJECT_STREAM, time);
    case "leftover":
      disk.remove(`${layout.dir}/${file}`);
      return [`${file} is removed.`];
    case "misplaced":
      return rootId ? [move(disk, layout, rootId, file)] : [];
    case "unlisted":
      return [`${file} is taken into the index.`];
    case "newer":
    case "missing":
      return [message];
    case "noticed":
      return [];
  }
}

/** Goes on until the stream can be read from one end to the other. */
async function cutOut(disk: Disk, layout: Layout, stream: StreamId, time: string): Promise<string[]> {
  const place = placesOf(disk, layout, stream)[0] ?? "run";
  const done: string[] = [];
  for (let cut = 1; ; cut += 1) {
    const found = survey(disk, layout, stream, place);
    if (!found?.damage) break;
    done.push(await cutOne(disk, layout, stream, place, found, found.damage, cut === 1 ? time : `${time}-${cut}`));
  }
  disk.remove(layout.snapshot(stream, place)); // it may be of what is no longer there
  return done.length > 0 ? done : [`${stream} ends earlier than the index says; the index follows it.`];
}

async function cutOne(
  disk: Disk,
  layout: Layout,
  stream: StreamId,
  place: Place,
  found: Survey,
  damage: Damage,
  time: string,
): Promise<string> {
  const path = layout.course(stream, place, damage.course);
  const lines = linesOf(readWhole(disk, path) ?? Buffer.alloc(0));
  const bad = damage.line - 1;
  const name = layout.name(path);
  const write = (kept: readonly Buffer[]) => replaceFile(disk, path, Buffer.concat(kept), layout.folder(stream, place));
  const keep = (dropped: readonly Buffer[]) =>
    replaceFile(disk, `${path}.bad-${time}`, Buffer.concat(dropped), layout.folder(stream, place));

  if (bad === 0 && stream !== PROJECT_STREAM) {
    // Only a base to fold from: readers go further back without it.
    const before = found.lines.at(-1);
    const seq = seqIn(lines[1]) === undefined && before ? lastSeq(before) : (seqIn(lines[1]) ?? 1) - 1;
    await keep(lines.slice(0, 1));
    await write([Buffer.from(checkpointText({ reducer: 0, seq, pos: 0, state: null })), ...lines.slice(1)]);
    return `${name}:1 could be made again; the old line is kept in ${name}.bad-${time}.`;
  }
  if (damage.course === found.courses.at(-1)) {
    // Later events may rest on the lost ones, so the dialog goes on from the last state that is whole.
    await keep(lines.slice(bad));
    await write(lines.slice(0, bad));
    return `${name}: line ${damage.line} and ${lines.length - damage.line} after it are cut out, and kept in ${name}.bad-${time}.`;
  }
  const isWhole = seqIn(lines[bad]) !== undefined; // then what stood before it is missing
  const before = damage.line > 2 ? found.lines.at(-1) : undefined;
  const from = before ? lastSeq(before) + 1 : (seqIn(lines[bad]) ?? 1);
  const following = lines.slice(isWhole ? bad : bad + 1);
  const to = (seqIn(following[0]) ?? firstSeqOf(disk, layout, stream, place, damage.course + 1)) - 1;
  const lost: LostLine = { v: LOG_VERSION, lost: { from, to, kept: `${name}.bad-${time}` } };
  await keep(isWhole ? [] : lines.slice(bad, bad + 1));
  await write([...lines.slice(0, bad), Buffer.from(`${JSON.stringify(lost)}\n`), ...following]);
  return `${name}: line ${damage.line} (events ${from}–${to}) is cut out, and kept in ${name}.bad-${time}. The dialog goes on; that piece of its history is gone.`;
}

function move(disk: Disk, layout: Layout, rootId: RootId, file: string): string {
  const index = new IndexFile(disk, layout);
  const status = index.load()?.catalog.statusOf(rootId) ?? "running";
  index.close();
  disk.makeFolder(layout.place(PLACES[status]));
  disk.rename(`${layout.dir}/${file}`, layout.folder(rootId, PLACES[status]));
  return `${file} is moved to .dialogs/${PLACES[status]}/.`;
}

/** The index says of these trees what their lines say. */
async function listAgain(disk: Disk, layout: Layout, problems: readonly Problem[], foldEntry: FoldEntry): Promise<void> {
  const changed = problems.filter(({ kind }) => kind === "damaged" || kind === "unlisted").map(({ rootId }) => rootId ?? PROJECT_STREAM);
  const index = new IndexFile(disk, layout);
  try {
    const loaded = index.load();
    if (!loaded || changed.length === 0) return;
    for (const stream of new Set(changed)) {
      const found = placesOf(disk, layout, stream).map((place) => survey(disk, layout, stream, place))[0];
      const entry = found && stream !== PROJECT_STREAM ? foldEntry(stream, { base: undefined, lines: found.lines }) : undefined;
      if (found) loaded.catalog.put(stream, { ...found.head, entry: entry && entryText(entry) });
    }
    await index.append(loaded.catalog, loaded.catalog.fresh(), loaded.meta);
  } finally {
    index.close();
  }
}

/** With their ends; what follows the last one is a line too. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at) + 1 || bytes.length;
    lines.push(bytes.subarray(at, end));
    at = end;
  }
  return lines;
}

function seqIn(line: Buffer | undefined): number | undefined {
  try {
    const { seq } = JSON.parse(line?.toString() ?? "") as { seq?: unknown };
    return typeof seq === "number" ? seq : undefined;
  } catch {
    return undefined; // damaged
  }
}

const firstSeqOf = (disk: Disk, layout: Layout, stream: StreamId, place: Place, course: number): number =>
  seqIn(linesOf(readWhole(disk, layout.course(stream, place, course)) ?? Buffer.alloc(0))[1]) ?? 1;
