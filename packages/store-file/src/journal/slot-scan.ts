import { claimedEnd, type FoundRecord, HEAD_BYTES, KIND, markedGeneration, nextMark, recordAt } from "./record.ts";
import type { Position } from "./journal.ts";

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The content of a slot's newest generation. */
export interface SlotScan {
  readonly generation: number;
  /** Commits, in order. */
  readonly commits: readonly FoundRecord[];
  /** The end of the previous generation, according to this one's first record. */
  readonly before: Position | undefined;
  readonly end: number;
  /** Unreadable bytes that a later record confirms were synced. */
  readonly damaged: readonly Range[];
  /** Bytes at the end that nothing confirms: never acknowledged. */
  readonly torn: Range | undefined;
}

/**
 * Reads a slot. Generations up to `freed` are already in the course files. `vouchedTo`: how far the next generation says that this one was
 * synced; its own records confirm that too.
 */
export function scanSlot(bytes: Buffer, freed: number, vouchedTo = 0): SlotScan | undefined {
  const generation = generationOf(bytes, freed);
  if (generation === undefined) return undefined;
  const chain = chainFrom(bytes, generation);
  const chainEnd = chain.at(-1)?.end ?? 0;
  const rest = behind(bytes, generation, chainEnd);
  const vouched = rest.whole.reduce((most, record) => Math.max(most, record.synced), vouchedTo);

  const damaged: Range[] = [];
  let end = chainEnd;
  if (vouched > chainEnd) {
    for (const record of rest.whole) {
      const isBehindDamage = record.at > end;
      if (record.at > Math.max(end, vouched)) break; // after a gap that nothing confirms
      if (!isBehindDamage && record.before !== chain.at(-1)?.checksum) continue; // complete, but not what was written there
      if (isBehindDamage) damaged.push({ from: end, to: record.at });
      chain.push(record);
      end = record.end;
    }
    if (end < vouched) damaged.push({ from: end, to: (end = vouched) });
  }
  const header = chain[0]?.kind === KIND.header ? chain[0] : undefined;
  return {
    generation,
    commits: chain.filter((record) => record.kind === KIND.commit),
    before: header && (JSON.parse(header.payload.toString()) as { before: Position }).before,
    end,
    damaged,
    torn: rest.to > end ? { from: end, to: rest.to } : undefined,
  };
}

/** The slot's last generation. If its first record is lost, others still name it. */
function generationOf(bytes: Buffer, freed: number): number | undefined {
  const first = recordAt(bytes, 0);
  if (first) return first.generation > freed ? first.generation : undefined;
  let newest = markedGeneration(bytes, 0) ?? 0; // a torn first write: nothing in it, but worth reporting
  for (let at = nextMark(bytes, 0); at !== undefined; at = nextMark(bytes, at + 4)) {
    const generation = markedGeneration(bytes, at) ?? 0;
    if (generation > newest && recordAt(bytes, at)) newest = generation;
  }
  return newest > freed ? newest : undefined;
}

function chainFrom(bytes: Buffer, generation: number): FoundRecord[] {
  const chain: FoundRecord[] = [];
  for (let at = 0, before = 0; ;) {
    const record = recordAt(bytes, at);
    if (!record || record.generation !== generation || record.before !== before) return chain;
    chain.push(record);
    at = record.end;
    before = record.checksum;
  }
}

/** Complete records of the generation after the end of its chain, and how far its bytes reach. */
function behind(bytes: Buffer, generation: number, from: number): { whole: FoundRecord[]; to: number } {
  const whole: FoundRecord[] = [];
  let to = from;
  for (let at = nextMark(bytes, from, generation); at !== undefined;) {
    const record = recordAt(bytes, at);
    if (record) whole.push(record);
    to = Math.max(to, record?.end ?? claimedEnd(bytes, at));
    at = nextMark(bytes, record?.end ?? at + HEAD_BYTES, generation);
  }
  return { whole, to };
}
