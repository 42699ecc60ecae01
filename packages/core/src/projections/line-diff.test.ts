import fc from "fast-check";
import { expect, test } from "vitest";
import { lineDiff } from "./line-diff.ts";

/** Applies a complete diff to a text. */
function applied(before: string, diff: string): string {
  const old = before === "" ? [] : before.replace(/\n$/, "").split("\n");
  const made: string[] = [];
  let at = 0;
  for (const line of diff === "" ? [] : diff.split("\n")) {
    const place = /^@@ -(\d+) \+\d+ @@$/.exec(line)?.[1];
    if (place !== undefined) while (at < Number(place) - 1) made.push(old[at++] ?? "");
    else if (line.startsWith("-")) expect(old[at++]).toBe(line.slice(1));
    else if (line.startsWith("+")) made.push(line.slice(1));
    else {
      expect(old[at]).toBe(line.slice(1));
      made.push(old[at++] ?? "");
    }
  }
  return [...made, ...old.slice(at)].map((line) => `${line}\n`).join("");
}

const text = fc
  .array(fc.constantFrom("a", "b", "ab", "", "c"), { maxLength: 30 })
  .chain((lines) => fc.constantFrom(lines.join("\n"), `${lines.join("\n")}\n`));
const ended = (one: string) => (one === "" || one.endsWith("\n") ? one : `${one}\n`);

test("[ST6] a diff leads from one text to the other", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { text: diff, added, removed } = lineDiff(before, after);
      const signs = diff.split("\n").filter((line) => !line.startsWith("@@"));
      expect(signs.filter((line) => line.startsWith("+")).length).toBe(added);
      expect(signs.filter((line) => line.startsWith("-")).length).toBe(removed);
      expect(applied(before, diff)).toBe(ended(after));
    }),
    { numRuns: 2_000 },
  );
});

test("[ST6] a diff of two long and different texts shows as much as a person reads, and says how much is left out", () => {
  const before = "a\n".repeat(1_000_000);
  const after = "b\n".repeat(900_000);
  const { text: diff, added, removed } = lineDiff(before, after);
  expect({ added, removed }).toEqual({ added: 900_000, removed: 1_000_000 });
  expect(diff.split("\n").length).toBe(4_002);
  expect(diff.endsWith("\n⋯ -998000 +898000")).toBe(true);
  expect(lineDiff(before, `${before}b`)).toEqual({ text: "@@ -999998 +999998 @@\n a\n a\n a\n+b", added: 1, removed: 0 });
});
