// `npm test`: from a fresh clone to the result of every test. Arguments go to vitest.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNode, setUp } from "./set-up.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

await setUp();
ensureSystemPackages();
// Tests make thousands of projects: all of them in one place, which is gone when they are over.
const place = mkdtempSync(join(tmpdir(), "colloquy-test-"));
for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = place;
try {
  process.exitCode = await runNode(["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)]);
} finally {
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}
