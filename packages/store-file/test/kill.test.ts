import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { spoken, treeId } from "@colloquy/store/contract";
import { expect, test } from "vitest";
import { realDisk } from "../src/disk/disk.ts";
import { projectFolder } from "./project-folder.ts";

const VICTIM = fileURLToPath(new URL("victim.ts", import.meta.url));
const ROUNDS = 20;

/** Starts a process that commits forever, and kills it after some acknowledgements. Returns what it acknowledged, by tree. */
async function killed(dir: string, after: number): Promise<Map<number, number>> {
  const victim: ChildProcess = spawn(process.execPath, [VICTIM, dir], { stdio: ["ignore", "pipe", "inherit"] });
  const heads = new Map<number, number>();
  let count = 0;
  let rest = "";
  victim.stdout?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? ""; // a partial line was written after its commit, but is no promise yet
    for (const line of lines) {
      const [tree = 0, seq = 0] = line.split(" ").map(Number);
      heads.set(tree, seq);
      count += 1;
    }
    if (count >= after) victim.kill("SIGKILL");
  });
  await new Promise((resolve) => victim.once("close", resolve));
  return heads;
}

/** The moments vary by themselves; the plan varies how full the journal is. */
async function rounds(first: number): Promise<void> {
  const folder = projectFolder();
  for (let round = first; round <= ROUNDS; round += 2) {
    const heads = await killed(folder.dir, 1 + round * 37);
    const store = await folder.open({ disk: realDisk });
    expect(store.crashed).toBe(true);
    for (const [tree, seq] of heads) {
      const lines = await store.read(treeId(tree), 0);
      expect(lines.length).toBeGreaterThanOrEqual(seq);
      expect(spoken(lines)).toEqual(lines.map((_, n) => `${tree} says ${n + 1}`));
    }
    expect(store.health().notices.filter((notice) => !notice.includes("Nothing that was accepted is lost"))).toEqual([]);
    await store.close();
  }
}

test("[L49] a process killed at any moment loses nothing that it acknowledged", async () => {
  await Promise.all([rounds(1), rounds(2)]);
});
