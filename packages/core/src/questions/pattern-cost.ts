/** Longer patterns are not examined. */
const MAX_PATTERN_LENGTH = 1_000;
const MAX_STEPS = 1e7;

/** One element of a pattern: a character, a class, the start or end of a group, an alternative, or a repetition. */
const TOKEN = /\\k<|\\[pPuxc]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!:]|\(\?<[^>]*>|\(|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gu;

/**
 * Can a pattern from outside be tried on a text of this length within a few milliseconds, whatever the pattern and the text? An upper
 * estimate: alternatives multiply, and a repeated group with alternatives counts as unbounded, as do back references.
 */
export function isCheapPattern(pattern: string, length: number): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH) return false;
  // A match may start anywhere.
  let steps = pattern.startsWith("^") ? 1 : length + 1;
  /** For each open group: does it contain alternatives? */
  const open = [false];
  let lastVaries = false;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (/^\\(?:[1-9]|k<)/.test(token)) return false;
    const repeated = repeatedBy(token);
    if (repeated && lastVaries && repeated.most > 1) return false;
    if (token.startsWith("(")) open.push(false);
    if (token === "|" || (repeated && repeated.most > repeated.least)) {
      open[open.length - 1] = true;
      steps *= Math.max(2, Math.min((repeated?.most ?? 1) - (repeated?.least ?? 0) + 1, length + 1));
    }
    lastVaries = token === ")" && open.pop() === true;
    if (lastVaries) open[open.length - 1] = true;
  }
  return steps <= MAX_STEPS;
}

function repeatedBy(token: string): { readonly least: number; readonly most: number } | undefined {
  if (/^[*+]\??$/.test(token)) return { least: 0, most: Number.POSITIVE_INFINITY };
  if (/^\?\??$/.test(token)) return { least: 0, most: 1 };
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}\??$/.exec(token) ?? [];
  if (least === undefined) return undefined;
  return { least: Number(least), most: comma === "" ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most) };
}
