import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { yamlText } from "./yaml-text.ts";

test("values are written in block style, and only ambiguous text is quoted", () => {
  const text = yamlText({
    title: "Design the schema",
    rootId: "01a2b3c4-89ab-7000-8000-000000000001",
    at: "2026-11-18T11:00:00.000Z",
    "coder!db": { locked: true, note: "Careful: two writers" },
    absent: undefined,
    none: null,
    empty: [],
    said: "First line.\n\n  Indented.\n",
    marker: "【最终完成】",
    pending: [{ agentId: "coder", tags: ["yes", "x"] }, []],
  });
  expect(text).toBe(`title: Design the schema
rootId: 01a2b3c4-89ab-7000-8000-000000000001
at: "2026-11-18T11:00:00.000Z"
coder!db:
  locked: true
  note: "Careful: two writers"
none: null
empty: []
said: |
  First line.

    Indented.
marker: 【最终完成】
pending:
  - agentId: coder
    tags:
      - "yes"
      - x
  - []
`);
});

const strings = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("a", "é", "1", " ", "\n", "\t", "\r", ":", "#", "-", "'", '"', "|", "\\", "?", "\u2028", "\ufeff") }),
  fc.constantFrom(
    "yes",
    "NO",
    "null",
    "~",
    "0x1f",
    "1e3",
    ".inf",
    "2026-11-18",
    "a: b",
    "a #b",
    "---",
    "...",
    "<<",
    "=",
    "k".repeat(1_500),
  ),
);
const { values } = fc.letrec((tie) => ({
  values: fc.oneof(
    { depthSize: "small" },
    strings,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    tie("lists"),
    tie("maps"),
  ),
  lists: fc.array(tie("values"), { maxLength: 4 }),
  maps: fc.dictionary(strings, tie("values"), { maxKeys: 4, noNullPrototype: true }),
}));

test.each(["1.2", "1.1"] as const)("every JSON value is read back as it was, by readers of YAML %s", (version) => {
  fc.assert(
    fc.property(values, (value) => {
      expect(JSON.stringify(parse(yamlText(value), { version }))).toBe(JSON.stringify(value));
    }),
    { numRuns: 2_000 },
  );
});
