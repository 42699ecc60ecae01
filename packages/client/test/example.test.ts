import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { projectFolder, startVictim } from "../../server/test/folder.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const run = promisify(execFile);

test("[CL15] the example in docs/CLIENT.md works with the published package", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-client-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(root, join(dir, "node_modules/colloquy"));
  for (const file of ["client.ts", "package.json"]) copyFileSync(join(root, "examples/09-client", file), join(dir, file));
  const { url, token } = await startVictim(projectFolder());
  const { stdout } = await run(process.execPath, ["client.ts", "please decide"], { cwd: dir, env: { PATH: "", URL: url, TOKEN: token } });
  expect(stdout).toBe("? Which one? → A\nlead: So be it.\n");
});
