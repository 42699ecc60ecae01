const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const FORM = /^(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|seconds?|m|minutes?|h|hours?|d|days?|w|weeks?)$/;

/** "3 days", "90s", "2 hours", in milliseconds. */
export function durationMs(text: string): number {
  const [, amount, unit = ""] = FORM.exec(text.trim()) ?? [];
  const one = UNITS[unit.startsWith("mil") ? "ms" : unit === "ms" ? "ms" : unit.slice(0, 1)];
  if (amount === undefined || one === undefined) throw new Error(`"${text}" is no time. Write for example "3 days", "2 hours" or "90s".`);
  return Number(amount) * one;
}
