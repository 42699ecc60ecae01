import type { Outcome, Row } from "./outcome.ts";
import { COLLOQUY } from "./systems.ts";

interface Panel {
  readonly title: string;
  readonly hint: string;
  readonly unit: string;
  readonly of: (row: Row) => number | undefined;
  /** The physical limit to show: many waiters share a sync. */
  readonly floor: "bare" | "bare-group";
}

const TURNS = 1_000;
const turnMs = (row: Row) => row.lastTurnMs;

const panels: readonly Panel[] = [
  {
    title: "A lead asks a specialist, who asks a person",
    hint: "milliseconds, less is better",
    unit: "ms",
    of: (row) => row.wholeMs,
    floor: "bare",
  },
  { title: "The same, 100 at once", hint: "per second, more is better", unit: "/s", of: (row) => row.perSecond, floor: "bare-group" },
  { title: "Turn 1,000 of a dialog", hint: "milliseconds, less is better", unit: "ms", of: turnMs, floor: "bare" },
  {
    title: "kill -9 with 1,000 waiting",
    hint: "seconds until all are answered",
    unit: "s",
    of: (row) => row.crashSeconds,
    floor: "bare-group",
  },
];

const [WIDTH, LEFT, BAR, GAP, HEAD, PAD] = [900, 166, 15, 6, 44, 20];
const COLUMN = (WIDTH - 3 * PAD) / 2;

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const short = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value >= 10 ? value.toFixed(0) : value.toFixed(value >= 1 ? 1 : 2);

/** Bars from zero, on its own background, so that it is readable on light and dark pages. */
export function chart(outcome: Outcome): string {
  const rowsOf = ({ floor }: Panel) => outcome.rows.filter(({ id }) => id === floor || !id.startsWith("bare"));
  const tall = HEAD + Math.max(...panels.map((panel) => rowsOf(panel).length)) * (BAR + GAP) + PAD;
  const height = PAD + 2 * tall + 28;
  const drawn = panels.map((panel, nth) =>
    panelOf(panel, rowsOf(panel), PAD + (nth % 2) * (COLUMN + PAD), PAD + Math.floor(nth / 2) * tall),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Colloquy beside other systems: ${escaped(panels.map(({ title }) => title).join("; "))}">
<style>
.ground { fill: #ffffff; stroke: #d8dee4 } .title { fill: #1f2328; font-weight: 600 } .name, .value { fill: #1f2328 } .hint { fill: #59636e } .bar { fill: #8c959f } .ours { fill: #0969da } .floor { fill: #d0d7de }
text { font: 12px system-ui, sans-serif } .title { font-size: 14px } .strong { font-weight: 600 }
@media (prefers-color-scheme: dark) { .ground { fill: #0d1117; stroke: #30363d } .title, .name, .value { fill: #e6edf3 } .hint { fill: #9198a1 } .bar { fill: #656c76 } .ours { fill: #4493f8 } .floor { fill: #30363d } }
</style>
<rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>
${drawn.join("\n")}
<text class="hint" x="${PAD}" y="${height - 14}">${escaped(`${outcome.date} · ${outcome.command} · ${outcome.node}, ${outcome.machine} · bare: append and sync, nothing else · * does not sync each step`)}</text>
</svg>
`;
}

function panelOf({ title, hint, unit, of }: Panel, rows: readonly Row[], x: number, y: number): string {
  const most = Math.max(...rows.map((row) => of(row) ?? 0), Number.MIN_VALUE);
  const room = COLUMN - LEFT - 70;
  const bars = rows.map((row, nth) => {
    const value = of(row);
    const top = y + HEAD + nth * (BAR + GAP);
    const isOurs = row.id === COLLOQUY;
    const kind = isOurs ? "ours" : row.id.startsWith("bare") ? "floor" : "bar";
    const long = value === undefined ? 0 : Math.max(1.5, (value / most) * room);
    const strong = isOurs ? " strong" : "";
    const cut = of === turnMs && (row.lastTurn ?? TURNS) < TURNS ? ` (turn ${row.lastTurn})` : "";
    const star = row.isSynced ? "" : " *";
    return [
      `<text class="name${strong}" x="${x + LEFT - 8}" y="${top + 12}" text-anchor="end">${escaped(row.name + star)}</text>`,
      `<rect class="${kind}" x="${x + LEFT}" y="${top}" width="${long.toFixed(1)}" height="${BAR}" rx="2"/>`,
      `<text class="value${strong}" x="${(x + LEFT + long + 6).toFixed(1)}" y="${top + 12}">${value === undefined ? "–" : `${short(value)} ${unit}${cut}`}</text>`,
    ].join("");
  });
  return `<text class="title" x="${x}" y="${y + 16}">${escaped(title)}</text><text class="hint" x="${x}" y="${y + 33}">${escaped(hint)}</text>\n${bars.join("\n")}`;
}
