import { withoutEscapes, withVisibleControls } from "@colloquy/schema";

/**
 * Text of agents, tools and people, safe for a terminal: nothing in it can move the cursor, change colours or turn the
 * direction of reading.
 */
export const visible = (text: string): string =>
  withoutEscapes(text.replaceAll("\r\n", "\n")).replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]/gu, "");

/** What somebody decides on or knows something by, as it is: commands, differences, choices. What cannot be seen gets a mark. */
export const exactly = (text: string): string => withVisibleControls(text.replaceAll("\r\n", "\n"));

/** For pipes and errors: without escape sequences, and with a mark for what else cannot be seen. */
export const marked = (text: string): string => withVisibleControls(withoutEscapes(text));

/** The same on one line: titles, names, headlines. */
export const oneLine = (text: string): string => exactly(text).replace(/\s+/g, " ").trim();

const OWN_COLOURS = /(\u001B\[[\d;]*m)/; // oxlint-disable-line no-control-regex

/** The last look at what is written, whoever wrote it: text and breaks; on a terminal also colours, which end with it. */
export const harmless = (text: string, isTerminal: boolean): string =>
  isTerminal
    ? text
        .split(OWN_COLOURS)
        .map((part, nth) => (nth % 2 === 1 ? part : visible(part)))
        .join("")
    : visible(text);
