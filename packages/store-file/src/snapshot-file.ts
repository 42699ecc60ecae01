import { crc32 } from "node:zlib";
import type { Snapshot } from "@colloquy/schema";

const VERSION = 1;

/** A snapshot, and where the lines after it begin. */
export interface PlacedSnapshot {
  readonly snapshot: Snapshot;
  readonly course: number;
  readonly at: number;
}

/** One JSON object, its checksum before the state: the file is not synced, so a crash may leave anything in it. */
export function snapshotText({ snapshot: { reducer, seq, pos, state }, course, at }: PlacedSnapshot): string {
  const text = JSON.stringify(state) ?? "null";
  return `${JSON.stringify({ v: VERSION, reducer, seq, pos, course, at, crc: crc32(text) }).slice(0, -1)},"state":${text}}\n`;
}

/** Undefined when it is not whole, or not for this reducer. */
export function snapshotFrom(text: string, reducer: number): PlacedSnapshot | undefined {
  const stateAt = text.indexOf(',"state":');
  try {
    const head = JSON.parse(`${text.slice(0, stateAt)}}`) as Omit<Snapshot, "state"> & {
      v: number;
      crc: number;
      course: number;
      at: number;
    };
    const state = text.slice(stateAt + 9, text.lastIndexOf("}"));
    if (head.v !== VERSION || head.reducer !== reducer || head.crc !== crc32(state)) return undefined;
    const { seq, pos, course, at } = head;
    return { snapshot: { reducer, seq, pos, state: JSON.parse(state) as unknown }, course, at };
  } catch {
    return undefined; // a cache: what cannot be read is not there
  }
}
