import { withoutEscapes } from "@colloquy/schema";

/**
 * Text of agents, tools and people, safe for a terminal: nothing in it can move the cursor, change colours or turn the
 * direction of reading.
 */
export const visible = (text: string): string =>
  withoutEscapes(text.replaceAll("\r\n", "\n")).replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, "");

/** The same on one line. */
export const oneLine = (text: string): string => visible(text).replace(/\s+/g, " ").trim();
