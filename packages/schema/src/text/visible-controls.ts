/** Letters of scripts in which joiners shape words. */
const SHAPED =
  "\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Mongolian}";
/** Characters that are invisible or change the text around them. Line breaks and tabs are excluded. */
const INVISIBLE = "(?![\\n\\t])[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\uFFF9-\\uFFFB]";

interface Unseen {
  readonly some: RegExp;
  readonly each: RegExp;
}

let patterns: Unseen | undefined;

/**
 * Matches invisible characters, except within emoji and joiners between letters that need them. Built on first use, so that a bundle can
 * drop this module's neighbours.
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
 * Replaces each character that is invisible, or changes how others are read, by a visible mark: control characters (`␛`), text directions
 * (`⟨U+202E⟩`), zero-width characters. For texts on which people decide: commands, paths, diffs, titles, choices, names. Letters stay
 * unchanged, whatever their direction.
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
