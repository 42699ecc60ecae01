import type { Line, TreeEvent } from "@colloquy/schema";

/** The approximate size of a page of lines: parsing and sending it takes some milliseconds. */
const MAX_CHARACTERS = 1_000_000;
/** A single line may have a megabyte, so the first read is short; later ones grow as far as the lines are short. */
const FIRST_LINES = 4;
const GROWTH_FACTOR = 8;
/** The assumed size of a value that is not text. */
const VALUE_CHARACTERS = 8;

/** Lines of a tree after a `seq`, at most `limit`. */
export type ReadLines = (after: number, limit: number) => Promise<readonly Line<TreeEvent>[]>;

export interface BoundedLines {
  readonly lines: readonly Line<TreeEvent>[];
  /** The page is full, so there may be more lines. */
  readonly isFull: boolean;
}

/** The number of lines for the next read, estimated from the sizes of the lines so far. */
class Budget {
  #left = MAX_CHARACTERS;
  #lines = 0;
  #count = FIRST_LINES;

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  spend(line: Line<TreeEvent>): void {
    this.#lines++;
    this.#left -= weightOf(line.events);
  }

  next(limit: number): number {
    const average = Math.max(1, (MAX_CHARACTERS - this.#left) / Math.max(1, this.#lines));
    const count = Math.max(1, Math.min(this.#count, limit, this.#lines === 0 ? limit : Math.floor(this.#left / average)));
    this.#count *= GROWTH_FACTOR;
    return count;
  }
}

/** The lines after `after`: at most `limit`, and about a million characters. None only if there are none. */
export async function linesAfter(read: ReadLines, after: number, limit: number): Promise<BoundedLines> {
  const budget = new Budget();
  const found: Line<TreeEvent>[] = [];
  for (let cursor = after; found.length < limit && !budget.isSpent;) {
    const count = budget.next(limit - found.length);
    const lines = await read(cursor, count);
    for (const line of lines) {
      if (budget.isSpent) break;
      found.push(line);
      budget.spend(line);
    }
    if (lines.length < count) break;
    cursor = lastSeq(found) ?? cursor;
  }
  return { lines: found, isFull: budget.isSpent };
}

/** The newest lines with an event before `before`, in order: about `limit` events, and a million characters. `before` is at most one past the end. */
export async function linesBefore(read: ReadLines, before: number, limit: number): Promise<BoundedLines> {
  const budget = new Budget();
  let found: readonly Line<TreeEvent>[] = [];
  for (let to = before; to > 1 && before - to < limit && !budget.isSpent;) {
    const from = Math.max(0, to - 1 - budget.next(limit));
    const end = to;
    const lines = (await read(from, end - 1 - from)).filter(({ seq }) => seq < end);
    const fitting: Line<TreeEvent>[] = [];
    for (const line of lines.toReversed()) {
      if (budget.isSpent) break;
      fitting.unshift(line);
      budget.spend(line);
    }
    found = [...fitting, ...found];
    to = Math.min(from + 1, found[0]?.seq ?? Infinity);
  }
  return { lines: found, isFull: budget.isSpent };
}

const lastSeq = (lines: readonly Line<TreeEvent>[]): number | undefined => {
  const last = lines.at(-1);
  return last && last.seq + last.events.length - 1;
};

/** Roughly the characters of a value as JSON, without writing it. */
function weightOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return VALUE_CHARACTERS;
  let weight = VALUE_CHARACTERS;
  for (const part of Object.values(value)) weight += weightOf(part);
  return weight;
}
