import type { Key } from "node:readline";

interface Lines {
  /** The number of numbered lines. */
  readonly numbered: number;
  /** All lines, those without a number included. */
  readonly lines: number;
  /** The line on which the prompt starts. */
  readonly start: number;
  readonly isMultiple: boolean;
}

const UP = new Set(["up", "left", "k", "h"]);
const DOWN = new Set(["down", "right", "j", "l"]);

/**
 * Digits choose here as on the page and in `watch`: a digit moves to its line, or toggles it if several may be chosen; the same one
 * again sends. The prompt itself knows only arrows, and Enter after a digit would send the current line; so a digit is translated to
 * arrow keys.
 */
export async function chooseByDigits<Chosen>(prompt: Promise<Chosen>, { numbered, lines, start, isMultiple }: Lines): Promise<Chosen> {
  let at = start;
  let last: number | undefined;
  const press = (name: string) => void process.stdin.emit("keypress", undefined, { name });
  const onKey = (typed: string | undefined, key: Key) => {
    const before = last;
    last = undefined;
    if (UP.has(key.name ?? "")) at = (at + lines - 1) % lines;
    else if (DOWN.has(key.name ?? "")) at = (at + 1) % lines;
    const wanted = /^[1-9]$/.test(typed ?? "") ? Number(typed) - 1 : numbered;
    if (wanted >= numbered) return;
    while (at !== wanted) press(wanted < at ? "up" : "down");
    if (isMultiple) press("space");
    else if (before === wanted) press("return");
    else last = wanted;
  };
  process.stdin.on("keypress", onKey);
  try {
    return await prompt;
  } finally {
    process.stdin.off("keypress", onKey);
  }
}
