import { PROJECT_STREAM, type RootId, type StreamId, unreachable } from "@colloquy/schema";
import { IndexFile } from "../courses/index-file.ts";
import { unwrittenOf } from "../courses/unwritten.ts";
import { readWhole, realDisk, replaceFile } from "../disk/disk.ts";
import { Layout, PLACES } from "../disk/layout.ts";
import { lockProject } from "../disk/lock.ts";
import type { Examined } from "../inspect/examine.ts";
import { inspect, type Problem } from "../inspect/inspect.ts";
import type { StreamFiles } from "../inspect/stream-files.ts";
import type { Damage } from "../inspect/survey.ts";
import { projectionBytes } from "../projections.ts";
import { cutOut, restoreByte } from "./damaged-course.ts";
import { rebuildProjectLog } from "./project-log.ts";
import { relist } from "./relist.ts";
import { type RepairOptions, RepairRun } from "./repair-run.ts";

/** What was done about one problem. */
interface Done {
  readonly rootId: RootId | undefined;
  readonly message: string;
}

/**
 * Repairs a project's files as far as possible. Nothing is deleted: whatever has to go is kept aside. Returns what was done, for people,
 * leaving out anything that is still broken.
 */
export async function repair(dir: string, options: RepairOptions): Promise<readonly string[]> {
  const { disk = realDisk, now = Date.now } = options;
  const layout = new Layout(dir);
  const problems = await inspect(dir, options);
  const lock = lockProject(disk, layout, options.processes, now());
  let done: readonly Done[];
  try {
    done = await repairAll(new RepairRun(disk, layout, new Date(now()).toISOString(), options), problems);
  } finally {
    if (lock.tookOver) lock.abandon();
    else lock.release();
  }
  if (done.length === 0) return [];
  const left = (await inspect(dir, options)).filter(({ kind }) => kind !== "noticed" && kind !== "leftover");
  return done.filter(({ rootId }) => left.every((one) => one.rootId !== rootId)).map(({ message }) => message);
}

async function repairAll(run: RepairRun, problems: readonly Problem[]): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const problem of problems) {
    const messages = await repairOne(run, problem).catch((error: unknown) => {
      if (error instanceof Error && "code" in error) return []; // the file system refuses: found again, and reported as still broken
      throw error;
    });
    done.push(...messages.map((message) => ({ rootId: problem.rootId, message })));
  }
  await relist(run);
  return done;
}

async function repairOne(run: RepairRun, { kind, file, line, rootId }: Problem): Promise<string[]> {
  if (rootId !== undefined && run.gone.has(rootId)) return [];
  switch (kind) {
    case "damaged":
      return repairStream(run, rootId ?? PROJECT_STREAM);
    case "leftover":
      run.disk.remove(`${run.layout.dir}/${file}`);
      return [`${file} is removed.`];
    case "misplaced":
      return rootId ? [moveHome(run, rootId, file)] : [];
    case "unlisted":
      if (rootId) run.changed.add(rootId);
      return [`${file} is taken into the index.`];
    case "missing":
      if (!rootId) return rebuildProjectLog(run, run.time);
      run.gone.add(rootId);
      return [`${file} is gone; the index no longer lists it.`];
    case "outdated":
      return rootId ? renew(run, rootId, file, line) : [];
    case "newer":
    case "noticed":
      return [];
    default:
      return unreachable(kind);
  }
}

/**
 * Repeats until the stream can be read and folded completely. If nothing is left of a tree, it is set aside with everything cut out, and
 * only that is reported.
 */
async function repairStream(run: RepairRun, stream: StreamId): Promise<string[]> {
  const files = run.filesOf(stream);
  const done = await writeUnwritten(files);
  run.changed.add(stream);
  for (let cut = 1; ; cut += 1) {
    const found = run.examine(files);
    if (!found) break;
    if (isDenied(found.damage)) return [];
    if (!found.damage) {
      if (stream !== PROJECT_STREAM && !isAnythingLeft(run, stream, found)) return [setAside(run, stream, files)];
      break;
    }
    if (stream !== PROJECT_STREAM && found.courses.length === 0) return [setAside(run, stream, files)];
    const time = cut === 1 ? run.time : `${run.time}-${cut}`;
    const restored = await restoreByte(files, found.damage, time);
    if (restored !== undefined) done.push(restored);
    else if (run.canRebuild(stream)) return [...done, ...(await rebuildProjectLog(run, time))];
    else done.push(await cutOut(files, found, found.damage, time));
  }
  if (done.length === 0 && run.canRebuild(stream)) return rebuildProjectLog(run, run.time);
  run.disk.remove(files.snapshot); // it may cover lines that are gone
  return done.length > 0 ? done : [`${stream} ends earlier than the index says; the index follows it.`];
}

