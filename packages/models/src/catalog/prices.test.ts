import { expect, test } from "vitest";
import { KNOWN_MODELS, knownModel, PRICES_AS_OF } from "./known-models.ts";
import { costOf } from "./prices.ts";

test("[M90] cached input costs its own price, or the full one if none is known", () => {
  const usage = { input: 1_000_000, output: 100_000, cachedInput: 400_000 };
  expect(costOf(usage, { input: 2, output: 10, cachedInput: 0.2 })).toBeCloseTo(1.2 + 0.08 + 1);
  expect(costOf(usage, { input: 2, output: 10 })).toBeCloseTo(3);
  expect(costOf({ input: 1_000_000, output: 0 }, { input: 2, output: 10 })).toBeCloseTo(2);
});

test("[M91] without a price the cost is unknown, not zero", () => {
  expect(costOf({ input: 1, output: 1 }, undefined)).toBeUndefined();
  expect(knownModel("openai", "no-such-model")).toBeUndefined();
  expect(knownModel("openai-compatible", "gpt-5")).toBeUndefined();
});

test("[M92] a dated model id costs the same as the undated one", () => {
  expect(knownModel("anthropic", "claude-haiku-4-5-20251001")).toBe(KNOWN_MODELS.anthropic["claude-haiku-4-5"]);
  expect(knownModel("openai", "gpt-5-nano-2025-08-07")).toBe(KNOWN_MODELS.openai["gpt-5-nano"]);
});

test("[M93] the price table has a date, and input costs less than output", () => {
  expect(PRICES_AS_OF).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  for (const { price } of Object.values(KNOWN_MODELS).flatMap((models) => Object.values(models))) {
    if (!price) continue;
    expect(price.input).toBeLessThan(price.output);
    expect(price.cachedInput ?? 0).toBeLessThan(price.input);
  }
});
