import { chmodSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { realDisk } from "./disk.ts";

afterEach(() => vi.unstubAllEnvs());

test("[L78] sync is not looked up on the PATH", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-sync-"));
  writeFileSync(join(dir, "sync"), `#!/bin/sh\ntouch ${dir}/ran\n`);
  chmodSync(join(dir, "sync"), 0o755);
  vi.stubEnv("PATH", `${dir}:${process.env["PATH"]}`);
  await realDisk.syncAll(dir);
  expect(existsSync(join(dir, "ran"))).toBe(false);
});
