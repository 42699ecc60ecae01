import stringWidth from "fast-string-width";

/** Splits text into graphemes. Created on first use: it takes longer than most commands need to print. */
let letters: Intl.Segmenter | undefined;

/** Columns on the screen: Chinese characters take two, colours none. */
export const widthOf = (text: string): number => stringWidth(text);

/** The widest of any number of texts. */
export const widest = (texts: readonly string[], least = 0): number => texts.reduce((most, text) => Math.max(most, widthOf(text)), least);

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - widthOf(text))) + text;
}

/** Shortens text without colours to this many columns, with … at the cut. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 1;
  letters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of letters.segment(text)) {
    width += widthOf(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/** Wraps text to lines of at most this many columns, between words if possible. */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, Math.max(8, columns)));
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const piece of pieces(line)) {
    if (current !== "" && widthOf(current + piece.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = "";
    }
    current += current === "" && lines.length > 0 ? piece.trimStart() : piece;
    while (widthOf(current.trimEnd()) > columns) {
      const head = cut(current, columns + 1).slice(0, -1);
      lines.push(head);
      current = current.slice(head.length);
    }
  }
  return [...lines, current.trimEnd()];
}

/** Where a line may be wrapped: after spaces, and around every wide character. */
export const pieces = (text: string): readonly string[] =>
  text.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}][\p{P}]*\s*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+\s*|\s+/gu,
  ) ?? [];
