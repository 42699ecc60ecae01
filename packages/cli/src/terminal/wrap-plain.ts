/** A term, and beside it what it means, which goes on below itself. */
export function beside(term: string, meaning: string, columns: number): string {
  // Where too little room is left beside it, it stands below.
  const indent = columns - term.length < MIN_BESIDE_COLUMNS ? 4 : term.length;
  const lines = wrapPlain(meaning, Math.max(MIN_BESIDE_COLUMNS, columns - indent)).split("\n");
  const head = indent === term.length ? `${term}${lines.shift() ?? ""}` : term.trimEnd();
  return [head, ...lines.map((line) => " ".repeat(indent) + line)].join("\n");
}

const MIN_BESIDE_COLUMNS = 30;

/** Breaks our own plain text between words. For help, which starts faster without tables of letter widths. */
export function wrapPlain(text: string, columns: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join("\n");
}
