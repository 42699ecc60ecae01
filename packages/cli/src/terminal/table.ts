import type { Screen } from "./screen.ts";
import { marked, oneLine } from "./visible.ts";
import { cut, padEnd, padStart, widest, widthOf } from "./width.ts";

export interface Column<Row> {
  readonly title: string;
  readonly show: (row: Row) => string;
  /** The value for programs. `null`: the column is for people only. */
  readonly plain?: ((row: Row) => string) | null;
  readonly right?: boolean;
  /** Shrinks if the screen is too narrow. */
  readonly shrinks?: boolean;
  readonly colour?: (row: Row, text: string) => string;
}

/** A table with a header for people; for programs one line per row, separated by tabs, without a header. */
export function table<Row>(screen: Screen, columns: readonly Column<Row>[], rows: readonly Row[]): string {
  return screen.isTerminal ? drawn(screen, columns, rows) : separated(columns, rows);
}

const GAP = "  ";
const NARROW_GAP = " ";
const MIN_COLUMNS = 10;

function drawn<Row>(screen: Screen, all: readonly Column<Row>[], rows: readonly Row[]): string {
  const { columns, gap } = roomFor(screen, all, rows);
  const texts = rows.map((row) => columns.map((column) => oneLine(column.show(row))));
  const natural = columns.map((column, at) =>
    widest(
      texts.map((row) => row[at] ?? ""),
      widthOf(column.title),
    ),
  );
  const widths = fitted(natural, columns, screen.columns, gap);
  const line = (cells: readonly string[], colour: (at: number, text: string) => string) =>
    cells
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        const text = cut(cell, width);
        const isLast = at === cells.length - 1;
        const padded = columns[at]?.right ? padStart(text, width) : isLast ? text : padEnd(text, width);
        return colour(at, padded);
      })
      .join(gap);
  const header = line(
    columns.map((column) => column.title),
    (_, text) => (text.trim() === "" ? text : screen.colours.dim(text)),
  );
  const body = rows.map((row, nth) => line(texts[nth] ?? [], (at, text) => columns[at]?.colour?.(row, text) ?? text));
  // Columns without titles have no header either.
  return [...(header.trim() === "" ? [] : [header]), ...body].map((text) => `${text.trimEnd()}\n`).join("");
}

/** On a very narrow screen the gaps shrink first, then the last columns are dropped. */
function roomFor<Row>(screen: Screen, all: readonly Column<Row>[], rows: readonly Row[]) {
  const least = all.map((column) => {
    const natural = widest(
      rows.map((row) => oneLine(column.show(row))),
      widthOf(column.title),
    );
    return column.shrinks ? Math.min(natural, MIN_COLUMNS) : natural;
  });
  const width = (count: number, gap: string) => least.slice(0, count).reduce((sum, one) => sum + one, gap.length * (count - 1));
  if (width(all.length, GAP) <= screen.columns) return { columns: all, gap: GAP };
  let count = all.length;
  while (count > 1 && width(count, NARROW_GAP) > screen.columns) count--;
  return { columns: all.slice(0, count), gap: NARROW_GAP };
}

/** Shrinks the shrinkable columns, widest first. */
function fitted<Row>(natural: readonly number[], columns: readonly Column<Row>[], available: number, gap: string): readonly number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
  for (let over = total() - available; over > 0; over = total() - available) {
    const shrinking = columns.flatMap((column, at) => (column.shrinks && (widths[at] ?? 0) > MIN_COLUMNS ? [at] : []));
    const first = shrinking.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (first === undefined) break;
    widths[first] = (widths[first] ?? 0) - 1;
  }
  return widths;
}

function separated<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const shown = columns.filter((column) => column.plain !== null);
  return rows.map((row) => `${shown.map((column) => field((column.plain ?? column.show)(row))).join("\t")}\n`).join("");
}

/** Text in one field of a line: breaks and tabs are written as `\n` and `\t`, and invisible characters are marked. */
export const field = (text: string): string =>
  marked(text.replaceAll("\\", "\\\\").replaceAll("\t", "\\t").replaceAll("\r", "\\r").replaceAll("\n", "\\n"));
