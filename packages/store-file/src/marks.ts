import type { Entry } from "@colloquy/schema";

/** What start-up asks of a tree without reading its entry, as bits. */
export const MARKS = { hot: 1, asking: 2, timed: 4, faulted: 8 } as const;
export type Mark = keyof typeof MARKS;

export const marksOf = (entry: Entry): number =>
  (entry.hot ? MARKS.hot : 0) |
  (entry.questions?.length ? MARKS.asking : 0) |
  (entry.due === undefined ? 0 : MARKS.timed) |
  (entry.questions?.some(({ kind }) => kind === "fault") ? MARKS.faulted : 0);
