// npm run bench [-- NAME…]: what Colloquy costs, as ratios measured within one run. Writes bench/results/latest.json.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commands } from "./commands.ts";
import { askAndAnswer, wideTree } from "./asks.ts";
import { atOnce } from "./at-once.ts";
import { durableTurn } from "./durable-turn.ts";
import { type Figure, isReached, Skipped } from "./figure.ts";
import { longDialog } from "./long-dialog.ts";
import { nextMessages } from "./messages.ts";
import { firstLoad, longPage, streamingPage } from "./page.ts";
import { nodes } from "./nodes.ts";
import { postgres } from "./postgres.ts";
import { idleTrees } from "./idle-trees.ts";
import { idleSubscribers, packetToModel, streaming } from "./server.ts";
import { sustained } from "./sustained.ts";
import { tracing } from "./tracing/tracing.ts";
import { waiting } from "./waiting.ts";

const benches: Readonly<Record<string, () => Promise<Figure[]>>> = {
  turn: durableTurn,
  once: atOnce,
  asks: askAndAnswer,
  sustained,
  wide: wideTree,
  long: longDialog,
  messages: nextMessages,
  postgres,
  nodes,
  "idle-trees": idleTrees,
  tracing,
  waiting,
  packet: packetToModel,
  idle: idleSubscribers,
  stream: streaming,
  page: longPage,
  "page-stream": streamingPage,
  "page-load": firstLoad,
  commands,
};

// Everything is created in one folder, by child processes too, and removed at the end.
const place = mkdtempSync(join(tmpdir(), "colloquy-bench-"));
chmodSync(place, 0o755); // PostgreSQL runs as a user of its own
process.env.TMPDIR = place;

const names = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(benches);
const figures: Figure[] = [];
for (const name of names) {
  const bench = benches[name];
  if (!bench) {
    console.error(`There is no bench "${name}". There are: ${Object.keys(benches).join(", ")}.`);
    process.exit(2);
  }
  for (const figure of await measured(name, bench)) {
    figures.push(figure);
    const sign = isReached(figure) ? "✓" : "✕";
    const wanted = `${figure.atLeast ? "≥" : "≤"} ${figure.limit}`;
    console.log(
      `${sign} ${figure.name.padEnd(40)} ${figure.value.toFixed(2).padStart(8)} ${figure.unit.padEnd(24)} ${wanted.padEnd(8)} ${figure.note}`,
    );
  }
}
/** A figure that can't be measured here is reported as missing; that is no failure. */
async function measured(name: string, bench: () => Promise<Figure[]>): Promise<readonly Figure[]> {
  try {
    return await bench();
  } catch (error) {
    if (!(error instanceof Skipped)) throw error;
    console.log(`– ${name}: skipped, ${error.message}`);
    return [];
  }
}

const results = fileURLToPath(new URL("../results/", import.meta.url));
mkdirSync(results, { recursive: true });
writeFileSync(
  `${results}latest.json`,
  `${JSON.stringify({ node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, figures }, undefined, 2)}\n`,
);
rmSync(place, { recursive: true, force: true });
