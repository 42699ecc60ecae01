import type { Attributes } from "./span.ts";

/** A figure with its values at one moment. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  /** As UCUM writes it: "s", "By", "1". */
  readonly unit: string;
  readonly kind: "counter" | "gauge";
  readonly samples: readonly { readonly labels: Attributes; readonly value: number }[];
  /** Since when counters count. */
  readonly startMs: number;
  readonly atMs: number;
}
