import { expect, test } from "vitest";
import { ReadOrder } from "./use-fetched.ts";

test("[U11] a late response to an older request doesn't replace a newer one", () => {
  const order = new ReadOrder();
  const [first, second, third] = [order.begin(), order.begin(), order.begin()];
  expect(second()).toBe(true);
  expect(first()).toBe(false);
  expect(third()).toBe(true);
});
