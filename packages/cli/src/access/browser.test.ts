import { mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { browser } from "./browser.ts";

test("[K128] the browser is not looked up in the project's folders", () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-browser-"));
  mkdirSync(join(dir, "node_modules/.bin"), { recursive: true });
  const other = mkdtempSync(join(tmpdir(), "colloquy-other-"));
  symlinkSync(join(dir, "node_modules/.bin"), join(other, "bin"));
  const PATH = [join(dir, "node_modules/.bin"), "node_modules/.bin", ".", "", join(other, "bin"), dir, "/usr/bin", other].join(":");
  expect(browser({ PATH, DISPLAY: ":0" }, "linux", dir)).toEqual({
    command: "xdg-open",
    env: { PATH: `/usr/bin:${other}`, DISPLAY: ":0" },
  });
  expect(browser({ PATH, BROWSER: "firefox" }, "linux", dir).command).toBe("firefox");
  expect(browser({ PATH }, "darwin", dir).command).toBe("/usr/bin/open");
  expect(browser({ PATH: "", SystemRoot: String.raw`C:\Windows` }, "win32", dir).command).toBe(String.raw`C:\Windows\explorer.exe`);
});
