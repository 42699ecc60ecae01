/** Beyond these limits parsing a text as Markdown takes noticeably long: the parser's time is quadratic in some of them. */
const MAX_CHARACTERS = 50_000;
const MAX_MARKERS = 2_000;
const MAX_INDENT = 80;
const MAX_QUOTE_DEPTH = 40;

const MARKER = /[[*_~<|@]/g;
const DEEP = new RegExp(`^(?:[ \\t]{${MAX_INDENT}}|(?:>[ \\t]?){${MAX_QUOTE_DEPTH}})`, "m");

/** True if a text should be shown as plain text, because parsing it would freeze the page. */
export function isHeavyMarkdown(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return true;
  let markers = 0;
  for (const _ of text.matchAll(MARKER)) if (++markers > MAX_MARKERS) return true;
  return DEEP.test(text);
}
