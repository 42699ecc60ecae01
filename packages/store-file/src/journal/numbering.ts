import { Bug, LOG_VERSION, type Line, PROJECT_STREAM } from "@colloquy/schema";
import { conflict, type StreamPart } from "@colloquy/store";
import type { Share } from "./commit-record.ts";
import { withChecksum } from "../courses/checksum.ts";
import { checkpointText } from "../courses/course.ts";
import { entryText } from "../inspect/rebuild.ts";

/** Where a stream will end once everything submitted is durable. */
export interface Tail {
  readonly seq: number;
  readonly course: number;
  readonly size: number;
}

/** A share of a commit with its line, and the text for the course file. */
export interface Numbered extends Share {
  readonly line: Line;
  /** Of the line alone. */
  readonly ownText: string;
  readonly text: string;
}

const NEW_STREAM: Tail = { seq: 0, course: 1, size: 0 };

/** Numbers a commit in each of its streams, which currently end at `tails`. Changes nothing. */
export function numbered(
  parts: readonly StreamPart[],
  tails: readonly (Tail | undefined)[],
  pos: number,
  atMs: number,
): readonly Numbered[] {
  if (parts.length === 0) throw new Bug("A commit without parts");
  for (let n = 0; n < parts.length; n += 1) {
    const { stream, expected, events } = parts[n] as StreamPart;
    if (events.length === 0) throw new Bug("A part without events");
    if (n > 0 && parts.findIndex((part) => part.stream === stream) < n) throw new Bug("A commit with the same stream twice");
    const { seq } = tails[n] ?? NEW_STREAM;
    if (seq !== expected) throw conflict(stream, expected, seq);
  }
  const at = isoTime(atMs);
  return parts.map((part, n) => numberedPart(part, tails[n] ?? NEW_STREAM, pos, at));
}

function numberedPart(part: StreamPart, before: Tail, pos: number, at: string): Numbered {
  const { stream, events, entry } = part;
  const course = part.course ?? before.course;
  // A course without a file would make the earlier ones unreadable.
  if (course !== before.course && course !== before.course + 1) throw new Bug(`Course ${course} after course ${before.course}`);
  const isNewFile = before.seq === 0 || course > before.course;
  const line: Line = { v: LOG_VERSION, pos, seq: before.seq + 1, at, events };
  const ownText = lineText(line);
  return {
    stream,
    seq: before.seq + events.length,
    course,
    at: isNewFile ? 0 : before.size,
    entry: entry && entryText(entry),
    line,
    ownText,
    text: isNewFile ? headOf(part, before) + ownText : ownText,
  };
}

/** The beginning of a course file. */
function headOf(part: StreamPart, before: Tail): string {
  if (part.stream === PROJECT_STREAM) return "";
  if (before.seq === 0) return checkpointText();
  if (!part.checkpoint) throw new Bug("A new course without the state before it");
  return checkpointText(part.checkpoint());
}

export const lineText = ({ v, pos, seq, at, events }: Line): string =>
  withChecksum(`{"v":${v},"pos":${pos},"seq":${seq},"at":"${at}","events":${JSON.stringify(events)}`);

let lastTime = { ms: 0, iso: new Date(0).toISOString() };

/** Dozens of commits share a millisecond. */
function isoTime(ms: number): string {
  if (lastTime.ms !== ms) lastTime = { ms, iso: new Date(ms).toISOString() };
  return lastTime.iso;
}
