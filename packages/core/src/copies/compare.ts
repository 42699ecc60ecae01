import type { ComparedSide, Comparison, RootId, StoryRow } from "@colloquy/schema";
import type { Story } from "./story.ts";

const MAX_ROWS = 500;
const MAX_CHARACTERS = 2_000;

/** One of the two trees. */
export interface Compared {
  readonly rootId: RootId;
  readonly title: string;
  readonly story: Story;
}

/** Aligns two stories until they part, and says what each side did since. */
export function compareStories(left: Compared, right: Compared): Comparison {
  const same = sharedRows(left.story.rows, right.story.rows);
  const last = left.story.rows[same - 1];
  const sides: [ComparedSide, ComparedSide] = [sideOf(left, same), sideOf(right, same)];
  const [mine, other] = [new Set(sides[0].files), new Set(sides[1].files)];
  return {
    same,
    ...(last && { last: shown(last) }),
    sides,
    onlyFiles: [[...mine].filter((file) => !other.has(file)), [...other].filter((file) => !mine.has(file))],
  };
}

/** How many rows are the same from the beginning on. */
function sharedRows(one: readonly StoryRow[], other: readonly StoryRow[]): number {
  const differing = one.findIndex((row, nth) => {
    const another = other[nth];
    return !another || row.kind !== another.kind || row.who !== another.who || row.dialog !== another.dialog || row.text !== another.text;
  });
  return differing < 0 ? one.length : differing;
}

function sideOf({ rootId, title, story }: Compared, same: number): ComparedSide {
  const rows = story.rows.slice(same);
  const from = rows[0]?.seq ?? Number.POSITIVE_INFINITY;
  // A step and the words that it said are one event.
  const facts = story.facts.filter(({ seq }) => seq >= from);
  const calls: Record<string, number> = {};
  for (const { tool } of facts) if (tool !== undefined) calls[tool] = (calls[tool] ?? 0) + 1;
  const sum = (number: (fact: (typeof facts)[number]) => number | undefined) =>
    facts.reduce((total, fact) => total + (number(fact) ?? 0), 0);
  return {
    rootId,
    title,
    rows: rows.slice(0, MAX_ROWS).map(shown),
    more: Math.max(0, rows.length - MAX_ROWS),
    steps: sum(({ steps }) => steps),
    words: rows.filter(({ kind }) => kind === "said").reduce((total, { text }) => total + wordsIn(text), 0),
    tokens: sum(({ tokens }) => tokens),
    cost: sum(({ cost }) => cost),
    calls,
    files: [...new Set(facts.flatMap(({ files = [] }) => files))].toSorted(),
  };
}

/** Words between spaces; each Chinese character is one. */
const wordsIn = (text: string): number => text.match(/\p{Script=Han}|[^\s\p{Script=Han}]+/gu)?.length ?? 0;

const shown = (row: StoryRow): StoryRow =>
  row.text.length <= MAX_CHARACTERS ? row : { ...row, text: `${row.text.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…` };
