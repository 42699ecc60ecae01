import { rowsOf } from "./transcript.ts";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { paper } from "../../test/support.ts";
import { jsonText } from "../line/output.ts";
import { choiceLines } from "./choices.ts";
import { Flow } from "./flow.ts";
import { screenOn } from "./screen.ts";
import { field, table } from "./table.ts";
import { readDuration } from "@colloquy/schema";
import { ago, clock, span } from "./time.ts";
import { oneLine, visible } from "./visible.ts";
import { cut, padEnd, widthOf, wrap } from "./width.ts";

interface Row {
  readonly name: string;
  readonly text: string;
}
const columns = [
  { title: "NAME", show: (row: Row) => row.name },
  { title: "TEXT", show: (row: Row) => row.text, shrinks: true },
  { title: "END", show: () => "|", plain: null },
];
const rows: readonly Row[] = [
  { name: "订单", text: "两只茶碗，一只碎成三块" },
  { name: "order", text: "two bowls" },
];

test("[K15] columns are aligned, also with Chinese", () => {
  const lines = table(paper(true, 60), columns, rows).trimEnd().split("\n");
  const ends = lines.slice(1).map((line) => widthOf(line.slice(0, line.indexOf("|"))));
  expect(new Set(ends).size).toBe(1);
  expect(widthOf(padEnd("订单", 6))).toBe(6);
});

test("[K17] [K15] a table is never wider than the terminal", () => {
  const lines = table(paper(true, 24), columns, rows).trimEnd().split("\n");
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(24);
  // If even the minimum is too wide, the gaps go first, then the last columns.
  expect(table(paper(true, 20), columns, rows).split("\n")[2]).toBe("order two bowls  |");
  expect(table(paper(true, 18), columns, rows).split("\n")[2]).toBe("order two bowls");
  expect(cut("两只茶碗", 5)).toBe("两只…");
  expect(cut("bowls", 5)).toBe("bowls");
});

test("[K13] in a pipe: tabs, no header, breaks and tabs spelled out", () => {
  expect(table(paper(false), columns, [{ name: "a\tb", text: "one\ntwo\\" }])).toBe("a\\tb\tone\\ntwo\\\\\n");
  expect(field("\r")).toBe("\\r");
});

test.each([
  ["a terminal", true, {}, true],
  ["a pipe", false, {}, false],
  ["NO_COLOR", true, { NO_COLOR: "1" }, false],
  ["a dumb terminal", true, { TERM: "dumb" }, false],
])("[K14] colour in %s: %s", (_name, isTTY, env, isColoured) => {
  const screen = screenOn(Object.assign(new PassThrough(), { isTTY, columns: 300 }) as unknown as NodeJS.WriteStream, env);
  expect(screen.colours.red("x") !== "x").toBe(isColoured);
  expect(screen.columns).toBeLessThanOrEqual(110);
});

test("[K16] no message can control the terminal", () => {
  const bad = "\u001B[31mred\u001B]0;title\u0007\u001B[2J \u202Eright\r\nto\bleft\u009B1m";
  expect(visible(bad)).toBe("red right\ntoleft");
  expect(oneLine(bad)).toBe("␛[31mred␛]0;title␇␛[2J ⟨U+202E⟩right to␈left⟨U+009B⟩1m");
  const screen = paper(true);
  new Flow(screen).write(bad);
  expect(screen.text).not.toMatch(/[^\P{Cc}\n]/u);
});

test.each([true, false])("[K16] only text and colours reach a terminal (%s) or a pipe, whoever wrote them", (isTTY) => {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const screen = screenOn(stream as unknown as NodeJS.WriteStream, {});
  screen.write(`${screen.colours.red("red")} \u001B]0;title\u0007\u001B[2J\u009B2J\u202Eleft\r\nbehind\u0000\u001B\uFFF9\uFFFA\uFFFB`);
  expect(String(stream.read())).toBe(`${screen.colours.red("red")} left\nbehind`);
});

test("[K16] escaped JSON parses to the same value and controls nothing", () => {
  const value = { title: "\u009B2J\u202Eleft\u2028\u001B\uFFF9\uFFFB" };
  expect(jsonText(value)).toMatch(/^[ -~]+$/);
  expect(JSON.parse(jsonText(value))).toEqual(value);
});

