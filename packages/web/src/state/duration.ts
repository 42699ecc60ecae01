import type { Words } from "../words.ts";

/** Two units at most: "2 h 14 m", "3 d 4 h". */
export function duration(ms: number, words: Words): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const { s, m, h, d } = words.duration;
  const parts: readonly (readonly [number, (n: number) => string])[] = [
    [Math.floor(seconds / 86_400), d],
    [Math.floor(seconds / 3_600) % 24, h],
    [Math.floor(seconds / 60) % 60, m],
    [seconds % 60, s],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return s(0);
  return parts
    .slice(first, first === 2 ? 3 : first + 2)
    .filter(([count], nth) => nth === 0 || count > 0)
    .map(([count, say]) => say(count))
    .join(" ");
}

/** 412k, 1.2M. */
export const short = (count: number): string =>
  count < 1_000 ? String(count) : count < 1_000_000 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`;

export const money = (cost: number): string => `${cost.toFixed(2)} $`;

const clocks = new Map<string, Intl.DateTimeFormat>();
function format(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = language + JSON.stringify(options);
  const known = clocks.get(key) ?? new Intl.DateTimeFormat(language === "zh" ? "zh-CN" : "en-GB", options);
  clocks.set(key, known);
  return known;
}

export const clock = (at: number, language: string): string => format(language, { hour: "2-digit", minute: "2-digit" }).format(at);
export const clockWithSeconds = (at: number, language: string): string =>
  format(language, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(at);
export const day = (at: number, language: string): string => format(language, { day: "numeric", month: "short" }).format(at);

/** The time today, else the day with it. */
export const moment = (at: number, now: number, language: string): string =>
  new Date(at).toDateString() === new Date(now).toDateString() ? clock(at, language) : `${day(at, language)} ${clock(at, language)}`;
