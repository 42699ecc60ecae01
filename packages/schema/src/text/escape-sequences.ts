/**
 * Control sequences (CSI), control strings (OSC, DCS, SOS, PM, APC) and single escapes, in seven-bit and eight-bit forms. Neighbouring
 * parts share no character, so a match never backtracks and the work is linear in any text.
 */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])([^\u0007\u001B\u0090-\u009F]*)(\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-~]?/g;

/** Removes everything that would colour a terminal, move its cursor or set its title. An unfinished string at the end keeps its text. */
export const withoutEscapes = (text: string): string =>
  text.replace(SEQUENCE, (match: string, words: string | undefined, end: string | undefined, at: number) =>
    words !== undefined && end === undefined && at + match.length === text.length ? words : "",
  );
