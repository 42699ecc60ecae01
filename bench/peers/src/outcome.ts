import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { transcriptBytes } from "./script.ts";
import type { System } from "./systems.ts";
import type { Measured } from "./workloads.ts";

export interface Row extends Measured {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly isSynced: boolean;
  readonly durability: string;
}

/** A stored run: what was measured, when, where and how. */
export interface Outcome {
  readonly date: string;
  readonly command: string;
  readonly node: string;
  readonly machine: string;
  /** How many wanted a core in the minute before the end; more than there are cores, and times say little. */
  readonly load: number;
  readonly postgres: string;
  readonly transcriptBytes: number;
  readonly rows: readonly Row[];
}

export const outcomeOf = (systems: readonly System[], results: ReadonlyMap<string, Measured>, postgres: string): Outcome => ({
  date: new Date().toISOString().slice(0, 10),
  command: "npm run bench:peers",
  node: process.version,
  machine: `${cpus().length} × ${cpus()[0]?.model ?? "?"}`,
  load: loadavg()[0] ?? 0,
  postgres,
  transcriptBytes: transcriptBytes(1_000),
  rows: systems.map((system) => ({
    id: system.id,
    name: system.name,
    version: versionOf(system),
    isSynced: system.isSynced,
    durability: system.durability,
    ...(results.get(system.id) ?? { notes: [] }),
  })),
});

function versionOf({ id, package: name }: System): string {
  const path = name === undefined ? "../../../package.json" : `../node_modules/${name}/package.json`;
  if (id.startsWith("bare")) return "";
  return (JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8")) as { version: string }).version;
}
