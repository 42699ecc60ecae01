import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFileStore } from "@colloquy/store-file";
import { say, type Telling, world } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";

const TELLING: Telling = { lead: [say("Said and done. ".repeat(20))] };

async function onDisk() {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-transfer-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const store = await openFileStore(dir);
  const w = await world({ telling: TELLING, through: () => store });
  onTestFinished(() => w.project.close());
  return w;
}

/** Processor time of the work, and how often other work had a turn meanwhile. */
async function paceOf(work: () => Promise<unknown>): Promise<{ readonly cpuMs: number; readonly turns: number }> {
  let turns = 0;
  const count = () => void ((turns += 1), (next = setImmediate(count)));
  let next = setImmediate(count);
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  clearImmediate(next);
  return { cpuMs: (user + system) / 1000, turns };
}

test("[CA14] 10,000 events are exported, imported and forked a little at a time", async () => {
  const w = await onDisk();
  const dialog = await w.project.dialogs.create({ content: "Begin" });
  for (let n = 1; n <= 5_000; n++) {
    void w.project.dialogs.send(dialog.id, `Message ${n}, of a usual length, more or less.`);
    if (n % 100 === 0) await w.project.dialogs.quiet(dialog.id);
  }
  expect(await w.project.dialogs.head(dialog.id)).toBeGreaterThan(10_000);
  let file: Uint8Array[] = [];
  const exporting = await paceOf(async () => {
    file = [];
    for await (const part of await w.project.dialogs.export(dialog.id)) file.push(part);
  });
  const there = await onDisk();
  const importing = await paceOf(() =>
    there.project.import(
      (async function* () {
        yield* file;
      })(),
    ),
  );
  const forking = await paceOf(() => there.project.dialogs.fork(dialog.id));
  for (const { cpuMs, turns } of [exporting, importing, forking]) {
    // Seldom more than half a second; a machine may be slow, and counting turns costs too.
    expect(cpuMs).toBeLessThan(5_000);
    expect(turns).toBeGreaterThan(20);
  }
});
