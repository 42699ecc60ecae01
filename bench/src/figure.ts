/** One measured figure: a ratio within one run wherever there is one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What it should not exceed, or (`atLeast`) not fall below. */
  readonly limit: number;
  readonly atLeast?: boolean;
  readonly note: string;
}

export const isReached = ({ value, limit, atLeast = false }: Figure): boolean => (atLeast ? value >= limit : value <= limit);

/** What cannot be measured on this machine, and why. */
export class Skipped extends Error {
  override readonly name = "Skipped";
}
