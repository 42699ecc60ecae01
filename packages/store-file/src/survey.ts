import { Fault, type Line, PROJECT_STREAM, type Snapshot, type StreamId } from "@colloquy/schema";
import { Course, lastSeq } from "./course.ts";
import { type Disk, readWhole } from "./disk.ts";
import { courseOf, type Layout, type Place } from "./layout.ts";

/** All that a stream's files hold, damage or not. */
export interface Survey {
  /** Of the last line that can be read. */
  readonly seq: number;
  readonly pos: number;
  readonly head: { readonly seq: number; readonly course: number; readonly size: number };
  /** Everything up to the first damage. */
  readonly lines: readonly Line[];
  readonly courses: readonly number[];
  readonly damage: Damage | undefined;
}

export interface Damage {
  readonly course: number;
  /** In its file, from 1. */
  readonly line: number;
  readonly fault: Fault;
}

export function survey(disk: Disk, layout: Layout, stream: StreamId, place: Place): Survey | undefined {
  const courses = coursesIn(disk, layout, stream, place);
  const files = courses.map((course) => readCourse(disk, layout, stream, place, course));
  const lines: Line[] = [];
  let damage: Damage | undefined;
  let last: Pick<Survey, "seq" | "pos" | "head"> | undefined;
  for (const [n, { course, size, file }] of files.entries()) {
    const first = stream === PROJECT_STREAM ? 0 : 1;
    try {
      const checkpoint = first === 1 ? file.checkpoint() : undefined;
      const { next } = file.lines(first, { seq: (checkpoint?.seq ?? 0) + 1, isHistory: true, into: damage ? [] : lines });
      const following = checkpointOf(files[n + 1]?.file);
      if (following && next !== following.seq + 1) throw file.missing();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      damage ??= { course, line: lineIn(error), fault: error };
    }
    const end = file.lastLine(first);
    if (!end && last) continue; // a course without a line has not begun
    const seq = end ? lastSeq(end) : 0;
    last = { seq, pos: end?.pos ?? 0, head: { seq, course, size } };
  }
  return last && { ...last, lines, courses, damage };
}

/** What stands behind the last line's end is torn, if anything, and left out. */
function readCourse(disk: Disk, layout: Layout, stream: StreamId, place: Place, course: number) {
  const path = layout.course(stream, place, course);
  const bytes = readWhole(disk, path) ?? Buffer.alloc(0);
  const size = bytes.lastIndexOf(10) + 1;
  return { course, size, file: new Course(stream, layout.name(path), bytes.subarray(0, size)) };
}

function checkpointOf(file: Course | undefined): Snapshot | undefined {
  try {
    return file?.checkpoint();
  } catch {
    return undefined; // its own damage, found in its turn
  }
}

const lineIn = (fault: Fault): number => Number(/:(\d+) /.exec(fault.message)?.[1] ?? 1);

function coursesIn(disk: Disk, layout: Layout, stream: StreamId, place: Place): number[] {
  if (stream === PROJECT_STREAM) return disk.stat(layout.course(stream, place, 1)) ? [1] : [];
  const found = disk.list(layout.folder(stream, place)).map(courseOf);
  return found.filter((course) => course !== undefined).sort((a, b) => a - b);
}
