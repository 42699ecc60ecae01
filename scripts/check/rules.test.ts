import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkRules } from "./rules.mjs";

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

test("finds rules cited by name, in a table and in a template", () => {
  expect(checkRules(fixture("rules-good"))).toEqual({ rules: 4, problems: [] });
});

test("reports uncited, unknown, duplicate and misplaced ids and an incomplete index; skipped tests cite nothing, contract suites do", () => {
  expect(checkRules(fixture("rules-bad")).problems).toEqual([
    "G3 (docs/SPEC/gating.md) is cited by no test",
    "G2 (docs/SPEC/gating.md) is cited by no test",
    "G9 is cited in packages/a/src/gating.test.ts but no rule has that id",
    "G1 is defined twice: docs/SPEC/gating.md, docs/SPEC/log.md",
    "docs/SPEC/gating.md: G2 comes after G3; put rules in numeric order",
    "docs/SPEC/README.md does not list the prefix L",
    "docs/SPEC/README.md lists Z, but no rule has that prefix",
  ]);
});

test("reports nothing for a repository without rules", () => {
  expect(checkRules(fixture("direction-good"))).toEqual({ rules: 0, problems: [] });
});
