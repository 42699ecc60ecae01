import { crc32 } from "node:zlib";

// A line ends with a checksum of everything before it: {"v":1,…,"events":[…],"crc":"0a1b2c3d"}. Lines of earlier versions have
// none and are read unchanged; those versions ignore the field.
const TAIL = /,"crc":"([0-9a-f]{8})"\}$/;
const TAIL_BYTES = 18;

const hex = (checksum: number): string => checksum.toString(16).padStart(8, "0");
const tailOf = (body: string | Buffer): string => `,"crc":"${hex(crc32(body))}"}`;

/** Closes a line: `open` is its JSON without the last brace. */
export const withChecksum = (open: string): string => `${open}${tailOf(open)}\n`;

/** The line's JSON without its checksum, or undefined if the checksum is wrong. */
export function checkedText(text: string): string | undefined {
  const stored = TAIL.exec(text.length > TAIL_BYTES ? text.slice(-TAIL_BYTES) : "")?.[1];
  if (stored === undefined) return text;
  const body = text.slice(0, -TAIL_BYTES);
  return hex(crc32(body)) === stored ? `${body}}` : undefined;
}

/**
 * The original line with its line break, if exactly one byte is wrong and the checksum tells which. Undefined if no byte or several
 * are wrong.
 */
export function withByteRestored(line: Buffer): Buffer | undefined {
  const end = line.at(-1) === NEW_LINE ? line.length - 1 : line.length;
  const [body, tail] = [line.subarray(0, end - TAIL_BYTES), line.subarray(end - TAIL_BYTES, end)];
  if (end <= TAIL_BYTES) return undefined;
  const right = Buffer.from(tailOf(body));
  const wrong = differences(tail, right);
  if (wrong === 0) return undefined;
  if (wrong === 1) return Buffer.concat([body, right, BREAK]);
  const stored = TAIL.exec(tail.toString("latin1"))?.[1];
  const fixed = stored === undefined ? [] : candidates(body, (crc32(body) ^ Number.parseInt(stored, 16)) >>> 0);
  return fixed.length === 1 ? Buffer.concat([...fixed, tail, BREAK]) : undefined;
}

const NEW_LINE = 10;
const BREAK = Buffer.from("\n");

function differences(one: Buffer, other: Buffer): number {
  let count = 0;
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) count += 1;
  return count;
}

/**
 * Every body that differs in one byte and fits the checksum. `syndrome`: the XOR of the stored and the computed checksum. A wrong byte
 * adds its entry of the CRC table, and each byte after it transforms that by a reversible step: one pass from the end finds all places.
 */
function candidates(body: Buffer, syndrome: number): readonly Buffer[] {
  const { table, byTop, byValue } = crcTables();
  const found: Buffer[] = [];
  let rest = syndrome;
  for (let at = body.length - 1; at >= 0; at -= 1) {
    const change = byValue.get(rest);
    if (change !== undefined) {
      const fixed = Buffer.from(body);
      fixed[at] = (body[at] ?? 0) ^ change;
      if (isJson(fixed)) found.push(fixed);
    }
    const index = byTop[rest >>> 24] ?? 0;
    rest = (((rest ^ (table[index] ?? 0)) << 8) | index) >>> 0;
  }
  return found;
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(`${body.toString()}}`);
    return body.equals(Buffer.from(body.toString()));
  } catch {
    return false; // chance, not what stood there
  }
}

interface CrcTables {
  readonly table: Uint32Array;
  /** Which entry has this highest byte: each of them is different. */
  readonly byTop: Uint8Array;
  readonly byValue: ReadonlyMap<number, number>;
}

let tables: CrcTables | undefined;

function crcTables(): CrcTables {
  if (tables) return tables;
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value & 1 ? 0xedb88320 : 0) ^ (value >>> 1);
    return value >>> 0;
  });
  const byTop = new Uint8Array(256);
  table.forEach((value, index) => (byTop[value >>> 24] = index));
  const byValue = new Map([...table].flatMap((value, index) => (index === 0 ? [] : [[value, index] as const])));
  return (tables = { table, byTop, byValue });
}
