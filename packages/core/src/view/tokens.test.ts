import { expect, test } from "vitest";
import { tokensOf } from "./tokens.ts";

test("[N25] Chinese has about a token per character, English one per four", () => {
  expect(tokensOf("日期不对")).toBe(4);
  expect(tokensOf("the date")).toBe(2);
});
