import { Fault, type Line, PROJECT_STREAM, type Snapshot } from "@colloquy/schema";
import type { Opened } from "@colloquy/store";
import { Course, lastSeq } from "../courses/course.ts";
import { codeOf, readWhole } from "../disk/disk.ts";
import { corrupt, unreadable } from "./faults.ts";
import { courseOf } from "../disk/layout.ts";
import type { StreamFiles } from "./stream-files.ts";

/** Everything in a stream's files, damaged or not. */
export interface Survey {
  /** Of the last readable line. */
  readonly seq: number;
  readonly pos: number;
  readonly head: { readonly seq: number; readonly course: number; readonly size: number };
  /** Everything up to the first damage. */
  readonly lines: readonly Line[];
  /** The position of each. */
  readonly places: readonly LinePlace[];
  /** What can be folded without a gap: all lines, or the newest base after a lost piece of history and the lines after it. */
  readonly foldable: Opened;
  /** The states at the head of courses. */
  readonly checkpoints: readonly { readonly course: number; readonly snapshot: Snapshot }[];
  readonly courses: readonly number[];
  readonly damage: Damage | undefined;
}

export interface LinePlace {
  readonly course: number;
  /** In its file, from 1. */
  readonly line: number;
}

export interface Damage extends LinePlace {
  /** The event that should be there. */
  readonly seq: number;
  readonly fault: Fault;
}

/** Undefined if nothing of the stream exists. */
export function survey(streamFiles: StreamFiles): Survey | undefined {
  const { disk, layout, stream, folder } = streamFiles;
  let courses: readonly number[];
  try {
    courses = coursesIn(streamFiles);
  } catch (error) {
    return nothing([], { course: 1, line: 1, seq: 1, fault: unreadable(stream, layout.name(folder), error) });
  }
  if (courses.length === 0) {
    if (stream === PROJECT_STREAM || !disk.stat(folder)) return undefined;
    return nothing([], { course: 1, line: 1, seq: 1, fault: corrupt(stream, `${streamFiles.nameOf(1)}:1`) });
  }
  const files = courses.map((course) => readCourse(streamFiles, course));
  const lines: Line[] = [];
  const places: LinePlace[] = [];
  const checkpoints: { course: number; snapshot: Snapshot }[] = [];
  let foldable: { base: Snapshot | undefined; from: number } = { base: undefined, from: 0 };
  let isLost = false;
  let damage: Damage | undefined;
  let last: Pick<Survey, "seq" | "pos" | "head"> | undefined;
  let pos = 0;
  let lostTo = 0;
  const expected = () => Math.max(lostTo, ...lines.slice(-1).map(lastSeq)) + 1;
  for (const [n, { course, size, file }] of files.entries()) {
    const first = stream === PROJECT_STREAM ? 0 : 1;
    if (!(file instanceof Course)) {
      damage ??= { course, line: 1, seq: expected(), fault: file };
      continue;
    }
    const numbers: number[] = [];
    try {
      const checkpoint = first === 1 ? file.checkpoint() : undefined;
      if (checkpoint) checkpoints.push({ course, snapshot: checkpoint });
      if (checkpoint && isLost && !damage) [foldable, isLost] = [{ base: checkpoint, from: lines.length }, false];
      const into = damage ? [] : lines;
      const from = { seq: (checkpoint?.seq ?? 0) + 1, pos, isHistory: true, onLost: (to: number) => ([isLost, lostTo] = [true, to]) };
      const stretch = file.lines(first, { ...from, into, places: damage ? undefined : numbers });
      pos = stretch.pos;
      const following = checkpointOf(files[n + 1]?.file);
      if (following && stretch.next !== following.seq + 1) throw file.missing();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      damage ??= { course, line: lineIn(error), seq: expected(), fault: error };
    }
    places.push(...numbers.map((line) => ({ course, line })));
    const end = file.lastLine(first);
    if (!end && last) continue; // a course without a line has not begun
    const seq = end ? lastSeq(end) : 0;
    last = { seq, pos: end?.pos ?? 0, head: { seq, course, size } };
  }
  if (!last) return nothing(courses, damage);
  const whole: Opened = { base: foldable.base, lines: lines.slice(foldable.from) };
  return { ...last, lines, places, foldable: whole, checkpoints, courses, damage };
}

const nothing = (courses: readonly number[], damage: Damage | undefined): Survey => ({
  seq: 0,
  pos: 0,
  head: { seq: 0, course: 1, size: 0 },
  lines: [],
  places: [],
  foldable: { base: undefined, lines: [] },
  checkpoints: [],
  courses,
  damage,
});

/** Bytes after the last line end are torn and left out. A fault if the file is missing or unreadable. */
function readCourse(files: StreamFiles, course: number): { readonly course: number; readonly size: number; readonly file: Course | Fault } {
  const { disk, stream } = files;
  const name = files.nameOf(course);
  try {
    const bytes = readWhole(disk, files.course(course));
    if (!bytes) return { course, size: 0, file: corrupt(stream, `${name}:1`) };
    const size = bytes.lastIndexOf(10) + 1;
    return { course, size, file: new Course(stream, name, bytes.subarray(0, size)) };
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return { course, size: 0, file: unreadable(stream, name, error) };
  }
}

function checkpointOf(file: Course | Fault | undefined): Snapshot | undefined {
  try {
    return file instanceof Course ? file.checkpoint() : undefined;
  } catch {
    return undefined; // its own damage, found in its turn
  }
}

const lineIn = (fault: Fault): number => Number(/:(\d+) /.exec(fault.message)?.[1] ?? 1);

/** From first to last, including missing ones in between. */
function coursesIn(files: StreamFiles): readonly number[] {
  const { disk, stream, folder } = files;
  if (stream === PROJECT_STREAM) return disk.stat(files.course(1)) ? [1] : [];
  const found = disk.list(folder).flatMap((name) => courseOf(name) ?? []);
  return Array.from({ length: Math.max(0, ...found) }, (_, n) => n + 1);
}
