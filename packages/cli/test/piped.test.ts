import { expect, test } from "vitest";
import { colloquy, project } from "./support.ts";

/** An escape sequence, a reversed reading direction, a zero-width space and an annotation mark. */
const HIDDEN = "\u001B]0;x\u0007pay\u202Emoc\u200B.\uFFF9bank";
const RAW = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]/; // oxlint-disable-line no-control-regex

const script = JSON.stringify({
  rules: [
    {
      do: {
        call: {
          tool: "askHuman",
          input: { headline: `Pay ${HIDDEN}?`, tellaskContent: "Really?", options: [{ label: `yes ${HIDDEN}` }, { label: "no" }] },
        },
      },
    },
  ],
});

test.each([
  ["status"],
  ["ls"],
  ["questions"],
  ["show", "@"],
  ["tree", "@"],
  ["log", "@"],
  ["search", "Pay"],
  ["show", `x${HIDDEN}`],
  ["answer", "@", "--choice", HIDDEN],
  ["resume", HIDDEN],
])("[K16] [U60] %s into a pipe prints nothing that cannot be seen", async (...args) => {
  const dir = project(script);
  await colloquy(dir, "new", "--title", `Bill ${HIDDEN}`, "Pay it");
  const { stdout, stderr } = await colloquy(dir, ...args);
  expect(stdout + stderr).not.toBe("");
  expect(stdout).not.toMatch(RAW);
  expect(stderr).not.toMatch(RAW);
});
