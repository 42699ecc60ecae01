/** Characters shown before a match; a snippet is three times as long. */
const SNIPPET_CHARACTERS = 60;

/** A search: every term must match. The index finds terms of three letters or more; shorter ones need a scan. */
export interface Terms {
  readonly indexed: readonly string[];
  readonly short: readonly string[];
}

export function termsOf(query: string): Terms {
  const all = [
    ...new Set(
      query
        .normalize("NFC")
        .split(/\s+/u)
        .filter((term) => term !== ""),
    ),
  ].slice(0, 10);
  return {
    indexed: all.filter((term) => Array.from(term).length >= 3),
    short: all.filter((term) => Array.from(term).length < 3),
  };
}

/** Letters that the index is asked for. Each more costs it a pass over every place of a frequent letter sequence. */
const INDEXED_LETTERS = 12;

/** The FTS5 query: the quoted beginning of each term. `hasAll` checks the rest. */
export const matchText = ({ indexed }: Terms): string =>
  indexed.map((term) => `"${beginningOf(term).replaceAll('"', '""')}"`).join(" AND ");

const beginningOf = (term: string): string => Array.from(term).slice(0, INDEXED_LETTERS).join("");

/** True if a hit contains the long terms as a whole. */
export function hasAll(text: string, { indexed }: Terms): boolean {
  const long = indexed.filter((term) => beginningOf(term) !== term);
  if (long.length === 0) return true;
  const lower = text.toLowerCase();
  return long.every((term) => lower.includes(term.toLowerCase()));
}

export const likeText = (term: string): string => `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** The place of the first term, on one line, with all terms marked by ⟦ and ⟧. */
export function snippetOf(text: string, { indexed, short }: Terms): string {
  const terms = [...indexed, ...short];
  const lower = text.toLowerCase();
  const found = terms.map((term) => lower.indexOf(term.toLowerCase())).filter((at) => at >= 0);
  const first = Math.max(0, Math.min(...found, text.length) - SNIPPET_CHARACTERS);
  const piece = text.slice(first, first + 3 * SNIPPET_CHARACTERS);
  const pattern = new RegExp(terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|"), "giu");
  const marked = piece.replaceAll(/[⟦⟧]/g, "").replace(pattern, "⟦$&⟧").replaceAll(/\s+/g, " ").trim();
  return `${first > 0 ? "…" : ""}${marked}${first + 3 * SNIPPET_CHARACTERS < text.length ? "…" : ""}`;
}
