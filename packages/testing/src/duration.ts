import { readDuration } from "@colloquy/schema";

const SHORT: readonly (readonly [words: RegExp, unit: string])[] = [
  [/\s*milliseconds?$/, "ms"],
  [/\s*seconds?$/, "s"],
  [/\s*minutes?$/, "m"],
  [/\s*hours?$/, "h"],
  [/\s*days?$/, "d"],
  [/\s*weeks?$/, "w"],
];

/** "3 days", "90s", "2 hours", in milliseconds. */
export function durationMs(text: string): number {
  const short = SHORT.reduce((left, [words, unit]) => left.replace(words, unit), text.trim()).replace(/\s+/, "");
  const ms = readDuration(short);
  if (ms === undefined) throw new Error(`"${text}" is not a duration. Write for example "3 days", "2 hours" or "90s".`);
  return ms;
}
