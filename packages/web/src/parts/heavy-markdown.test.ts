import { expect, test } from "vitest";
import { isHeavyMarkdown } from "./heavy-markdown.ts";

test.each([
  ["many brackets", "[".repeat(30_000)],
  ["much emphasis", "*a".repeat(5_000)],
  ["deep quotes", `${">".repeat(5_000)} x`],
  ["deep lists", Array.from({ length: 300 }, (_, depth) => `${"  ".repeat(depth)}- a`).join("\n")],
  ["a very long text", "word ".repeat(30_000)],
])("[ST3] %s are shown as plain text", (_what, text) => {
  expect(isHeavyMarkdown(text)).toBe(true);
});

test.each([
  ["a long answer", "A paragraph with *emphasis* and a [link](https://example.org).\n\n".repeat(200)],
  ["a table", `| a | b |\n| - | - |\n${"| 1 | 2 |\n".repeat(300)}`],
  ["code", `\`\`\`ts\n${"const a = [1, 2];\n".repeat(500)}\`\`\``],
])("[ST3] %s is Markdown", (_what, text) => {
  expect(isHeavyMarkdown(text)).toBe(false);
});
