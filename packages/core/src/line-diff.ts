const CONTEXT = 3;
/** Beyond this the middle is shown as replaced as a whole. */
const LARGEST = 4_000_000;

export interface LineDiff {
  /** Unified, with three lines around each change. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

/** What changes from one text to another, line by line. */
export function lineDiff(before: string, after: string): LineDiff {
  const lines = changes(linesOf(before), linesOf(after));
  const isNear = lines.map(
    ({ sign }, at) => sign !== " " || lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((one) => one.sign !== " "),
  );
  const shown: string[] = [];
  let [old, fresh] = [1, 1];
  lines.forEach(({ sign, line }, at) => {
    if (isNear[at]) {
      if (!isNear[at - 1]) shown.push(`@@ -${old} +${fresh} @@`);
      shown.push(sign + line);
    }
    if (sign !== "+") old += 1;
    if (sign !== "-") fresh += 1;
  });
  const count = (sign: string) => lines.filter((one) => one.sign === sign).length;
  return { text: shown.join("\n"), added: count("+"), removed: count("-") };
}

interface Change {
  readonly sign: " " | "+" | "-";
  readonly line: string;
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
const all = (sign: Change["sign"], lines: readonly string[]): readonly Change[] => lines.map((line) => ({ sign, line }));

/** The longest common subsequence, between what both begin and end with. */
function changes(before: readonly string[], after: readonly string[]): readonly Change[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const old = before.slice(head, before.length - tail);
  const fresh = after.slice(head, after.length - tail);
  return [...all(" ", before.slice(0, head)), ...middle(old, fresh), ...all(" ", before.slice(before.length - tail))];
}

function middle(old: readonly string[], fresh: readonly string[]): readonly Change[] {
  if (old.length * fresh.length > LARGEST || old.length === 0 || fresh.length === 0) return [...all("-", old), ...all("+", fresh)];
  const width = fresh.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const made: Change[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < fresh.length) {
    if (old[row] === fresh[column]) {
      made.push({ sign: " ", line: old[row] ?? "" });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) made.push({ sign: "-", line: old[row++] ?? "" });
    else made.push({ sign: "+", line: fresh[column++] ?? "" });
  }
  return [...made, ...all("-", old.slice(row)), ...all("+", fresh.slice(column))];
}
