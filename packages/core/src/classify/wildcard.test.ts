import fc from "fast-check";
import { expect, test } from "vitest";
import { fitsGlob, plainPath } from "./path.ts";
import { matches } from "./pattern.ts";

/** The same patterns as regular expressions: slow on crafted texts, correct on small ones. */
function byRegExp(pattern: string, path: string): boolean {
  const meanings: Readonly<Record<string, string>> = { "**/": "(?:[^/]+/)*", "/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]" };
  const source = plainPath(pattern)
    .split(/(\*\*\/|\/\*\*$|\*\*|\*|\?)/)
    .map((piece) => meanings[piece] ?? piece.replace(/[.+^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${source.join("")}$`, "s").test(path);
}

test("[ST2] a glob matches what its syntax says", () => {
  const pattern = fc.array(fc.constantFrom("a", "b", "/", "*", "**", "**/", "/**", "?", "."), { maxLength: 8 }).map((all) => all.join(""));
  const path = fc
    .array(fc.constantFrom("a", "b", "/", "."), { maxLength: 10 })
    .map((all) => plainPath(all.join("")))
    .filter((one) => one !== "");
  fc.assert(
    fc.property(pattern, path, (glob, one) => fitsGlob(glob, one) === byRegExp(glob, one)),
    { numRuns: 3_000 },
  );
});

test("[ST2] a pattern with many wildcards is matched quickly, whatever the text", () => {
  const stars = "*a".repeat(25);
  expect(fitsGlob(`${stars}c`, "a".repeat(20_000))).toBe(false);
  expect(fitsGlob(`${"**/".repeat(20)}x`, "a/".repeat(10_000))).toBe(false);
  expect(matches(`run_command(${stars}c)`, { tool: "run_command", input: { command: "a".repeat(20_000) } })).toBe(false);
  expect(matches("pay(*1*0*42*)", { tool: "pay", input: { order: "no. 1042" } })).toBe(true);
});
