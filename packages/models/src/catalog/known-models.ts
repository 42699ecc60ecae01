import type { Price } from "../port.ts";

/** When the table was taken from the providers' published lists. Prices change: a model's `price` in colloquy.yaml overrides it. */
export const PRICES_AS_OF = "2026-11-15";

interface KnownModel {
  readonly contextWindow?: number;
  /** Standard tier, short prompts. Absent if the price depends on the prompt's length, or couldn't be confirmed. */
  readonly price?: Price;
}

const price = (input: number, output: number, cachedInput?: number): Price => ({
  input,
  output,
  ...(cachedInput !== undefined && { cachedInput }),
});

/** Dollars per million tokens. Also the names suggested for an unknown one. */
export const KNOWN_MODELS: Readonly<Record<"openai" | "anthropic", Readonly<Record<string, KnownModel>>>> = {
  openai: {
    "gpt-6-astra": { contextWindow: 1_050_000, price: price(10, 50, 1) },
    "gpt-6.1-sol": { contextWindow: 1_050_000, price: price(2, 10, 0.1) },
    "gpt-6.1-terra": { contextWindow: 1_050_000, price: price(1, 5, 0.05) },
    "gpt-6-sol": { contextWindow: 1_050_000, price: price(2, 10, 0.2) },
    "gpt-6-luna": { contextWindow: 1_050_000, price: price(0.1, 0.5) },
    "gpt-5.6-sol": { contextWindow: 1_050_000 },
    "gpt-5.6-terra": { contextWindow: 1_050_000, price: price(2, 12) },
    "gpt-5.6-luna": { contextWindow: 1_050_000, price: price(0.2, 1.2, 0.02) },
    "gpt-5.5": { contextWindow: 1_000_000, price: price(5, 30) },
    "gpt-5.4": { contextWindow: 1_000_000, price: price(2.5, 15, 0.25) },
    "gpt-5.4-mini": { contextWindow: 400_000, price: price(0.75, 4.5, 0.075) },
    "gpt-5.4-nano": { contextWindow: 400_000, price: price(0.2, 1.25) },
    "gpt-5.2": { price: price(1.75, 14, 0.175) },
    "gpt-5.1": { price: price(1.25, 10) },
    "gpt-5": { contextWindow: 400_000, price: price(1.25, 10) },
    "gpt-5-mini": { contextWindow: 400_000, price: price(0.25, 2, 0.025) },
    "gpt-5-nano": { contextWindow: 400_000, price: price(0.05, 0.4, 0.005) },
    "gpt-4.1": { contextWindow: 1_000_000, price: price(2, 8, 0.5) },
    "gpt-4.1-mini": { contextWindow: 1_000_000, price: price(0.4, 1.6) },
    "gpt-4.1-nano": { contextWindow: 1_000_000, price: price(0.1, 0.4) },
    "gpt-4o": { contextWindow: 128_000, price: price(2.5, 10, 1.25) },
    "gpt-4o-mini": { contextWindow: 128_000, price: price(0.15, 0.6, 0.075) },
  },
  anthropic: {
    "claude-fable-5-2": { contextWindow: 1_000_000 },
    "claude-fable-5-1": { contextWindow: 1_000_000, price: price(10, 50, 0.25) },
    "claude-fable-5": { contextWindow: 1_000_000, price: price(10, 50, 1) },
    "claude-opus-5-5": { contextWindow: 1_000_000, price: price(4, 20, 0.2) },
    "claude-opus-5": { contextWindow: 1_000_000, price: price(5, 25, 0.5) },
    "claude-sonnet-5-5": { contextWindow: 1_000_000, price: price(2, 10, 0.2) },
    "claude-sonnet-5": { contextWindow: 1_000_000, price: price(2, 10, 0.2) },
    // From 0.10 / 0.50, and five times that for prompts of more than 100,000 tokens.
    "claude-haiku-5-5": { contextWindow: 1_000_000 },
    "claude-opus-4-8": { price: price(5, 25, 0.5) },
    "claude-opus-4-7": { price: price(5, 25, 0.5) },
    "claude-opus-4-6": { price: price(5, 25, 0.5) },
    "claude-opus-4-5": { contextWindow: 200_000, price: price(5, 25, 0.5) },
    "claude-sonnet-4-6": { price: price(3, 15, 0.3) },
    "claude-sonnet-4-5": { contextWindow: 200_000, price: price(3, 15, 0.3) },
    "claude-haiku-4-5": { contextWindow: 200_000, price: price(1, 5, 0.1) },
  },
};

/** Also for ids with a date suffix, which cost the same. */
export function knownModel(provider: string, id: string): KnownModel | undefined {
  const models = provider === "openai" || provider === "anthropic" ? KNOWN_MODELS[provider] : undefined;
  return models?.[id] ?? models?.[id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "")];
}
