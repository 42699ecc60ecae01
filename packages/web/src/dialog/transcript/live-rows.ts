import type { LiveRun } from "@colloquy/react";
import type { SayingRow } from "./rows.ts";

/** A live row keeps its key when it is recorded, so nothing is redrawn and nothing moves. */
export const segmentKey = (course: number, gen: number, nth: number): string => `g${course}.${gen}.${nth}`;

/** Live text as the rows that its record will become. */
export function liveRows({ agent, course, genseq: gen, isGenerating, segments, startedAt }: LiveRun): readonly SayingRow[] {
  if (!isGenerating && segments.length === 0) return [];
  const row = { seq: Number.MAX_SAFE_INTEGER, at: startedAt, agent, ms: undefined, isCut: false };
  if (segments.length === 0) return [{ ...row, key: segmentKey(course, gen, 0), kind: "thinking", text: "", isLive: true }];
  return segments.map(({ kind, text, isFinished }, nth) => ({
    ...row,
    key: segmentKey(course, gen, nth),
    kind,
    text,
    isLive: !isFinished,
  }));
}
