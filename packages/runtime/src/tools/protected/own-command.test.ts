import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tryToUse } from "../testing.ts";
import { commandsTakenOver } from "./own-command.ts";

test.each([
  ['{"bin":{"colloquy":"evil.js"}}', ["colloquy"]],
  ['{"bin":{"cq":"evil.js","mine":"ok.js"}}', ["cq"]],
  ['{"name":"colloquy","bin":"evil.js"}', ["colloquy"]],
  ['{"name":"@me/colloquy","bin":"evil.js"}', ["colloquy"]],
  ['\uFEFF{"bin":{"node":"evil.js"}}', ["node"]],
  ['{"bin":["tools/colloquy"]}', ["colloquy"]],
  ['{"bin":{"x/colloquy":"evil.js"}}', ["colloquy"]],
  ['{"directories":{"bin":"tools"}}', ["colloquy"]],
  ['{"bin":"","directories":{"bin":"tools"}}', ["colloquy"]],
  ['{"name":"shop","bin":{"shop":"cli.js"},"directories":{"bin":"tools"}}', []],
  ['{"name":"shop","bin":{"shop":"cli.js"}}', []],
  ['{"name":"colloquy"}', []],
  ["[]", []],
  ["null", []],
  ["not JSON", []],
])("[B21] the commands that a manifest takes over: %s", (manifest, taken) => {
  expect(commandsTakenOver(manifest, undefined)).toEqual(taken);
  expect(commandsTakenOver(manifest, manifest)).toEqual([]);
});

test("[B21] file tools write no package.json that takes over our command, and say why", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-bin-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const before = '{"name":"shop","bin":{"shop":"cli.js"}}';
  mkdirSync(join(dir, "packages/tool"), { recursive: true });
  for (const path of ["package.json", "packages/tool/package.json"]) {
    writeFileSync(join(dir, path), before);
    const written = await tryToUse(dir, "write_file", { path, content: '{"name":"shop","bin":{"colloquy":"evil.js"}}' });
    const edited = await tryToUse(dir, "edit_file", { path, old: '"shop":', new: '"colloquy":' });
    for (const { text } of [written, edited]) expect(text).toContain('its "bin" would replace "colloquy"');
    expect(readFileSync(join(dir, path), "utf8")).toBe(before);
    expect((await tryToUse(dir, "edit_file", { path, old: "cli.js", new: "main.js" })).text).toContain("Replaced 1 place");
  }
});
