import { expect, test } from "vitest";
import { inputCheck } from "./input-check.ts";

test("[ST13] patterns in a tool's schema are left to its server", () => {
  const check = inputCheck({
    type: "object",
    properties: { a: { type: "string", pattern: "^(a+)+$" }, pattern: { type: "string" }, format: { type: "number" } },
    patternProperties: { "^(x+)+$": { type: "string" } },
    additionalProperties: false,
    required: ["pattern"],
  });
  const from = process.cpuUsage();
  expect(check({ a: `${"a".repeat(60)}!`, pattern: "b", [`${"x".repeat(60)}!`]: "c" })).toBeUndefined();
  // Processor time, because other work on the machine only costs time.
  expect(process.cpuUsage(from).user).toBeLessThan(5_000_000);
});

test("[MC18] properties named pattern and format are checked like others", () => {
  const check = inputCheck({
    type: "object",
    properties: { pattern: { type: "string" }, format: { type: "number" } },
    required: ["pattern"],
    additionalProperties: false,
  });
  expect(check({ pattern: "a", format: 1 })).toBeUndefined();
  expect(check({ format: 1 })).toContain("pattern");
  expect(check({ pattern: "a", format: "b" })).toContain("format");
  expect(check({ pattern: "a", more: 1 })).toContain("more");
});
