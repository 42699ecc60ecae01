import { expect, test } from "vitest";
import { didYouMean } from "./did-you-mean.ts";

const known = ["claude-sonnet-5", "claude-sonnet-4-5", "claude-opus-5", "say", "main"];

test.each([
  ["claude-sonet-5", ' Did you mean "claude-sonnet-5"?'],
  ["Claude-Opus-5", ' Did you mean "claude-opus-5"?'],
  ["sya", ' Did you mean "say"?'],
  ["mian", ' Did you mean "main"?'],
  ["gemini-pro", ""],
])("[M74] %s", (name, meant) => expect(didYouMean(name, known)).toBe(meant));
