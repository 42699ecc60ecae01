// Where a text that is not in a file comes closest to being there, line by line.

/** Below this, what was found has little to do with what was meant. */
const MIN_LIKENESS = 0.5;
const MAX_CANDIDATES = 20;
const MAX_SHOWN_LINES = 40;

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

  const candidates = lines
    .map((line, at) => ({ from: at - anchor, likeness: like(line) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, MAX_CANDIDATES);

  const scored = candidates.map(({ from }) => {
    const window = lines.slice(Math.max(0, from), Math.max(0, from) + sought.length);
    const likeness =
      sought.reduce((sum, line, at) => sum + (window[at] === undefined ? 0 : likenessTo(line)(window[at])), 0) / sought.length;
    return { from: Math.max(0, from), window, likeness };
  });
  const best = scored.toSorted((one, other) => other.likeness - one.likeness)[0];
  if (!best || best.likeness < MIN_LIKENESS) return undefined;
  return { line: best.from + 1, lines: best.window.slice(0, MAX_SHOWN_LINES), isWhiteSpaceOnly: bare(best.window) === bare(sought) };
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);
const bare = (lines: readonly string[]): string => lines.join("").replace(/\s+/g, "");

/** Empty lines at the ends say nothing about the place. */
function trimmedEnds(lines: readonly string[]): readonly string[] {
  const isFull = (line: string) => line.trim() !== "";
  const [from, to] = [lines.findIndex(isFull), lines.findLastIndex(isFull)];
  return from < 0 ? lines : lines.slice(from, to + 1);
}

/** Between 0 and 1: how many pairs of neighbouring characters two lines share (Dice), white space aside. */
function likenessTo(line: string): (other: string) => number {
  const plain = line.replace(/\s+/g, "");
  const pairs = pairsOf(plain);
  return (other) => {
    const otherPlain = other.replace(/\s+/g, "");
    if (plain === otherPlain) return 1;
    const longer = Math.max(plain.length, otherPlain.length);
    // What differs by half in length cannot share enough.
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
