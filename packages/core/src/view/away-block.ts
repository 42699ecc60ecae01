import { othersWords } from "./others-words.ts";

/** Protocol: the same in every language. */
const AWAY = "=== MESSAGES WHILE YOU WERE AWAY ===";
export const NEW_INTERACTION = "=== NEW INTERACTION ===";

/** Longer texts are shortened here; they are above in full. */
const MAX_CHARACTERS = 400;

/** What others have written since the agent was last here, repeated in short before its trigger. */
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
