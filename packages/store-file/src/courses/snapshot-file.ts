import { crc32 } from "node:zlib";
import type { Snapshot } from "@colloquy/schema";

const VERSION = 2;

/** A snapshot, and from where on lines after it are to be looked for: behind those up to `after`, which it has. */
export interface PlacedSnapshot {
  readonly snapshot: Snapshot;
  readonly course: number;
  readonly at: number;
  readonly after: number;
}

/** One JSON object, its checksum before the state: the file is not synced, so a crash may leave anything in it. */
export function snapshotText({ snapshot: { reducer, seq, pos, state }, course, at, after }: PlacedSnapshot): string {
  const text = JSON.stringify(state) ?? "null";
  return `${JSON.stringify({ v: VERSION, reducer, seq, pos, course, at, after, crc: crc32(text) }).slice(0, -1)},"state":${text}}\n`;
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
      after: number;
    };
    const state = text.slice(stateAt + 9, text.lastIndexOf("}"));
    if (head.v !== VERSION || head.reducer !== reducer || head.crc !== crc32(state)) return undefined;
    const { seq, pos, course, at, after } = head;
    return { snapshot: { reducer, seq, pos, state: JSON.parse(state) as unknown }, course, at, after };
  } catch {
    return undefined; // a cache: what cannot be read is not there
  }
}
