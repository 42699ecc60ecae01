import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync, appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BuiltServer } from "./built-server.ts";
import { Crowd, type Report } from "./crowd.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Fills a small separate file system under load, empties and refills it; kills the server once while it is full. */
export async function diskFull(seed: number): Promise<Report> {
  const name = "disk full";
  const mount = mkdtempSync(join(tmpdir(), "colloquy-small-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", mount], { encoding: "utf8" });
  if (mounted.status !== 0)
    return { name, problems: [], line: `skipped: mounting is not permitted here (${mounted.stderr?.trim() ?? "no mount"})` };
  try {
    return await onSmallDisk(name, seed, mount);
  } finally {
    spawnSync("umount", ["-l", mount]);
    rmSync(mount, { recursive: true, force: true });
  }
}

async function onSmallDisk(name: string, seed: number, mount: string): Promise<Report> {
  const dir = join(mount, "shop");
  mkdirSync(dir);
  const crowd = new Crowd(seed, { dir, paceMs: 5 });
  const ballast = join(mount, "ballast");
  let server = await BuiltServer.start(dir);
  const { port } = server;
  crowd.entrance.set(server);
  const problems: string[] = [];
  const goesOn = async () => {
    const before = crowd.ledger.counts.messages;
    for (let tries = 0; crowd.ledger.counts.messages < before + 20; tries++) {
      if (tries > 300) return problems.push("after there was room again nothing was accepted for 30 seconds");
      await pause(100);
      await crowd.check(server);
    }
    return undefined;
  };
  for (let round = 1; round <= 3 && crowd.ledger.problems.length + problems.length === 0; round++) {
    await pause(500);
    fill(mount, ballast);
    await pause(2_500);
    await crowd.check(server);
    if (round === 2) {
      crowd.entrance.set(undefined);
      await server.end("SIGKILL");
      // It starts on a full disk, or says why it can't.
      const early = await BuiltServer.start(dir, { port }).catch((error: Error) => error.message);
      if (typeof early === "string" && !/ENOSPC|full|room|space/i.test(early))
        problems.push(`it did not start on a full disk and said: ${early}`);
      rmSync(ballast);
      server = typeof early === "string" ? await BuiltServer.start(dir, { port }) : early;
      crowd.entrance.set(server);
    } else rmSync(ballast);
    await goesOn();
    await crowd.check(server);
  }
  if (crowd.ledger.problems.length + problems.length === 0) await crowd.finish(server);
  crowd.entrance.isClosing = true;
  await server.end("SIGTERM");
  return {
    name,
    problems: [...problems, ...crowd.ledger.problems],
    line: `tmpfs of 64 MB filled to the last byte three times for 2.5 s, once with a kill and a start while it was full: ${crowd.summary()}`,
  };
}

function fill(mount: string, path: string): void {
  writeFileSync(path, "");
  for (let size = 1 << 20; size >= 512; size >>= 1) {
    const chunk = Buffer.alloc(size);
    try {
      for (;;) appendFileSync(path, chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
  if (statfsSync(mount).bavail > 1) throw new Error("the small disk is not full");
}
