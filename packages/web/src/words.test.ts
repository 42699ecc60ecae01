import { expect, test } from "vitest";
import { english } from "./words-en.ts";
import { chinese } from "./words-zh.ts";

const values = (given: unknown): readonly string[] => {
  if (typeof given === "string") return [given];
  if (typeof given === "function") return [String((given as (...all: unknown[]) => unknown)("x", "y", "z"))];
  return Object.values(given as object).flatMap(values);
};
const paths = (given: object, path = ""): readonly string[] =>
  Object.entries(given).flatMap(([key, value]) =>
    typeof value === "object" && value !== null ? paths(value as object, `${path}${key}.`) : [`${path}${key}`],
  );

/** Of the column "not" of the glossary: what the interface never calls a thing. */
const AVOIDED =
  /\b(?:workspace|tenant|bot|thread|subdialog|tellask|Q4H|interrupt(?!ed| this)|HITL|snooze|paused|suspended|blocked|killed|epoch|compact|memo|ticket|nudge|spend)\b/i;

test("[U9] both languages have every text", () => expect(paths(chinese)).toEqual(paths(english)));

test("[U9] the interface has one word for each thing", () => {
  expect(values(english).filter((text) => AVOIDED.test(text))).toEqual([]);
});

test("[U9] the English texts contain no Chinese", () => {
  expect(values(chinese).filter((text) => /[a-z]{5,}/i.test(text) && !/colloquy|ANTHROPIC|Shift|Enter|yaml|npx|JSON/.test(text))).toEqual(
    [],
  );
});
