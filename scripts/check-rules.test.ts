import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkRules } from "./check-rules.mjs";

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

test("rules that tests cite by name, by table and by template are all found", () => {
  expect(checkRules(fixture("rules-good"))).toEqual({ rules: 4, problems: [] });
});

test("uncited, unknown and doubled ids are told apart; a skipped test cites nothing, a contract suite does", () => {
  expect(checkRules(fixture("rules-bad")).problems).toEqual([
    "G2 (docs/SPEC/gating.md) is cited by no test",
    "G3 (docs/SPEC/gating.md) is cited by no test",
    "G9 is cited in packages/a/src/gating.test.ts but no rule has that id",
    "G1 is defined twice: docs/SPEC/gating.md, docs/SPEC/log.md",
  ]);
});

test("a repository without rules has nothing to complain about", () => {
  expect(checkRules(fixture("direction-good"))).toEqual({ rules: 0, problems: [] });
});
