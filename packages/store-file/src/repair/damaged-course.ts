import { LOG_VERSION, PROJECT_STREAM } from "@colloquy/schema";
import { withByteRestored } from "../courses/checksum.ts";
import { checkpointText, type LostLine } from "../courses/course.ts";
import { type Disk, readWhole, replaceFile } from "../disk/disk.ts";
import type { Survey, Damage } from "../inspect/survey.ts";
import type { StreamFiles } from "../inspect/stream-files.ts";
import { checkpointSeqIn, firstSeq, linesOf, seqIn } from "./raw-lines.ts";

/** If one byte of a line is wrong, its checksum tells which one, and what it was. Returns what was done, if anything. */
export async function restoreByte(files: StreamFiles, damage: Damage, time: string): Promise<string | undefined> {
  const { disk } = files;
  const path = files.course(damage.course);
  if (disk.stat(path)?.isFolder !== false) return undefined;
  const lines = linesIn(disk, path);
  const bad = lines[damage.line - 1];
  const restored = bad && withByteRestored(bad);
  if (!restored) return undefined;
  await replaceFile(disk, `${path}.bad-${time}`, bad);
  await replaceFile(disk, path, Buffer.concat(lines.with(damage.line - 1, restored)));
  const name = files.nameOf(damage.course);
  return `${name}: one byte of line ${damage.line} was wrong and is restored by its checksum; the old line is kept in ${name}.bad-${time}.`;
}

/** Cuts a damaged line out, and as few lines after it as possible. Returns what was done. */
export async function cutOut(files: StreamFiles, found: Survey, damage: Omit<Damage, "fault">, time: string): Promise<string> {
  const { disk, stream } = files;
  const path = files.course(damage.course);
  const name = files.nameOf(damage.course);
  const kept = `${path}.bad-${time}`;
  const isLast = damage.course === found.courses.at(-1);
  if (disk.stat(path)?.isFolder) {
    disk.rename(path, kept);
    if (!isLast) await replaceFile(disk, path, emptyCheckpoint(damage.seq - 1));
    return `${name} was no file; what was in its place is kept in ${name}.bad-${time}.`;
  }
  const lines = linesIn(disk, path);
  const bad = damage.line - 1;
  const write = (left: readonly Buffer[]) => replaceFile(disk, path, Buffer.concat(left));
  const keep = (dropped: readonly Buffer[]) => replaceFile(disk, kept, Buffer.concat(dropped));

  if (bad === 0 && stream !== PROJECT_STREAM) {
    // The first line is only a base to fold from: without it, readers start further back.
    const seq = found.lines.length > 0 || lines.length < 2 ? damage.seq - 1 : (seqIn(lines[1]) ?? 1) - 1;
    await keep(lines.slice(0, 1));
    await write([emptyCheckpoint(seq), ...lines.slice(1)]);
    return `${name}:1 could be made again; the old line is kept in ${name}.bad-${time}.`;
  }
  const seq = seqIn(lines[bad]);
  if (seq !== undefined && seq < damage.seq) {
    await keep(lines.slice(bad, bad + 1));
    await write([...lines.slice(0, bad), ...lines.slice(bad + 1)]);
    return `${name}: line ${damage.line}, which repeats events, is cut out, and kept in ${name}.bad-${time}.`;
  }
  const isGap = seq !== undefined && seq > damage.seq; // lines before it are missing
  const following = lines.slice(isGap ? bad : bad + 1);
  const next = firstSeq(following) ?? seqAfter(files, damage.course);
  if (isLast || next === undefined) {
    // Later events may depend on the lost ones, so the dialog continues from the last intact state.
    const later = found.courses.filter((course) => course > damage.course).map((course) => files.course(course));
    for (const one of later) if (disk.stat(one)) disk.rename(one, `${one}.bad-${time}`);
    await keep(lines.slice(bad));
    await write(lines.slice(0, bad));
    return `${name}: line ${damage.line} and ${Math.max(0, lines.length - damage.line)} after it are cut out, and kept in ${name}.bad-${time}.`;
  }
  const [from, to] = [damage.seq, next - 1];
  const lost: LostLine = { v: LOG_VERSION, lost: { from, to, kept: `${name}.bad-${time}` } };
  await keep(isGap ? [] : lines.slice(bad, bad + 1));
  await write([...lines.slice(0, bad), Buffer.from(`${JSON.stringify(lost)}\n`), ...following]);
  return `${name}: line ${damage.line} (events ${from}–${to}) is cut out, and kept in ${name}.bad-${time}. The dialog continues; that piece of its history is gone.`;
}

/** The first event after a course, as the next course states it. */
function seqAfter(files: StreamFiles, course: number): number | undefined {
  const path = files.course(course + 1);
  if (files.disk.stat(path)?.isFolder !== false) return undefined;
  const [checkpoint, ...lines] = linesIn(files.disk, path);
  const seq = checkpointSeqIn(checkpoint);
  return seq === undefined ? firstSeq(lines) : seq + 1;
}

const linesIn = (disk: Disk, path: string): Buffer[] => linesOf(readWhole(disk, path) ?? Buffer.alloc(0));

const emptyCheckpoint = (seq: number): Buffer => Buffer.from(checkpointText({ reducer: 0, seq, pos: 0, state: null }));
