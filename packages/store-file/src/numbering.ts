import { Bug, LOG_VERSION, type Line, PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import { conflict, type StreamPart } from "@colloquy/store";
import type { Share } from "./commit-record.ts";
import { checkpointText } from "./course.ts";
import { entryText } from "./rebuild.ts";

/** Where a stream will end once everything that was handed in is durable. */
export interface Tail {
  readonly seq: number;
  readonly course: number;
  readonly size: number;
}

/** A share of a commit with its line, and the text that will stand in the course file. */
export interface Numbered extends Share {
  readonly line: Line;
  readonly text: string;
}

const NEW_STREAM: Tail = { seq: 0, course: 1, size: 0 };

/** Gives a commit its place in every one of its streams. Changes nothing. */
export function numbered(
  parts: readonly StreamPart[],
  pos: number,
  atMs: number,
  tailOf: (stream: StreamId) => Tail | undefined,
): readonly Numbered[] {
  if (parts.length === 0) throw new Bug("A commit without parts");
  const before = parts.map((part, n) => {
    if (part.events.length === 0) throw new Bug("A part without events");
    if (n > 0 && parts.some((other, m) => m < n && other.stream === part.stream)) throw new Bug("A commit with the same stream twice");
    const tail = tailOf(part.stream) ?? NEW_STREAM;
    if (tail.seq !== part.expected) throw conflict(part.stream, part.expected, tail.seq);
    return tail;
  });
  const at = isoTime(atMs);
  return parts.map((part, n) => numberedPart(part, before[n] ?? NEW_STREAM, pos, at));
}

function numberedPart(part: StreamPart, before: Tail, pos: number, at: string): Numbered {
  const { stream, events, entry } = part;
  const course = part.course ?? before.course;
  if (course < before.course) throw new Bug(`Course ${course} after course ${before.course}`);
  const isNewFile = before.seq === 0 || course > before.course;
  const line: Line = { v: LOG_VERSION, pos, seq: before.seq + 1, at, events };
  return {
    stream,
    seq: before.seq + events.length,
    course,
    at: isNewFile ? 0 : before.size,
    entry: entry && entryText(entry),
    line,
    text: isNewFile ? headOf(part, before) + lineText(line) : lineText(line),
  };
}

/** What a course file begins with. */
function headOf(part: StreamPart, before: Tail): string {
  if (part.stream === PROJECT_STREAM) return "";
  if (before.seq === 0) return checkpointText();
  if (!part.checkpoint) throw new Bug("A new course without the state before it");
  return checkpointText(part.checkpoint());
}

const lineText = ({ v, pos, seq, at, events }: Line): string =>
  `{"v":${v},"pos":${pos},"seq":${seq},"at":"${at}","events":${JSON.stringify(events)}}\n`;

let lastTime = { ms: 0, iso: new Date(0).toISOString() };

/** Commits come by the dozen in a millisecond. */
function isoTime(ms: number): string {
  if (lastTime.ms !== ms) lastTime = { ms, iso: new Date(ms).toISOString() };
  return lastTime.iso;
}
