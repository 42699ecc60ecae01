import { expect, test } from "vitest";
import { withoutEscapes } from "./escape-sequences.ts";

test.each([
  ["colours", "\u001B[1;31mred\u001B[0m", "red"],
  ["eight bits", "\u009B31mred\u009D0;title\u009C", "red"],
  ["a title", "a\u001B]0;title\u0007b\u001B]2;other\u001B\\c", "abc"],
  ["a link", "\u001B]8;;http://x\u0007words\u001B]8;;\u0007", "words"],
  ["other strings", "a\u001BPq#0\u001B\\b\u001B_x\u0007c", "abc"],
  ["single escapes", "\u001B7a\u001B(Bb\u001Bc", "ab"],
  ["a string that another escape breaks off", "\u001B]0;ti\u001B[31mred", "red"],
  ["a string without an end", "a\u001B]0;the rest is kept", "a0;the rest is kept"],
  ["half a sequence", "a\u001B[12", "a"],
  ["nothing", "plain [31m text", "plain [31m text"],
])("[ST1] escapes are taken out: %s", (_what, text, expected) => {
  expect(withoutEscapes(text)).toBe(expected);
});

test("[ST1] a flood of escapes is removed in one pass", () => {
  for (const piece of ["\u001B]0;", "\u001B[", "\u001BP", "\u001B", "\u009D", "\u001B]8;;x\u001B"]) {
    expect(withoutEscapes(piece.repeat(400_000)).length).toBeLessThan(10);
  }
});
