import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Figure } from "./figure.ts";

const script = fileURLToPath(new URL("./store.ts", import.meta.url));

interface IdleTrees {
  readonly trees: number;
  readonly coldMs: number;
  readonly afterKillMs: number;
  readonly heapMB: number;
  readonly rssMB: number;
}

/** The cost of 100, 10,000 and 100,000 idle trees: each count in a separate process. */
export async function idleTrees(): Promise<Figure[]> {
  const { stdout } = spawnSync(process.execPath, [script, "idle-json"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 24,
  });
  const [few, some, many] = JSON.parse(stdout.trim().split("\n").at(-1) ?? "[]") as IdleTrees[];
  if (!few || !some || !many) throw new Error(`No figures from ${script}: ${stdout}`);
  return [
    {
      name: "opening 100,000 idle trees",
      value: (many.coldMs - few.coldMs) / 1000,
      unit: "s more than 100",
      limit: 1,
      note: `${few.coldMs.toFixed(0)} → ${many.coldMs.toFixed(0)} ms`,
    },
    {
      name: "the same right after kill -9",
      value: (many.afterKillMs - few.afterKillMs) / 1000,
      unit: "s more than 100",
      limit: 1,
      note: `${few.afterKillMs.toFixed(0)} → ${many.afterKillMs.toFixed(0)} ms`,
    },
    {
      name: "10,000 idle trees",
      value: some.rssMB - few.rssMB,
      unit: "MB more than 100",
      limit: 10,
      note: `heap ${(some.heapMB - few.heapMB).toFixed(1)} MB`,
    },
  ];
}
