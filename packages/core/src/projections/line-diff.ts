const CONTEXT_LINES = 3;
/** If there are more pairs of lines than this, the middle is shown as replaced. */
const MAX_PAIRS = 1_000_000;
/** Lines shown on each side of a replaced middle. */
const MAX_SHOWN_LINES = 2_000;
const CHUNK = 4_096;

export interface LineDiff {
  /** Unified, with three lines around each change. If lines of a very long change are left out, a last line says how many: `⋯ -12 +34`. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

/** The changes from one text to another, line by line. */
export function lineDiff(before: string, after: string): LineDiff {
  const [old, fresh] = [ended(before), ended(after)];
  const head = commonHead(old, fresh);
  const tail = commonTail(old, fresh, head);
  const lead = lastLines(old.slice(0, head));
  const trail = firstLines(old.slice(old.length - tail), CONTEXT_LINES);
  const middle = changesBetween(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  const firstLine = lineCount(old, head) - lead.length + 1;
  const lines = written([...all(" ", lead), ...middle.changes, ...all(" ", trail)], firstLine);
  return { text: [...lines, ...middle.leftOut].join("\n"), added: middle.added, removed: middle.removed };
}

interface Change {
  readonly sign: " " | "+" | "-";
  readonly line: string;
}

interface Changes {
  readonly changes: readonly Change[];
  readonly added: number;
  readonly removed: number;
  readonly leftOut: readonly string[];
}

/** Adds a line break to the last line if it has none. */
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
const all = (sign: Change["sign"], lines: readonly string[]): readonly Change[] => lines.map((line) => ({ sign, line }));

/** The length of the common beginning, in characters of whole lines. */
function commonHead(old: string, fresh: string): number {
  const most = Math.min(old.length, fresh.length);
  let at = 0;
  while (at + CHUNK <= most && old.slice(at, at + CHUNK) === fresh.slice(at, at + CHUNK)) at += CHUNK;
  while (at < most && old[at] === fresh[at]) at += 1;
  return at === 0 ? 0 : old.lastIndexOf("\n", at - 1) + 1;
}

/** The length of the common end after the head, in characters of whole lines. */
function commonTail(old: string, fresh: string, head: number): number {
  const most = Math.min(old.length, fresh.length) - head;
  const end = (text: string, from: number, to: number) => text.slice(text.length - to, text.length - from);
  let length = 0;
  while (length + CHUNK <= most && end(old, length, length + CHUNK) === end(fresh, length, length + CHUNK)) length += CHUNK;
  while (length < most && old[old.length - length - 1] === fresh[fresh.length - length - 1]) length += 1;
  const beginsLine = (text: string) => text.length - length === head || text[text.length - length - 1] === "\n";
  if (beginsLine(old) && beginsLine(fresh)) return length;
  const first = old.indexOf("\n", old.length - length);
  return first < 0 ? 0 : old.length - first - 1;
}

function lineCount(text: string, to = text.length): number {
  let count = 0;
  for (let at = 0; at < to; at += 1) if (text.charCodeAt(at) === 10) count += 1;
  return count;
}

function firstLines(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  for (let from = 0; from < text.length && lines.length < most;) {
    const to = text.indexOf("\n", from);
    lines.push(text.slice(from, to));
    from = to + 1;
  }
  return lines;
}

function lastLines(text: string): readonly string[] {
  let from = text.length;
  for (let nth = 0; nth < CONTEXT_LINES && from > 0; nth += 1) from = from < 2 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
  return firstLines(text.slice(from), CONTEXT_LINES);
}

function changesBetween(old: string, fresh: string): Changes {
  const [removed, added] = [lineCount(old), lineCount(fresh)];
  if (removed > 0 && added > 0 && removed * added <= MAX_PAIRS) {
    const changes = longestCommon(firstLines(old, removed), firstLines(fresh, added));
    const count = (sign: Change["sign"]) => changes.filter((one) => one.sign === sign).length;
    return { changes, removed: count("-"), added: count("+"), leftOut: [] };
  }
  const changes = [...all("-", firstLines(old, MAX_SHOWN_LINES)), ...all("+", firstLines(fresh, MAX_SHOWN_LINES))];
  const beyond = (count: number) => Math.max(0, count - MAX_SHOWN_LINES);
  const leftOut = beyond(removed) + beyond(added) > 0 ? [`⋯ -${beyond(removed)} +${beyond(added)}`] : [];
  return { changes, removed, added, leftOut };
}

/** The longest common subsequence. Lines are compared as numbers, because comparing long lines with a common beginning is slow. */
function longestCommon(old: readonly string[], fresh: readonly string[]): readonly Change[] {
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]) =>
    Uint32Array.from(lines, (line) => {
      const known = numbers.get(line);
      if (known === undefined) numbers.set(line, numbers.size);
      return known ?? numbers.size - 1;
    });
  const [left, right] = [numbered(old), numbered(fresh)];
  const width = fresh.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const made: Change[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < fresh.length) {
    if (left[row] === right[column]) {
      made.push({ sign: " ", line: old[row] ?? "" });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) made.push({ sign: "-", line: old[row++] ?? "" });
    else made.push({ sign: "+", line: fresh[column++] ?? "" });
  }
  return [...made, ...all("-", old.slice(row)), ...all("+", fresh.slice(column))];
}

/** The lines around each change, with their positions. */
function written(lines: readonly Change[], firstLine: number): readonly string[] {
  const isNear = new Uint8Array(lines.length);
  lines.forEach(({ sign }, at) => {
    if (sign !== " ") isNear.fill(1, Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1);
  });
  const shown: string[] = [];
  let [old, fresh] = [firstLine, firstLine];
  lines.forEach(({ sign, line }, at) => {
    if (isNear[at]) {
      if (!isNear[at - 1]) shown.push(`@@ -${old} +${fresh} @@`);
      shown.push(sign + line);
    }
    if (sign !== "+") old += 1;
    if (sign !== "-") fresh += 1;
  });
  return shown;
}
