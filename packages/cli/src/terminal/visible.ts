import { withoutEscapes, withVisibleControls } from "@colloquy/schema";

/** Text of agents, tools and people, safe for a terminal: it can't move the cursor, change colours or reverse the reading direction. */
export const visible = (text: string): string =>
  withoutEscapes(text.replaceAll("\r\n", "\n")).replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]/gu, "");

/** Text that somebody decides on or identifies something by: commands, diffs, choices. Verbatim, with marks for invisible characters. */
export const exactly = (text: string): string => withVisibleControls(text.replaceAll("\r\n", "\n"));

/** For pipes and errors: without escape sequences, and with marks for other invisible characters. */
export const marked = (text: string): string => withVisibleControls(withoutEscapes(text));

/** The same on one line: titles, names, headlines. */
export const oneLine = (text: string): string => exactly(text).replace(/\s+/g, " ").trim();

const OWN_COLOURS = /(\u001B\[[\d;]*m)/; // oxlint-disable-line no-control-regex

/** The last filter before output: text and breaks; on a terminal also colours, which end with it. */
export const harmless = (text: string, isTerminal: boolean): string =>
  isTerminal
    ? text
        .split(OWN_COLOURS)
        .map((part, nth) => (nth % 2 === 1 ? part : visible(part)))
        .join("")
    : visible(text);
