/** Quotation marks carry no meaning of their own. */
const QUOTES = /["'`´“”„‟‘’‚‛«»‹›「」『』《》]/gu;
const DASHES = /[‐‑‒–—―−]/gu;
const MARKS = /[.,;:!?…。、·]+/gu;
const LETTER_OF_CHINESE = /\p{Script=Han}/u;

/** How words are compared: the same question in other case, spacing, punctuation or widths is the same question. */
export function normalisedWords(words: string): string {
  const folded = words.normalize("NFKC").toLowerCase().replace(QUOTES, "").replace(DASHES, "-");
  const plain = folded
    .replace(MARKS, (run, at: number) => (endsAWord(folded, at, at + run.length) ? " " : run))
    .replace(/\s+/gu, " ")
    .trim();
  // Texts of punctuation alone are distinguished by it.
  return plain === "" ? words.trim() : plain;
}

/** Punctuation is at the end of a word, or beside a letter of a script without spaces. `v1.2` is one word. */
function endsAWord(text: string, from: number, to: number): boolean {
  const next = text[to] ?? " ";
  return /\s/u.test(next) || LETTER_OF_CHINESE.test(next) || LETTER_OF_CHINESE.test(text[from - 1] ?? "");
}
