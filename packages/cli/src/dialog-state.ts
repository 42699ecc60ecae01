import type { DialogView, Entry } from "@colloquy/library";
import type { Colours } from "./terminal/screen.ts";

export type State = DialogView["state"];

/** A list's entry knows that there is work to do. Nobody does it here: whoever looks at the list holds the project alone. */
export const stateOf = (entry: Entry): State => (entry.state === "working" ? "interrupted" : entry.state);

/** State is never colour alone: a glyph goes with it. */
export const glyphs: Readonly<Record<State, string>> = {
  working: "●",
  interrupted: "◇",
  stopped: "■",
  done: "✓",
  archived: "✓",
  resting: "○",
};

/** Amber is kept for what waits for a person. */
export function colourOf(state: State, colours: Colours): (text: string) => string {
  const table: Readonly<Record<State, (text: string) => string>> = {
    working: colours.cyan,
    interrupted: colours.yellow,
    stopped: colours.yellow,
    done: colours.green,
    archived: colours.dim,
    resting: (text) => text,
  };
  return table[state];
}

/** What it waits for, in words: a stopped dialog says why. */
export const stateText = (entry: Entry): string => (entry.stopped === undefined ? stateOf(entry) : `stopped: ${entry.stopped}`);
