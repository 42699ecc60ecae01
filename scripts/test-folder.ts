import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let place: string;

/** Tests create thousands of projects: all in one folder, which is removed afterwards. */
export function setup(): void {
  place = mkdtempSync(join(tmpdir(), "colloquy-test-"));
  chmodSync(place, 0o755); // some tests look at it as another user
  for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = place;
}

export function teardown(): void {
  rmSync(place, { recursive: true, force: true, maxRetries: 3 });
}
