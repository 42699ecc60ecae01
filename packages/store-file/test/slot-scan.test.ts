import { expect, test } from "vitest";
import { HEAD_BYTES, KIND, seal } from "../src/journal/record.ts";
import { scanSlot } from "../src/journal/slot-scan.ts";

const SIZE = 4096;

/** A slot with records of one generation, each in its own batch unless it joins the one before. */
function slot(generation: number, texts: readonly string[], { joins = [] as number[], into = Buffer.alloc(SIZE) } = {}) {
  const header = JSON.stringify({ v: 1, before: { generation: generation - 1, end: 77 } });
  const places: { at: number; end: number }[] = [];
  let [end, before, synced] = [0, 0, 0];
  for (const [n, text] of [header, ...texts].entries()) {
    const at = end;
    if (!joins.includes(n) && n !== 1) synced = at;
    end = at + HEAD_BYTES + into.write(text, at + HEAD_BYTES);
    const kind = n === 0 ? KIND.header : KIND.commit;
    before = seal(into, at, { generation, bytes: end - at - HEAD_BYTES, before, synced, kind });
    places.push({ at, end });
  }
  return { bytes: into, places, end };
}

const found = (bytes: Buffer, freed = 0, vouchedTo = 0) => {
  const scan = scanSlot(bytes, freed, vouchedTo);
  return scan && { ...scan, commits: scan.commits.map(({ payload }) => payload.toString()) };
};
const place = (places: { at: number; end: number }[], n: number) => places[n] ?? { at: 0, end: 0 };

test("[L26] an empty slot, and one whose generation is in the course files, hold nothing", () => {
  expect(found(Buffer.alloc(SIZE))).toBeUndefined();
  expect(found(slot(5, ["a"]).bytes, 5)).toBeUndefined();
});

test("[L26] consecutive complete records are all there is, whatever an older generation left after them", () => {
  const { bytes } = slot(5, ["one", "two", "three", "four"]);
  const { end } = slot(6, ["a", "b"], { into: bytes });
  expect(found(bytes, 4)).toEqual({
    generation: 6,
    commits: ["a", "b"],
    before: { generation: 5, end: 77 },
    end,
    damaged: [],
    torn: undefined,
  });
});

test("[L26] a record that does not follow from the one before it is ignored", () => {
  const { bytes, places } = slot(5, ["a", "b", "c"]);
  const { at, end } = place(places, 2);
  seal(bytes, at, { generation: 5, bytes: end - at - HEAD_BYTES, before: 1234, synced: 0, kind: KIND.commit });
  expect(found(bytes)).toMatchObject({ commits: ["a", "c"], damaged: [{ from: at, to: end }] });
  const last = slot(5, ["a", "b"]);
  const at2 = place(last.places, 2).at;
  seal(last.bytes, at2, { generation: 5, bytes: last.end - at2 - HEAD_BYTES, before: 1234, synced: at2, kind: KIND.commit });
  expect(found(last.bytes)).toMatchObject({ commits: ["a"], end: at2, damaged: [], torn: { from: at2, to: last.end } });
});

test("[L26] unconfirmed bytes are torn, even with complete records of the same batch after them", () => {
  const { bytes, places, end } = slot(5, ["a", "torn", "whole"], { joins: [3] });
  bytes[place(places, 2).at + HEAD_BYTES] = 0;
  expect(found(bytes)).toMatchObject({
    commits: ["a"],
    end: place(places, 2).at,
    damaged: [],
    torn: { from: place(places, 2).at, to: end },
  });
});

test("[L27] bytes confirmed by a later record are damaged, and the rest continues after them", () => {
  const { bytes, places, end } = slot(5, ["a", "b", "c", "d"]);
  bytes.fill(0, place(places, 2).at, place(places, 2).end);
  expect(found(bytes)).toMatchObject({ commits: ["a", "c", "d"], end, damaged: [{ from: place(places, 2).at, to: place(places, 2).end }] });
});

test("[L27] the next generation confirms the end of this one", () => {
  const { bytes, places, end } = slot(5, ["a", "b"]);
  bytes.fill(0, place(places, 2).at);
  expect(found(bytes)).toMatchObject({ commits: ["a"], damaged: [] });
  expect(found(bytes, 0, end)).toMatchObject({ commits: ["a"], damaged: [{ from: place(places, 2).at, to: end }], end });
});

test("[L27] without its first record a generation is identified by the others", () => {
  const { bytes, places } = slot(5, ["a", "b"]);
  bytes.fill(0, 0, place(places, 1).at);
  expect(found(bytes)).toMatchObject({ generation: 5, commits: ["a", "b"], damaged: [{ from: 0, to: place(places, 1).at }] });
});
