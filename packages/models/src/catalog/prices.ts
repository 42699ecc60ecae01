import type { Usage } from "@colloquy/schema";
import type { Price } from "../port.ts";

/** In dollars; undefined when the price is not known, which is shown as "–" and never as nothing. */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (!price) return undefined;
  const cached = Math.min(usage.cachedInput ?? 0, usage.input);
  const perMillion = (usage.input - cached) * price.input + cached * (price.cachedInput ?? price.input) + usage.output * price.output;
  return perMillion / 1_000_000;
}
