/** Quotation marks are ignored in comparisons. */
const QUOTES = /["'`´“”„‟‘’‚‛«»‹›「」『』《》]/gu;
const DASHES = /[‐‑‒–—―−]/gu;
const MARKS = /[.,;:!?…。、·]+/gu;
const LETTER_OF_CHINESE = /\p{Script=Han}/u;

/** The form in which words are compared. Case, spacing, punctuation and character widths make no difference. */
export function normalisedWords(words: string): string {
  const folded = words.normalize("NFKC").toLowerCase().replace(QUOTES, "").replace(DASHES, "-");
  const plain = folded
    .replace(MARKS, (run, at: number) => (endsAWord(folded, at, at + run.length) ? " " : run))
    .replace(/\s+/gu, " ")
    .trim();
  // A text of punctuation only is compared unchanged.
  return plain === "" ? words.trim() : plain;
}

/** Punctuation ends a word at white space or beside a letter of a script without spaces. `v1.2` is one word. */
function endsAWord(text: string, from: number, to: number): boolean {
  const next = text[to] ?? " ";
  return /\s/u.test(next) || LETTER_OF_CHINESE.test(next) || LETTER_OF_CHINESE.test(text[from - 1] ?? "");
}
