/** Dollars; `–` without a price. */
export const costText = (cost: number | undefined): string =>
  cost === undefined ? "–" : cost === 0 ? "0" : cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2);

/** `950`, `188k`, `1.2M` */
export function countText(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
