import { expect, test } from "vitest";
import { asking, canvas, item, question } from "../../test/watching.ts";
import { widthOf } from "../terminal/width.ts";
import { draw } from "./draw.ts";
import { press } from "./press.ts";
import { startState } from "./watch-state.ts";

const NOW = Date.parse("2026-11-15T12:00:00.000Z");
const chinese = asking(2, { headline: "订单用哪个数据库？需要支持软删除和事务，而且以后很难更改", text: "说明".repeat(60) });
const items = [
  asking(1),
  { ...chinese, title: "订单接口与数据库的选择以及其后的许多其他事情" },
  item(3, { state: "working", title: "Fix flaky date test", doing: { text: 'shell "npm test"', startedAt: NOW - 38_000 }, cost: 4.12 }),
  item(4, { state: "stopped", stopped: "The key is wrong. And a very long reason that does not fit into one line of the list at all." }),
];

test("[K81] wide: the trees on the left, the question on the right, as drawn", () => {
  const { lines, isWhole } = draw(startState(items, NOW), canvas(100, 12));
  expect(isWhole).toBe(true);
  expect(lines).toEqual([
    "┌ shop ─ 1 ● 2 ◆ ─ 4.12 $ ────────────────────┬ 000001  ◆ Which database, 1? ──────────────────────┐",
    "│›◆ Dialog 1                      2 h  2 wait │ Coder, for Lead · 2 h · 2 wait                     │",
    "│   lead → coder → YOU                        │ Orders need a home.                                │",
    "│ ◆ 订单接口与数据库的选择以及其… 2 h  2 wait │ 1  PostgreSQL  (recommended)                       │",
    "│   lead → coder → YOU                        │    + transactions                                  │",
    "│ ■ Dialog 4                          stopped │    − a server                                      │",
    "│   The key is wrong. And a very long reason… │ 2  SQLite                                          │",
    '│ ● Fix flaky date test shell "npm test" 38 s │ r write  b ask back  h later  o open               │',
    "│   lead                                      │                                                    │",
    "│                                             │                                                    │",
    "│                                             │                                                    │",
    "└ j k move  Enter open  1–9 choose  / find  n new  s stop  ? keys  q quit ─────────────────────────┘",
  ]);
});

test.each([
  [80, 24],
  [120, 30],
  [90, 12],
  [60, 10],
])("[K81] [K15] at %d by %d no line is wider or missing, also with Chinese", (columns, rows) => {
  for (const keys of ["", "j", "jj", "?", "o", "r", "h", "/x", "n"]) {
    let state = startState(items, NOW);
    for (const text of keys) ({ state } = press(state, { text }, NOW + 5_000, true));
    const { lines } = draw(state, canvas(columns, rows, { reading: ["一二三四五".repeat(30).slice(0, columns / 2 - 4), "x"] }));
    expect(lines).toHaveLength(rows);
    for (const line of lines) expect({ keys, line, width: widthOf(line) }).toEqual({ keys, line, width: columns });
  }
});

test("[K81] narrow: the question is below the list", () => {
  const { lines } = draw(startState(items, NOW), canvas(70, 16));
  expect(lines.findIndex((line) => line.includes("000001  ◆ Which database, 1?"))).toBeGreaterThan(3);
  expect(lines.some((line) => line.includes("1  PostgreSQL   + transactions   − a server   (recommended)"))).toBe(true);
});

test("[K78] a question that does not fit is not whole", () => {
  const long = { ...asking(1), questions: [question(1, { text: "A line.\n".repeat(40) })] };
  expect(draw(startState([long], NOW), canvas(100, 20)).isWhole).toBe(false);
  expect(draw(startState([long], NOW), canvas(70, 20)).isWhole).toBe(false);
});

test("[K81] a window that is too small says so, and answers nothing", () => {
  expect(draw(startState(items, NOW), canvas(20, 30))).toEqual({ lines: ["The window is too s…"], isWhole: false, room: 1 });
  expect(draw(startState(items, NOW), canvas(100, 4)).lines).toHaveLength(1);
});

test("[K76] every item has the same height, whatever happens in it", () => {
  const heights = [asking(1), item(1), item(1, { state: "stopped", stopped: "x" })].map((one) => {
    const { lines } = draw(startState([item(2), one, item(3)], NOW), canvas(100, 12));
    return lines.filter((line) => line.includes("Dialog")).length;
  });
  expect(new Set(heights)).toEqual(new Set([3]));
});
