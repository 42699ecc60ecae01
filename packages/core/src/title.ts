const LONGEST = 80;

/** A dialog is called by the first line that says something, without Markdown's signs. */
export function titleOf(content: string): string {
  const line = content.split("\n").find((one) => one.trim() !== "") ?? "";
  const plain = line.replace(/^[#>*\-\s]+/, "").trim() || line.trim();
  const letters = [...plain];
  return letters.length <= LONGEST ? plain : `${letters.slice(0, LONGEST - 1).join("").trimEnd()}…`;
}

/** The first line that says something, short: how an ask or a question is called. */
export const headlineOf = titleOf;
