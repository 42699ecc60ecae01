import { expect, test } from "vitest";
import { parsedJson } from "./json-text.ts";
import { Refused } from "@colloquy/schema";

const codeOf = (text: string): string | undefined => {
  try {
    parsedJson(text, "Body");
    return undefined;
  } catch (error) {
    return error instanceof Refused ? error.code : "thrown";
  }
};

test("[ST7] too many values or too deep nesting is refused before parsing", () => {
  expect(codeOf("[".repeat(30_000))).toBe("bad_request");
  expect(codeOf('{"a":'.repeat(30_000))).toBe("bad_request");
  expect(codeOf(`[${"[".repeat(64)}${"]".repeat(64)}]`)).toBe("bad_request");
  expect(codeOf(`[${"0,".repeat(10_001)}0]`)).toBe("too_large");
  expect(codeOf(`[${"[],".repeat(10_001)}0]`)).toBe("too_large");
  expect(codeOf(`{${Array.from({ length: 10_001 }, (_, nth) => `"${nth}":0`).join(",")}}`)).toBe("too_large");
  expect(codeOf(`["${'\\",'.repeat(10_001)}",${"0,".repeat(10_001)}0]`)).toBe("too_large");
  expect(codeOf('"'.repeat(30_000))).toBe("bad_request");
});

test("[ST7] long strings are accepted, even with brackets and commas in them", () => {
  const content = `${"[{,".repeat(50_000)}"\\${"\\".repeat(1_001)}`;
  expect(parsedJson(JSON.stringify({ content }), "Body")).toEqual({ content });
  expect(parsedJson(JSON.stringify("x".repeat(4_000_000)), "Body")).toHaveLength(4_000_000);
  expect(parsedJson("{}", "Body")).toEqual({});
  expect(codeOf("{")).toBe("bad_request");
});
