/** What is being written at the caret that could be completed. */
export interface Sought {
  /** `@` names an agent or a file, `#` a dialog. */
  readonly sign: "@" | "#";
  readonly typed: string;
  /** Where it stands in the text. */
  readonly from: number;
  readonly to: number;
  /** Nothing stands before it: an agent that is named here is addressed. */
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

/** The text with this in place of what was sought, and where the caret stands then. */
export function completed(text: string, { from, to }: Sought, by: string): { readonly text: string; readonly caret: number } {
  const after = text.slice(to);
  const gap = by !== "" && /^(?:$|[\p{L}\p{N}])/u.test(after) ? " " : "";
  return { text: text.slice(0, from) + by + gap + after, caret: from + by.length + gap.length };
}

/** An agent that is named in the middle, where that addresses nobody. */
export function namedInPassing(
  text: string,
  team: readonly { readonly id: string; readonly name: string }[],
): { readonly id: string; readonly name: string } | undefined {
  const named = [...text.matchAll(/(?<=\s|[^\p{ASCII}])[@＠]([\p{L}\p{N}_-]+)/gu)].map(([, name = ""]) => name.toLowerCase());
  return team.find(({ id, name }) => named.some((one) => one === id.toLowerCase() || one === name.toLowerCase()));
}
