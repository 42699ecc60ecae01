/** Quotation marks carry no meaning of their own. */
const QUOTES = /["'`´“”„‟‘’‚‛«»‹›「」『』《》]/gu;
const DASHES = /[‐‑‒–—―−]/gu;
/** Marks of a sentence: at the end of a word, or beside a letter of a script without spaces. `v1.2`, `C#` and `--all` are whole. */
const MARKS = /[.,;:!?…。、·]+(?=\s|$|\p{Script=Han})|(?<=\p{Script=Han})[.,;:!?…。、·]+/gu;

/** How words are compared: the same question in other letters, spaces, punctuation or widths is the same question. */
export function normalisedWords(words: string): string {
  const folded = words.normalize("NFKC").toLowerCase().replace(QUOTES, "").replace(DASHES, "-");
  const plain = folded.replace(MARKS, " ").replace(/\s+/gu, " ").trim();
  // Nothing but marks is told apart by them.
  return plain === "" ? words.trim() : plain;
}
