import { type Nearest, nearest } from "./nearest.ts";

const MAX_NAMED_LINES = 20;

/** Plain data, passed to a thread if the text is long. */
export interface EditJob {
  readonly text: string;
  readonly old: string;
  readonly fresh: string;
}

export interface Edited {
  readonly text: string;
  /** How often the old text occurs. */
  readonly places: number;
  /** The lines of the first places, for people and models. */
  readonly lines: string;
  /** Where the text comes closest, if it doesn't occur. */
  readonly nearest: Nearest | undefined;
}

export function edited({ text, old, fresh }: EditJob): Edited {
  const { places, text: replaced } = replacedText(text, old, fresh);
  const isThere = places.length > 0;
  return { text: replaced, places: places.length, lines: firstLines(text, places), nearest: isThere ? undefined : nearest(text, old) };
}

/** The file after the edit, and where it changes. */
function replacedText(text: string, old: string, fresh: string): { readonly text: string; readonly places: readonly number[] } {
  const [wanted, instead] = inTheFilesLineEnds(text, old, fresh);
  // Not String.replace: a "$&" in the new text is literal.
  return { text: text.split(wanted).join(instead), places: occurrences(text, wanted) };
}

/** Models write "\n". In a file with "\r\n" line ends they mean that, if nothing matches verbatim. */
function inTheFilesLineEnds(text: string, old: string, fresh: string): readonly [string, string] {
  if (text.includes(old) || !text.includes("\r\n")) return [old, fresh];
  const withReturns = (lines: string) => lines.replace(/\r?\n/g, "\r\n");
  return text.includes(withReturns(old)) ? [withReturns(old), withReturns(fresh)] : [old, fresh];
}

function occurrences(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

/** The line numbers of the first places. There may be a place for each character, so the text is read once. */
function firstLines(text: string, places: readonly number[]): string {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (const place of places.slice(0, MAX_NAMED_LINES)) {
    for (let at = text.indexOf("\n", counted); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
    counted = place;
    lines.push(line);
  }
  return lines.join(", ") + (places.length > MAX_NAMED_LINES ? " …" : "");
}
