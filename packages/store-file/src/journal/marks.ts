import type { Entry } from "@colloquy/schema";

/** What start-up needs to know of a tree without reading its entry, as bits. */
export const MARKS = { hot: 1, asking: 2, timed: 4, faulted: 8 } as const;
export type Mark = keyof typeof MARKS;

/** How many open questions are counted; a tree with more is asked directly. */
export const MAX_QUESTIONS = 255;
export const QUESTIONS_AT = 4;

/** The marks, followed by the number of open questions. */
export const marksOf = (entry: Entry): number =>
  (entry.hot ? MARKS.hot : 0) |
  (entry.questions?.length || entry.unsettled?.length ? MARKS.asking : 0) |
  (entry.due === undefined ? 0 : MARKS.timed) |
  (entry.questions?.some(({ kind }) => kind === "fault") ? MARKS.faulted : 0) |
  (Math.min(entry.questions?.length ?? 0, MAX_QUESTIONS) << QUESTIONS_AT);
