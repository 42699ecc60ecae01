import type { Choice } from "@colloquy/library";
import type { Colours } from "./screen.ts";
import { exactly, oneLine } from "./visible.ts";
import { cut, padEnd, widest, widthOf, wrap } from "./width.ts";

const GAP = "   ";

/** A question's choices, numbered from 1 as `--choice` counts them (`chosen` from 0): in columns if they fit, else one below the other. */
export function choiceLines(
  options: readonly Choice[],
  columns: number,
  colours: Colours,
  chosen: readonly number[] = [],
): readonly string[] {
  const numbers = options.map((_, nth) => `${nth + 1}${chosen.includes(nth) ? "✓" : " "} `);
  return (
    inColumns(options, numbers, columns, colours) ?? options.flatMap((option, nth) => stacked(option, numbers[nth] ?? "", columns, colours))
  );
}

const prosOf = ({ pros = [] }: Choice): string => (pros.length > 0 ? `+ ${pros.map(oneLine).join(", ")}` : "");
const consOf = ({ cons = [] }: Choice): string => (cons.length > 0 ? `− ${cons.map(oneLine).join(", ")}` : "");
const praiseOf = ({ recommended }: Choice): string => (recommended ? "(recommended)" : "");

/** Undefined if a line would be wider than the screen, or a choice has a description. */
function inColumns(
  options: readonly Choice[],
  numbers: readonly string[],
  columns: number,
  colours: Colours,
): readonly string[] | undefined {
  if (options.some(({ description, preview }) => description !== undefined || preview !== undefined)) return undefined;
  const rows = options.map((option, nth) => [`${numbers[nth]}${oneLine(option.label)}`, prosOf(option), consOf(option), praiseOf(option)]);
  const widths = [0, 1, 2, 3].map((at) => widest(rows.map((row) => row[at] ?? "")));
  const used = widths.filter((width) => width > 0);
  if (used.reduce((sum, width) => sum + width, 0) + GAP.length * (used.length - 1) > columns) return undefined;
  const styles = [colours.bold, colours.green, colours.red, colours.dim];
  return rows.map((row) =>
    row
      .map((cell, at) => ({ cell, at }))
      .filter(({ at }) => (widths[at] ?? 0) > 0)
      .map(({ cell, at }) => (styles[at] ?? String)(padEnd(cell, widths[at] ?? 0)))
      .join(GAP)
      .trimEnd(),
  );
}

function stacked(option: Choice, head: string, columns: number, colours: Colours): readonly string[] {
  const indent = " ".repeat(widthOf(head));
  const room = columns - indent.length;
  const label = wrap([oneLine(option.label), praiseOf(option)].filter(Boolean).join("  "), room);
  const block = (text: string, mark: string, style: (text: string) => string) =>
    wrap(text, room - mark.length).map((line, nth) => indent + style((nth === 0 ? mark : " ".repeat(mark.length)) + line));
  return [
    ...label.map((line, nth) => (nth === 0 ? head : indent) + colours.bold(line)),
    ...(option.description === undefined ? [] : block(oneLine(option.description), "", (text) => text)),
    ...(option.pros ?? []).flatMap((text) => block(oneLine(text), "+ ", colours.green)),
    ...(option.cons ?? []).flatMap((text) => block(oneLine(text), "− ", colours.red)),
    ...previewLines(option, room).map((line) => `${indent}${colours.dim(`│ ${line}`)}`),
  ];
}

/** More lines would push the other choices off the screen. */
const MAX_PREVIEW_LINES = 12;

/** A choice's preview: its first lines, verbatim. */
function previewLines({ preview }: Choice, room: number): readonly string[] {
  if (preview === undefined) return [];
  const lines = exactly(preview)
    .replace(/^```.*$/gm, "")
    .replace(/^\n+/, "")
    .trimEnd()
    .split("\n")
    .map((line) => cut(line, room - 2));
  return lines.length > MAX_PREVIEW_LINES ? [...lines.slice(0, MAX_PREVIEW_LINES), "…"] : lines;
}
