import { expect, test } from "vitest";
import { effectParts } from "./effect-parts.ts";

test("[U6] a command's effects are split into heading, list and diffs", () => {
  const text =
    "\n\nWhat the command did:\nD! work.txt (5 B)\nM  a.txt\n\n--- work.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-work\n\n--- /dev/null\n+++ b.txt\n@@ -0,0 +1 @@\n+x";
  expect(effectParts(text)).toEqual({
    heading: "What the command did:",
    list: "D! work.txt (5 B)\nM  a.txt",
    diffs: [
      { title: "work.txt", text: "@@ -1 +0,0 @@\n-work" },
      { title: "b.txt", text: "@@ -0,0 +1 @@\n+x" },
    ],
  });
  expect(effectParts("")).toBeUndefined();
});
