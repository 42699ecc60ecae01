import { seqAtHead } from "./course.ts";

type Read = (from: number, to: number) => Promise<Buffer>;

const STEP = 1 << 14;
/** A line states its `seq` within this many characters. */
const HEAD_CHARACTERS = 100;

/** The start of the line with this event, or one shortly before it, found without reading everything before it. */
export async function placeBefore(read: Read, size: number, seq: number): Promise<number> {
  let [low, high] = [0, size];
  while (high - low > STEP) {
    const middle = Math.floor((low + high) / 2);
    const found = await firstLine(read, middle, high);
    if (found && found.seq <= seq) low = found.at;
    else high = middle;
  }
  return low;
}

/** The first line after `from` that states its `seq`. */
async function firstLine(read: Read, from: number, to: number): Promise<{ readonly at: number; readonly seq: number } | undefined> {
  for (let bytes = STEP; ; bytes *= 4) {
    const chunk = await read(from, Math.min(from + bytes, to));
    for (let at = chunk.indexOf(10) + 1; at > 0; at = chunk.indexOf(10, at) + 1) {
      const seq = seqAtHead(chunk.toString("latin1", at, at + HEAD_CHARACTERS));
      if (seq !== undefined) return { at: from + at, seq };
    }
    if (from + bytes >= to) return undefined;
  }
}
