import { crc32 } from "node:zlib";
import type { Snapshot } from "@colloquy/schema";

const VERSION = 2;

/** A snapshot, and the position after which to look for newer lines: the snapshot covers those up to `after`. */
export interface PlacedSnapshot {
  readonly snapshot: Snapshot;
  readonly course: number;
  readonly at: number;
  readonly after: number;
}

/** One JSON object with a checksum before the state: the file is not synced, so a crash may leave anything in it. */
export function snapshotText({ snapshot: { reducer, seq, pos, state }, course, at, after }: PlacedSnapshot): string {
  const text = JSON.stringify(state) ?? "null";
  return `${JSON.stringify({ v: VERSION, reducer, seq, pos, course, at, after, crc: crc32(text) }).slice(0, -1)},"state":${text}}\n`;
}

/** Undefined if it is incomplete or for another reducer. */
export function snapshotFrom(text: string, reducer: number): PlacedSnapshot | undefined {
  const stateAt = text.indexOf(',"state":');
  try {
    const head = JSON.parse(`${text.slice(0, stateAt)}}`) as Omit<Snapshot, "state"> & {
      v: number;
      crc: number;
      course: number;
      at: number;
      after: number;
    };
    const state = text.slice(stateAt + 9, text.lastIndexOf("}"));
    if (head.v !== VERSION || head.reducer !== reducer || head.crc !== crc32(state)) return undefined;
    const { seq, pos, course, at, after } = head;
    return { snapshot: { reducer, seq, pos, state: JSON.parse(state) as unknown }, course, at, after };
  } catch {
    return undefined; // a cache: an unreadable one counts as missing
  }
}
