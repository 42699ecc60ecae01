/** The word at the caret, if it can be completed. */
export interface Sought {
  /** `@` names an agent or a file, `#` a dialog. */
  readonly sign: "@" | "#";
  readonly typed: string;
  /** Its position in the text. */
  readonly from: number;
  readonly to: number;
  /** It is at the start of the text, where naming an agent addresses it. */
  readonly isAtStart: boolean;
}

/** At the start, after a space, or after a letter of a script that is written without spaces; full-width `＠` counts too. */
const SOUGHT = /(?<=^|\s|[^\p{ASCII}])(?<sign>[@＠#])(?<typed>[\p{L}\p{N}_./-]*)$/u;

export function soughtAt(text: string, caret: number): Sought | undefined {
  const found = SOUGHT.exec(text.slice(0, caret));
  if (!found?.groups) return undefined;
  const { sign = "", typed = "" } = found.groups;
  return { sign: sign === "#" ? "#" : "@", typed, from: found.index, to: caret, isAtStart: text.slice(0, found.index).trim() === "" };
}

/** The text with the completion inserted, and the new caret position. */
export function completed(text: string, { from, to }: Sought, by: string): { readonly text: string; readonly caret: number } {
  const after = text.slice(to);
  const gap = by !== "" && /^(?:$|[\p{L}\p{N}])/u.test(after) ? " " : "";
  return { text: text.slice(0, from) + by + gap + after, caret: from + by.length + gap.length };
}

/** An agent mentioned after the start, where a mention addresses nobody. */
export function namedInPassing(
  text: string,
  team: readonly { readonly id: string; readonly name: string }[],
): { readonly id: string; readonly name: string } | undefined {
  const named = [...text.matchAll(/(?<=\s|[^\p{ASCII}])[@＠]([\p{L}\p{N}_-]+)/gu)].map(([, name = ""]) => name.toLowerCase());
  return team.find(({ id, name }) => named.some((one) => one === id.toLowerCase() || one === name.toLowerCase()));
}
