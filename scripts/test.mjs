// `npm test`: from a fresh clone to the result of every test. Arguments go to vitest.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNode, setUp } from "./set-up.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

await setUp();
ensureSystemPackages();
// The last line is the result, whatever Vitest prints while it exits.
const folder = mkdtempSync(join(tmpdir(), "colloquy-test-"));
const summary = join(folder, "summary");
process.env.COLLOQUY_TEST_SUMMARY = summary;
process.exitCode = await runNode(["node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2)]);
try {
  process.stdout.write(readFileSync(summary, "utf8"));
} catch {
  process.exitCode ||= 1; // it ended without a result, and has said why
}
rmSync(folder, { recursive: true, force: true });
