/** How long the provider asked us to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterMs(headers: Readonly<Record<string, string>> | undefined, nowMs: number): number | undefined {
  const exact = numberOf(headers?.["retry-after-ms"]);
  if (exact !== undefined) return Math.max(0, exact);
  const value = headers?.["retry-after"];
  const seconds = numberOf(value);
  if (seconds !== undefined) return Math.max(0, seconds * 1000);
  const date = value === undefined ? Number.NaN : Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
