import { expect, test } from "vitest";
import { tokensOf } from "./tokens.ts";

test("[N25] Chinese has about a token for each character, English one for four", () => {
  expect(tokensOf("日期不对")).toBe(4);
  expect(tokensOf("the date")).toBe(2);
});
