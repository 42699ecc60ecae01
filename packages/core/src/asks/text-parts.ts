import type { LimitName } from "@colloquy/schema";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The age in the largest unit of which there are at least two, so that "25 hours" is not rounded to a day. */
export function ageIn(ms: number, words: Readonly<Record<"now" | "minutes" | "hours" | "days", string>>, before = ""): string {
  if (ms < MINUTE) return words.now;
  if (ms < 2 * HOUR) return `${before}${Math.floor(ms / MINUTE)} ${words.minutes}`;
  return before + (ms < 2 * DAY ? `${Math.floor(ms / HOUR)} ${words.hours}` : `${Math.floor(ms / DAY)} ${words.days}`);
}

export const amount = (limit: LimitName, value: number): string =>
  limit === "costPerTree" || limit === "costPerDay"
    ? value.toFixed(2)
    : limit === "wallTimePerTree"
      ? `${Math.round(value / 60_000)} min`
      : String(value);

/** A list item with further lines under it; empty parts are left out. */
export const listItem = (first: string, ...more: readonly string[]): string =>
  [first, ...more.flatMap((text) => (text === "" ? [] : text.split("\n")))]
    .map((line, nth) => (nth === 0 ? `- ${line}` : `  ${line}`))
    .join("\n");
