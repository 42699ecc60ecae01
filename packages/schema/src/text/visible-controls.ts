/** Letters of scripts in which joiners shape words. */
const SHAPED =
  "\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Mongolian}";
/** Characters that have no shape of their own, or act on the text around them. Breaks of lines and tabs are as they look. */
const INVISIBLE = "(?![\\n\\t])[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB]";

interface Unseen {
  readonly some: RegExp;
  readonly each: RegExp;
}

let patterns: Unseen | undefined;

/**
 * Parts of a picture, and joiners between letters that need them, are left as they are. Made when first needed: a module that does
 * nothing when it is loaded can be in a bundle without the schemas beside it.
 */
const unseen = (): Unseen =>
  (patterns ??= {
    some: new RegExp(INVISIBLE, "u"),
    each: new RegExp(
      `(?<=[${SHAPED}])[\\u200C\\u200D](?=[${SHAPED}])|(?<=\\p{Emoji}|\\p{Emoji_Modifier})\\uFE0F|(?<=\\p{Extended_Pictographic}|\\p{Emoji_Modifier}|\\uFE0F)\\u200D(?=\\p{Extended_Pictographic})|(${INVISIBLE})`,
      "gu",
    ),
  });

/**
 * A text with a visible mark in place of each character that cannot be seen or that changes how others are read: control characters
 * (`␛`), directions of reading (`⟨U+202E⟩`), zero widths. For what people decide on: commands, paths, differences, titles, choices, names.
 * Letters stay as they are, in whichever direction they are read.
 */
export const withVisibleControls = (text: string): string =>
  unseen().some.test(text)
    ? text.replace(unseen().each, (whole: string, found: string | undefined) => (found === undefined ? whole : markOf(found)))
    : text;

function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
