import type { Status, StreamId } from "@colloquy/schema";
import type { Arena } from "./arena.ts";

/** One stream's share of a journal record: where its bytes belong, and its index entry once they are there. */
export interface Share {
  readonly stream: StreamId;
  /** The stream's last `seq` with this share. */
  readonly seq: number;
  readonly course: number;
  /** Position in the course file. */
  readonly at: number;
  readonly entry: EntryText | undefined;
}

/** An entry as the index keeps it: what start-up needs, and the rest unparsed. */
export interface EntryText {
  readonly status: Status;
  /** Flags for start-up, as bits: see `marksOf`. */
  readonly marks: number;
  readonly text: string;
}

/** A share with its bytes, exactly as they will be in the course file. */
export interface FoundShare extends Share {
  readonly content: Buffer;
}

interface Meta {
  readonly pos: number;
  readonly shares: readonly (Omit<Share, "entry"> & { bytes: number; status?: Status; marks?: number; entry?: number })[];
}

/**
 * Writes a record's payload into the arena: the course file bytes, the entries, their description, and its length. Returns the byte count
 * of each share.
 */
export function encodeCommit(arena: Arena, pos: number, shares: readonly (Share & { readonly text: string })[]): number[] {
  const sizes = shares.map((share) => arena.add(share.text));
  let heads = "";
  for (let n = 0; n < shares.length; n += 1) {
    const { stream, seq, course, at, entry } = shares[n] as Share;
    heads += `${n > 0 ? "," : ""}{"stream":"${stream}","seq":${seq},"course":${course},"at":${at},"bytes":${sizes[n]}`;
    heads += entry ? `,"status":"${entry.status}","marks":${entry.marks},"entry":${arena.add(entry.text)}}` : "}";
  }
  const bytes = arena.add(`{"pos":${pos},"shares":[${heads}]}`);
  arena.skip(4);
  arena.buffer.writeUInt32LE(bytes, arena.end - arena.base - 4);
  return sizes;
}

export function decodeCommit(payload: Buffer): { pos: number; shares: FoundShare[] } {
  const metaEnd = payload.length - 4;
  const metaAt = metaEnd - payload.readUInt32LE(metaEnd);
  const { pos, shares } = JSON.parse(payload.toString("utf8", metaAt, metaEnd)) as Meta;
  let at = 0;
  let entryAt = shares.reduce((sum, share) => sum + share.bytes, 0);
  return {
    pos,
    shares: shares.map(({ status, marks = 0, entry = 0, bytes, ...share }) => ({
      ...share,
      content: payload.subarray(at, (at += bytes)),
      entry: status && { status, marks, text: payload.toString("utf8", entryAt, (entryAt += entry)) },
    })),
  };
}
