import { expect, test } from "vitest";
import { answerable } from "./answerable.ts";

const options = [{ label: "Go on" }, { label: "Stop" }];

test.each([
  ["a question in words", { kind: "question", allowOther: true, options: [] }, true],
  ["a question with choices and words", { kind: "question", allowOther: true, options }, true],
  ["a question with choices only", { kind: "question", allowOther: false, options }, false],
  ["a form", { kind: "question", allowOther: true, options: [], fields: [{ name: "size", label: "Size", kind: "text" }] }, false],
  ["an approval", { kind: "approval", allowOther: true, options: [] }, false],
  ["a limit", { kind: "limit", allowOther: false, options }, false],
  ["a failure", { kind: "fault", allowOther: true, options }, false],
] as const)("[U63] the composer and %s", (_, question, isOffered) => {
  expect(answerable([question as never])).toBe(isOffered ? question : undefined);
});
