/** One measured figure: a ratio within one run wherever there is one. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The target: a maximum or, with `atLeast`, a minimum. */
  readonly limit: number;
  readonly atLeast?: boolean;
  readonly note: string;
}

export const isReached = ({ value, limit, atLeast = false }: Figure): boolean => (atLeast ? value >= limit : value <= limit);

/** Thrown if something can't be measured on this machine, with the reason. */
export class Skipped extends Error {
  override readonly name = "Skipped";
}
