import { crc32 } from "node:zlib";

// A record of the journal: 28 bytes of head, then the payload.
//   0 checksum of all that follows   4 mark   8 generation   12 payload bytes   16 checksum of the record before   20 synced   24 kind
// The mark and the generation together are what a search looks for after damage. `synced`: the slot was synced up to there when this
// record was written; a whole record therefore vouches for everything before that place, and for nothing after it.
export const HEAD_BYTES = 28;
const MARK = 0x314a5143;

export const KIND = { header: 0, commit: 1 } as const;

export interface FoundRecord {
  readonly at: number;
  readonly end: number;
  readonly generation: number;
  readonly before: number;
  readonly synced: number;
  readonly kind: number;
  readonly checksum: number;
  readonly payload: Buffer;
}

/** Writes the head of a payload that is already at `at + HEAD_BYTES`. Returns the checksum. */
export function seal(
  buffer: Buffer,
  at: number,
  head: { generation: number; bytes: number; before: number; synced: number; kind: number },
): number {
  buffer.writeUInt32LE(MARK, at + 4);
  buffer.writeUInt32LE(head.generation, at + 8);
  buffer.writeUInt32LE(head.bytes, at + 12);
  buffer.writeUInt32LE(head.before, at + 16);
  buffer.writeUInt32LE(head.synced, at + 20);
  buffer.writeUInt32LE(head.kind, at + 24);
  const checksum = crc32(buffer.subarray(at + 4, at + HEAD_BYTES + head.bytes));
  buffer.writeUInt32LE(checksum, at);
  return checksum;
}

/** The complete record that begins here, if there is one. */
export function recordAt(buffer: Buffer, at: number): FoundRecord | undefined {
  if (at + HEAD_BYTES > buffer.length || buffer.readUInt32LE(at + 4) !== MARK) return undefined;
  const bytes = buffer.readUInt32LE(at + 12);
  const end = at + HEAD_BYTES + bytes;
  if (end > buffer.length) return undefined;
  const checksum = buffer.readUInt32LE(at);
  if (crc32(buffer.subarray(at + 4, end)) !== checksum) return undefined;
  return {
    at,
    end,
    generation: buffer.readUInt32LE(at + 8),
    before: buffer.readUInt32LE(at + 16),
    synced: buffer.readUInt32LE(at + 20),
    kind: buffer.readUInt32LE(at + 24),
    checksum,
    payload: buffer.subarray(at + HEAD_BYTES, end),
  };
}

/** The position of the next possible head of this generation (or of any), complete or not. */
export function nextMark(buffer: Buffer, from: number, generation?: number): number | undefined {
  const sought = Buffer.alloc(generation === undefined ? 4 : 8);
  sought.writeUInt32LE(MARK, 0);
  if (generation !== undefined) sought.writeUInt32LE(generation, 4);
  const at = buffer.indexOf(sought, from + 4);
  return at < 0 ? undefined : at - 4;
}

/** The end according to a head, whether or not the rest is there. */
export const claimedEnd = (buffer: Buffer, at: number): number =>
  at + HEAD_BYTES > buffer.length ? buffer.length : Math.min(buffer.length, at + HEAD_BYTES + buffer.readUInt32LE(at + 12));

/** The generation according to a head, complete or not; undefined if no head begins here. */
export const markedGeneration = (buffer: Buffer, at: number): number | undefined =>
  at + 12 <= buffer.length && buffer.readUInt32LE(at + 4) === MARK ? buffer.readUInt32LE(at + 8) : undefined;
