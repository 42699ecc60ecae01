import { readFileSync, writeFileSync } from "node:fs";
import type { Outcome, Row } from "./outcome.ts";
import { COLLOQUY } from "./systems.ts";

interface Column {
  readonly title: string;
  readonly of: (row: Row) => number | undefined;
  readonly unit: string;
  /** A rate: more is better, so the ratio is inverted. */
  readonly isRate?: boolean;
  /** Shown in the short table too. */
  readonly isMain?: boolean;
}

const columns: readonly Column[] = [
  { title: "delegate–ask–answer", of: (row) => row.wholeMs, unit: "ms", isMain: true },
  { title: "answer → model called", of: (row) => row.resumeMs, unit: "ms" },
  { title: "100 at once", of: (row) => row.perSecond, unit: "/s", isRate: true, isMain: true },
  { title: "  its answer → model, p99", of: (row) => row.resumeAtOnceP99, unit: "ms" },
  { title: "turn 10", of: (row) => row.turn10Ms, unit: "ms" },
  { title: "turn 1,000", of: (row) => row.lastTurnMs, unit: "ms", isMain: true },
  { title: "1,000 turns on disk", of: (row) => (row.bytes === undefined ? undefined : row.bytes / 1e6), unit: "MB" },
  { title: "kill -9, 1,000 waiting", of: (row) => row.crashSeconds, unit: "s", isMain: true },
];

const short = (value: number): string => {
  if (value >= 1_000) return Math.round(value).toLocaleString("en");
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
};
const times = (ratio: number): string => `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)} ×`;

/** How many times as long as Colloquy takes (or, of a rate, what part of Colloquy's, turned round: how many times as fast Colloquy is). */
function ratioOf({ of, isRate }: Column, row: Row, colloquy: Row | undefined): number | undefined {
  const [theirs, ours] = [of(row), colloquy && of(colloquy)];
  if (theirs === undefined || ours === undefined || ours === 0 || theirs === 0) return undefined;
  return isRate ? ours / theirs : theirs / ours;
}

function cell(column: Column, row: Row, colloquy: Row | undefined): string {
  const value = column.of(row);
  if (value === undefined) return "–";
  const ratio = row.id === COLLOQUY ? undefined : ratioOf(column, row, colloquy);
  const cut = column.title === "turn 1,000" && (row.lastTurn ?? 1_000) < 1_000 ? ` (turn ${row.lastTurn})` : "";
  return `${ratio === undefined ? "" : `${times(ratio)} · `}${short(value)} ${column.unit}${cut}`;
}

const nameOf = (row: Row): string => (row.version === "" ? row.name : `${row.name} (${row.version})`);

function rowsOf({ rows }: Outcome, chosen: readonly Column[]): string[][] {
  const colloquy = rows.find(({ id }) => id === COLLOQUY);
  return rows.map((row) => [nameOf(row), ...chosen.map((column) => cell(column, row, colloquy)), row.isSynced ? "yes" : "no"]);
}

const titlesOf = (chosen: readonly Column[]): string[] => ["", ...chosen.map(({ title }) => title.trim()), "each step synced"];

export function textTable(outcome: Outcome): string {
  const titles = titlesOf(columns);
  const lines = [titles, ...rowsOf(outcome, columns)];
  const widths = titles.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const notes = outcome.rows.flatMap((row) => row.notes.map((note) => `${row.name}: ${note}`));
  return [
    ...lines.map((line) => line.map((text, at) => text.padEnd(widths[at] ?? 0)).join("  ")),
    "",
    `N × is how many times as long as Colloquy in the same run (100 at once: how many times as many Colloquy did).`,
    `${outcome.date}, ${outcome.node}, ${outcome.machine}, load ${outcome.load.toFixed(1)}, PostgreSQL ${outcome.postgres || "–"}`,
    ...notes,
  ].join("\n");
}

export function markdownTable(outcome: Outcome, size: "whole" | "short"): string {
  const chosen = columns.filter(({ isMain }) => size === "whole" || isMain);
  const titles = titlesOf(chosen);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = rowsOf(outcome, chosen).map((cells, nth) =>
    outcome.rows[nth]?.id === COLLOQUY ? cells.map((text) => `**${text}**`) : cells,
  );
  return [
    line(titles),
    line(titles.map(() => "---")),
    ...rows.map(line),
    "",
    `N × is how many times as long as Colloquy takes in the same run; for 100 at once, how many times as many Colloquy did. Made on ${outcome.date} by \`${outcome.command}\`, ${outcome.node}, ${outcome.machine.replaceAll("|", "/")}, PostgreSQL ${outcome.postgres || "–"}.`,
  ].join("\n");
}

export function durabilities(outcome: Outcome): string {
  return outcome.rows
    .map((row) => `- **${row.name}**: ${row.durability}.${row.notes.length > 0 ? ` In this run: ${row.notes.join("; ")}.` : ""}`)
    .join("\n");
}

const [BEGIN, END] = ["<!-- made by npm run bench:peers -->", "<!-- end -->"];

/** Replaces the text between the marks; a file without marks is not changed. */
export function writeBetweenMarks(path: string, text: string): void {
  const before = readFileSync(path, "utf8");
  const [from, to] = [before.indexOf(BEGIN), before.indexOf(END)];
  if (from < 0 || to < from) return;
  writeFileSync(path, `${before.slice(0, from + BEGIN.length)}\n${text}\n${before.slice(to)}`);
}
