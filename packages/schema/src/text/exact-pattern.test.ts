import { expect, test } from "vitest";
import { exactPattern } from "./exact-pattern.ts";

test.each([
  [{ tool: "run_command", input: { command: "npm test" } }, "run_command(npm test)"],
  [{ tool: "write_file", input: { path: "a/b.md", content: "*" } }, "write_file(a/b.md)"],
  [{ tool: "pay", input: { cents: 5 } }, "pay"],
  [{ tool: "run_command", input: { command: "rm -r build/*" } }, undefined],
  [{ tool: "write_file", input: { path: "src/?.ts" } }, undefined],
  [{ tool: "run_command", input: { command: "ls \u202e# x" } }, undefined],
])("[AU26] what is offered to be granted stands for the call that was shown: %o", (call, pattern) => {
  expect(exactPattern(call)).toBe(pattern);
});
