import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkLinks } from "./links.mjs";

test("reports links to missing files and headings, and ignores code and other sites", () => {
  expect(checkLinks(fileURLToPath(new URL("fixtures/links", import.meta.url)))).toEqual([
    "README.md: docs/none.md leads to nothing",
    "README.md: docs/guide.md has no heading #none",
  ]);
});
