// Finds where a text that isn't in a file comes closest to matching, line by line.

/** Below this, a match has little to do with what was meant. */
const MIN_LIKENESS = 0.5;
const MAX_CANDIDATES = 20;
const MAX_SHOWN_LINES = 40;
/** Characters that are compared to find candidates, and lines of each candidate that count. */
const MAX_COMPARED = 400_000;
const MAX_SCORED_LINES = 100;

export interface Nearest {
  /** From 1. */
  readonly line: number;
  readonly lines: readonly string[];
  readonly isWhiteSpaceOnly: boolean;
}

export function nearest(text: string, wanted: string): Nearest | undefined {
  const lines = text.split("\n").map(withoutReturn);
  const sought = trimmedEnds(wanted.split("\n").map(withoutReturn));
  const anchor = sought.reduce((longest, line, at) => (line.trim().length > (sought[longest]?.trim().length ?? 0) ? at : longest), 0);
  const like = likenessTo(sought[anchor] ?? "");
  let compared = 0;
  const likeness = (line: string): number => ((compared += line.length + 1) > MAX_COMPARED ? 0 : like(line));
  // Around the anchor, which every candidate has.
  const first = Math.max(0, anchor - MAX_SCORED_LINES / 2);
  const likenesses = sought.slice(first, first + MAX_SCORED_LINES).map(likenessTo);

  const candidates = lines
    .map((line, at) => ({ from: at - anchor, likeness: likeness(line) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, MAX_CANDIDATES);

  const scored = candidates.map(({ from }) => {
    const window = lines.slice(Math.max(0, from), Math.max(0, from) + sought.length);
    const sum = likenesses.reduce(
      (total, likeTo, at) => total + (window[first + at] === undefined ? 0 : likeTo(window[first + at] ?? "")),
      0,
    );
    return { from: Math.max(0, from), window, likeness: sum / likenesses.length };
  });
  const best = scored.toSorted((one, other) => other.likeness - one.likeness)[0];
  if (!best || best.likeness < MIN_LIKENESS) return undefined;
  return { line: best.from + 1, lines: best.window.slice(0, MAX_SHOWN_LINES), isWhiteSpaceOnly: bare(best.window) === bare(sought) };
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
const bare = (lines: readonly string[]): string => lines.join("").replace(/\s+/g, "");

/** Empty lines at the ends don't help to locate it. */
function trimmedEnds(lines: readonly string[]): readonly string[] {
  const isFull = (line: string) => line.trim() !== "";
  const [from, to] = [lines.findIndex(isFull), lines.findLastIndex(isFull)];
  return from < 0 ? lines : lines.slice(from, to + 1);
}

/** Between 0 and 1: the share of common character pairs of two lines (Dice), ignoring white space. */
function likenessTo(line: string): (other: string) => number {
  const plain = line.replace(/\s+/g, "");
  const pairs = pairsOf(plain);
  return (other) => {
    const otherPlain = other.replace(/\s+/g, "");
    if (plain === otherPlain) return 1;
    const longer = Math.max(plain.length, otherPlain.length);
    // A line less than a third as long as the other can't share enough.
    if (Math.min(plain.length, otherPlain.length) * 3 < longer || longer > 2_000) return 0;
    const left = new Map(pairs);
    let shared = 0;
    for (let at = 0; at + 1 < otherPlain.length; at++) {
      const pair = otherPlain.slice(at, at + 2);
      const count = left.get(pair) ?? 0;
      if (count > 0) {
        left.set(pair, count - 1);
        shared++;
      }
    }
    return (2 * shared) / Math.max(1, plain.length + otherPlain.length - 2);
  };
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
