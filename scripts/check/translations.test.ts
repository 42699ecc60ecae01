import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkTranslations, follow } from "./translations.mjs";

test("a Chinese page is reported while its English source is newer", () => {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-translations-"));
  mkdirSync(join(folder, "docs/zh"), { recursive: true });
  writeFileSync(join(folder, "docs/START.md"), "# Start\n");
  writeFileSync(join(folder, "docs/zh/START.md"), "# 开始使用\n");
  expect(checkTranslations(folder).problems).toEqual([expect.stringContaining("docs/zh/START.md must begin with")]);
  follow(folder, "docs/zh/START.md");
  expect(checkTranslations(folder)).toEqual({ problems: [], older: [] });
  writeFileSync(join(folder, "docs/START.md"), "# Start here\n");
  expect(checkTranslations(folder)).toEqual({
    problems: [],
    older: [expect.stringContaining("docs/zh/START.md is older than docs/START.md")],
  });
  follow(folder, "docs/zh/START.md");
  expect(checkTranslations(folder)).toEqual({ problems: [], older: [] });
  expect(readFileSync(join(folder, "docs/zh/START.md"), "utf8")).toMatch(
    /^<!-- follows docs\/START\.md at [0-9a-f]{12} -->\n# 开始使用\n$/,
  );
  writeFileSync(join(folder, "docs/zh/GONE.md"), "<!-- follows docs/GONE.md at 0123456789ab -->\n");
  expect(checkTranslations(folder).problems).toEqual(["docs/zh/GONE.md follows docs/GONE.md, which does not exist."]);
});
