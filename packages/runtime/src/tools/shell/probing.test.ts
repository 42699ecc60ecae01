import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findBubblewrap } from "./bubblewrap.ts";
import { pasta } from "./pasta.ts";
import { probeAside, probeNow } from "./probing.ts";

/** Waits for a file that only this process writes: if it were blocked, it never would. */
function waiting(): { readonly file: string; readonly go: () => void; readonly hasBegun: () => boolean } {
  const file = join(mkdtempSync(join(tmpdir(), "colloquy-probing-")), "tool");
  writeFileSync(file, '#!/bin/sh\n: > "$0.begun"\nuntil [ -e "$0.go" ]; do :; done\necho "no luck" >&2; exit 3\n', { mode: 0o755 });
  return { file, go: () => writeFileSync(`${file}.go`, ""), hasBegun: () => existsSync(`${file}.begun`) };
}

test("[ST11] bubblewrap is probed without blocking this process", async () => {
  const { file, go, hasBegun } = waiting();
  const found = probeAside(findBubblewrap([file]));
  await expect.poll(hasBegun).toBe(true);
  go();
  expect(await found).toEqual({ problem: "bubblewrap does not work: no luck" });
});

test.skipIf(!existsSync("/dev/net/tun"))("[ST11] so is pasta", async () => {
  const { file, go, hasBegun } = waiting();
  const found = pasta([file]);
  await expect.poll(hasBegun).toBe(true);
  go();
  expect(await found).toEqual({ problem: "pasta does not work: no luck" });
});

test("[ST11] blocking and non-blocking probes agree", async () => {
  const { file, go } = waiting();
  go();
  for (const places of [[file], ["/nowhere/bwrap"]]) {
    const aside = await probeAside(findBubblewrap(places));
    expect(probeNow(findBubblewrap(places))).toEqual(aside);
  }
});
