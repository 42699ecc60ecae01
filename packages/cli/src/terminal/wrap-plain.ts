/** A term, and its description beside it, wrapped below itself. */
export function beside(term: string, meaning: string, columns: number): string {
  // With too little room beside it, the description goes below.
  const indent = columns - term.length < MIN_BESIDE_COLUMNS ? 4 : term.length;
  const lines = wrapPlain(meaning, Math.max(MIN_BESIDE_COLUMNS, columns - indent)).split("\n");
  const head = indent === term.length ? `${term}${lines.shift() ?? ""}` : term.trimEnd();
  return [head, ...lines.map((line) => " ".repeat(indent) + line)].join("\n");
}

const MIN_BESIDE_COLUMNS = 30;

/** Chinese characters and their punctuation take two columns. */
const WIDE = /[\u2e80-\uffef]/gu;

/** What stays together on a line: a word, or a Chinese character with the punctuation that may not begin or end a line. */
const PIECE = /[（《“]*(?:[\u2e80-\uffef]|[^ \u2e80-\uffef]+)[，。：；、！？）》”…]*| +/gu;

/** The columns of our own plain text, without tables of character widths: they would make help slow. */
export const plainWidth = (text: string): number => text.length + (text.match(WIDE)?.length ?? 0);

/** Wraps our own plain text between words, and anywhere between Chinese characters. */
export function wrapPlain(text: string, columns: number): string {
  const lines: string[] = [];
  let line = "";
  let gap = "";
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece.startsWith(" ")) gap = " ";
    else {
      if (line !== "" && plainWidth(line + gap + piece) > columns) {
        lines.push(line);
        line = piece;
      } else line += gap + piece;
      gap = "";
    }
  }
  return [...lines, line].join("\n");
}