test("[K17] text is wrapped between words, and anywhere between Chinese characters", () => {
  expect(wrap("two bowls and a cup", 10)).toEqual(["two bowls", "and a cup"]);
  expect(wrap("两只茶碗，一只碎成三块", 10)).toEqual(["两只茶碗，", "一只碎成三", "块"]);
  expect(wrap("a\n\n  b", 10)).toEqual(["a", "", "  b"]);
  expect(wrap("0123456789abcdef", 10)).toEqual(["0123456789", "abcdef"]);
});

test("[K17] streamed text is wrapped as if it came at once", () => {
  const text = "We send a new bowl tomorrow, and offer the money instead.\n\n  - one 两只茶碗一只碎成三块两只茶碗一只碎成三块\n";
  const flowing = (size: number) => {
    const screen = paper(true, 24);
    const flow = new Flow(screen);
    flow.label("lead  ", 6);
    flow.begin(6, (word) => word);
    for (let at = 0; at < text.length; at += size) flow.write(text.slice(at, at + size));
    flow.end();
    return screen.text;
  };
  const whole = flowing(1_000);
  expect(whole).toBe(
    [
      "lead  We send a new bowl",
      "      tomorrow, and",
      "      offer the money",
      "      instead.",
      "",
      "        - one 两只茶碗一",
      "      只碎成三块两只茶碗",
      "      一只碎成三块",
      "",
    ].join("\n"),
  );
  for (const size of [1, 3, 7]) expect(flowing(size)).toBe(whole);
});

test.each([
  [400, "0.4 s"],
  [38_000, "38 s"],
  [4 * 60_000 + 1, "4 m"],
  [134 * 60_000, "2 h 14 m"],
  [76 * 3_600_000, "3 d 4 h"],
])("[K13] %d ms are %s", (ms, text) => expect(span(ms)).toBe(text));

test("[K13] times are relative for people", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");
  expect([5, 38, 240, 7_200, 86_400].map((seconds) => ago(new Date(now - seconds * 1_000).toISOString(), now))).toEqual([
    "now",
    "38 s",
    "4 m",
    "2 h",
    "1 d",
  ]);
  expect(clock(new Date(now).toISOString(), now)).toMatch(/^\d\d:\d\d$/);
  expect(clock(new Date(now - 172_800_000).toISOString(), now)).toMatch(/^2026-11-13 \d\d:\d\d$/);
});

test.each([
  ["500ms", 500],
  ["30s", 30_000],
  ["1.5m", 90_000],
  ["2h", 7_200_000],
  ["30", undefined],
  ["soon", undefined],
])("[K7] the time %s", (text, ms) => expect(readDuration(text)).toBe(ms));

test("[K56] a choice shows the first lines of its preview, verbatim", () => {
  const { colours } = paper(true);
  const lines = choiceLines([{ label: "Short", preview: "```ts\nif (a) {\n  b();\n}\n```" }, { label: "Plain" }], 60, colours);
  expect(lines).toEqual(["1  Short", "   │ if (a) {", "   │   b();", "   │ }", "2  Plain"]);
  expect(choiceLines([{ label: "Long", preview: "line\n".repeat(40) }], 60, colours)).toHaveLength(14);
});

test("[K33] a command is followed by its file changes, in numbers", () => {
  const here = { dialog: "m", course: 1, agent: "lead", turn: 1 };
  const counts = { created: 2, changed: 1, emptied: 0, deleted: 3, moved: 0, lost: 0 };
  const events = [
    {
      type: "step.ended",
      ...here,
      step: 1,
      gen: 1,
      seen: 0,
      ms: 1,
      parts: [{ call: "c1", tool: "run_command", input: { command: "make" }, kind: "effects" }],
    },
    { type: "call.ran", ...here, call: "c1", output: "", effects: { files: [], counts, bytes: 0, git: [], refused: [] } },
    { type: "call.ended", ...here, call: "c1", output: "" },
  ];
  const rows = rowsOf([{ seq: 1, at: "2026-01-01T00:00:00.000Z", events } as unknown as Parameters<typeof rowsOf>[0][number]], "m", []);
  expect(rows.map(({ text }) => text)).toEqual([expect.stringMatching(/make.* ✓ \+2 ~1 −3$/)]);
});
