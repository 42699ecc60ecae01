import { PROJECT_STREAM, type StreamId } from "@colloquy/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { StreamIds } from "./stream-ids.ts";

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: length, maxLength: length });
/** Many have the same ending. */
const id = fc.oneof(
  digits(32),
  digits(64),
  fc.tuple(digits(24), fc.constantFrom("00000000", "0000abcd")).map((ends) => ends.join("")),
  fc.constant(PROJECT_STREAM),
);

test("ids keep their rows, and are found by id, by digits in a buffer and by their ends", () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 1_500, size: "max" }), (all) => {
      const ids = new StreamIds();
      const rows = new Map<string, number>();
      for (const [n, one] of (all as StreamId[]).entries()) {
        const bytes = Buffer.from(`"${one}"`);
        const known = rows.get(one);
        expect(ids.rowOf(one)).toBe(known);
        expect(ids.rowFrom(bytes, 1, bytes.length - 1)).toBe(known);
        rows.set(one, n % 2 === 0 ? ids.add(one) : (ids.addFrom(bytes, 1, bytes.length - 1) as number));
        if (known !== undefined) expect(rows.get(one)).toBe(known);
      }
      expect(ids.size).toBe(rows.size);
      for (const [one, row] of rows) expect([ids.at(row), ids.rowOf(one as StreamId)]).toEqual([one, row]);
      const trees = [...rows.keys()].filter((one) => one !== PROJECT_STREAM);
      for (const end of trees.slice(0, 20).map((one) => one.slice(-9)))
        expect(
          ids
            .endingWith(end)
            .map((row) => ids.at(row))
            .sort(),
        ).toEqual(trees.filter((one) => one.endsWith(end)).sort());
      const inOrder = ids.sorted().map((row) => ids.at(row));
      expect(inOrder).toEqual([...rows.keys()].sort());
    }),
    { numRuns: 8 },
  );
});

test("an invalid id is not found", () => {
  const ids = new StreamIds();
  const known = "0123456789abcdef0123456789abcdef" as StreamId;
  ids.add(known);
  expect(ids.rowOf(known.toUpperCase() as StreamId)).toBeUndefined();
  expect(ids.rowOf("" as StreamId)).toBeUndefined();
  for (const text of ["", "p", "0123", `${known.slice(0, -1)}g`, `${known}0`, `${known}01`, "projects"]) {
    const bytes = Buffer.from(text);
    expect(ids.addFrom(bytes, 0, bytes.length)).toBeUndefined();
  }
  expect(ids.size).toBe(1);
});

test("finds ids that are not random and have much in common", () => {
  const ids = new StreamIds();
  const idOf = (n: number) => Buffer.from(String(n).padStart(16, "x")).toString("hex") as StreamId;
  for (let n = 0; n < 20_000; n += 1) expect(ids.add(idOf(n))).toBe(n);
  for (let n = 0; n < 20_000; n += 1) expect(ids.rowOf(idOf(n))).toBe(n);
});
