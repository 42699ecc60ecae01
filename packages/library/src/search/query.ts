/** Words around what was found. */
const AROUND = 60;

/** What is sought: every term must be there. Three letters and more are found by the index, less by looking. */
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

/** As FTS5 reads it: each term as it is, whatever stands in it. */
export const matchText = ({ indexed }: Terms): string => indexed.map((term) => `"${term.replaceAll('"', '""')}"`).join(" AND ");

export const likeText = (term: string): string => `%${term.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** The place of the first term, on one line, with all terms marked by ⟦ and ⟧. */
export function snippetOf(text: string, { indexed, short }: Terms): string {
  const terms = [...indexed, ...short];
  const lower = text.toLowerCase();
  const found = terms.map((term) => lower.indexOf(term.toLowerCase())).filter((at) => at >= 0);
  const first = Math.max(0, Math.min(...found, text.length) - AROUND);
  const piece = text.slice(first, first + 3 * AROUND);
  const pattern = new RegExp(terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join("|"), "giu");
  const marked = piece.replaceAll(/[⟦⟧]/g, "").replace(pattern, "⟦$&⟧").replaceAll(/\s+/g, " ").trim();
  return `${first > 0 ? "…" : ""}${marked}${first + 3 * AROUND < text.length ? "…" : ""}`;
}
