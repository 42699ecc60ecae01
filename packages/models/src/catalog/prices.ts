import type { Usage } from "@colloquy/schema";
import type { Price } from "../port.ts";

/** In dollars; undefined if the price is unknown, which is shown as "–", never as 0. */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (!price) return undefined;
  const cached = Math.min(usage.cachedInput ?? 0, usage.input);
  const perMillion = (usage.input - cached) * price.input + cached * (price.cachedInput ?? price.input) + usage.output * price.output;
  return perMillion / 1_000_000;
}
