const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of `500ms`, `30s`, `5m`, `1.5h`, `3d`, `2w`; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  const size = UNITS[unit];
  return size === undefined ? undefined : Number(amount) * size;
}