const isDenied = (damage: Damage | undefined): boolean => /cannot be read \((EACCES|EPERM)\)/.test(damage?.fault.message ?? "");

function isAnythingLeft({ meaning, foldEntry }: RepairRun, rootId: RootId, { foldable, folded }: Examined): boolean {
  if (folded) return folded.entry !== undefined;
  return foldable.lines.length > 0 && (meaning !== undefined || foldEntry(rootId, foldable) !== undefined);
}

/** Bytes that could not be written into their course file go there now, if they still fit. */
async function writeUnwritten(files: StreamFiles): Promise<string[]> {
  const { disk, layout, stream } = files;
  const done: string[] = [];
  for (const { course, at, path, name } of unwrittenOf(disk, layout, stream)) {
    const file = files.course(course);
    const stat = disk.stat(file);
    if (stat?.isFolder !== false || stat.size !== at) continue;
    const bytes = [readWhole(disk, file), readWhole(disk, path)].flatMap((one) => one ?? []);
    await replaceFile(disk, file, Buffer.concat(bytes));
    disk.remove(path);
    done.push(`${files.nameOf(course)} got back what was kept in ${name}.`);
  }
  return done;
}

/** Nothing of the tree can be folded. */
function setAside(run: RepairRun, rootId: RootId, { folder }: StreamFiles): string {
  const kept = run.keepAside(folder, rootId);
  run.changed.delete(rootId);
  run.gone.add(rootId);
  const { layout } = run;
  return `${layout.name(folder)} holds nothing that can be read; it is kept in ${layout.name(kept)}/, and no longer listed.`;
}

/** A tree's folder that is not where its status says. */
function moveHome(run: RepairRun, rootId: RootId, file: string): string {
  const { disk, layout } = run;
  const index = new IndexFile(disk, layout);
  const status = index.load()?.catalog.statusOf(rootId) ?? "running";
  index.close();
  const target = layout.folder(rootId, PLACES[status]);
  disk.makeFolder(layout.place(PLACES[status]));
  if (!disk.stat(target)) {
    disk.rename(`${layout.dir}/${file}`, target);
    return `${file} is moved to .dialogs/${PLACES[status]}/.`;
  }
  const kept = run.keepAside(`${layout.dir}/${file}`, rootId);
  return `${file} is there twice; this one is kept in ${layout.name(kept)}/.`;
}

/** Makes a derived file again from the log. */
async function renew(run: RepairRun, rootId: RootId, file: string, line: number | undefined): Promise<string[]> {
  const { disk, layout } = run;
  const files = run.filesOf(rootId);
  const found = run.examine(files);
  if (!found) return [];
  const path = `${layout.dir}/${file}`;
  if (path === layout.index) {
    run.changed.add(rootId);
    return [`${file} says again what the log of ${rootId} says.`];
  }
  if (disk.stat(path)?.isFolder) disk.rename(path, `${path}.bad-${run.time}`);
  const checkpoint = found.checkpoints.find(({ course }) => files.course(course) === path);
  if (checkpoint && line === 1) {
    run.changed.add(rootId); // the index knows where the newest course ends
    const at = { course: checkpoint.course, line, seq: checkpoint.snapshot.seq + 1 };
    return [await cutOut(files, found, at, run.time)];
  }
  const projection = found.folded?.files.find((one) => `${files.folder}/${one.path}` === path);
  if (projection?.content === undefined) disk.remove(path);
  else {
    disk.makeFolder(path.slice(0, path.lastIndexOf("/")));
    await replaceFile(disk, path, projectionBytes(projection.path, projection.content));
  }
  return [`${file} is made again from the log.`];
}
