import { othersWords } from "./others-words.ts";

/** Part of the protocol, so it is the same in every language. */
const AWAY = "=== MESSAGES WHILE YOU WERE AWAY ===";
export const NEW_INTERACTION = "=== NEW INTERACTION ===";

/** Longer texts are shortened here; the full text is further up in the view. */
const MAX_CHARACTERS = 400;

/** A short repetition of what others have written since the agent's last turn, shown before its trigger. */
export const awayBlock = (said: readonly { readonly who: string; readonly text: string }[], summary: string | undefined): string =>
  [
    AWAY,
    ...said.map(({ who, text }) => `[${who}]: ${othersWords(shortened(text))}`),
    ...(summary === undefined ? [] : [previousContext(summary)]),
  ].join("\n\n");

export const previousContext = (summary: string): string => `**Previous context**: ${summary}`;

function shortened(text: string): string {
  const letters = [...text.trim()];
  return letters.length <= MAX_CHARACTERS
    ? letters.join("")
    : `${letters
        .slice(0, MAX_CHARACTERS - 1)
        .join("")
        .trimEnd()}…`;
}
