const LONGEST = 80;

/** How a dialog, an ask or a question is called: the first line that says something, without Markdown's signs. */
export function headlineOf(content: string): string {
  const line = content.split("\n").find((one) => one.trim() !== "") ?? "";
  const plain = line.replace(/^[#>*\-\s]+/, "").trim() || line.trim();
  const letters = [...plain];
  return letters.length <= LONGEST
    ? plain
    : `${letters
        .slice(0, LONGEST - 1)
        .join("")
        .trimEnd()}…`;
}
