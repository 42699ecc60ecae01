// npm run faults [-- kills stops clocks disk floods soak nodes] [-- --kills 500 --faults 200 --minutes 6 --seed 1]: real faults against the built server, on loopback.
import { parseArgs } from "node:util";
import { clocks } from "./clocks.ts";
import type { Report } from "./crowd.ts";
import { diskFull } from "./disk-full.ts";
import { floods } from "./floods.ts";
import { kills } from "./kills.ts";
import { nodes } from "./nodes.ts";
import { soak } from "./soak.ts";
import { stops } from "./stops.ts";

const { values, positionals } = parseArgs({
  options: {
    kills: { type: "string", default: "500" },
    faults: { type: "string", default: "200" },
    minutes: { type: "string", default: "6" },
    seed: { type: "string" },
  },
  allowPositionals: true,
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const faults: Readonly<Record<string, (say: (text: string) => void) => Promise<Report>>> = {
  kills: (say) => kills(seed, Number(values.kills), say),
  stops: () => stops(seed, 20),
  clocks: () => clocks(seed, 30),
  disk: () => diskFull(seed),
  floods: (say) => floods(say),
  soak: (say) => soak(seed, Number(values.minutes), say),
  nodes: (say) => nodes(seed, Number(values.faults), say),
};
const unknown = positionals.find((name) => !(name in faults));
if (unknown !== undefined) {
  console.error(`There is no fault "${unknown}". There are: ${Object.keys(faults).join(", ")}.`);
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
const startedAt = performance.now();
const seconds = () => `${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s`;
console.log(`seed ${seed}: npm run faults -- --seed ${seed}`);
for (const name of positionals.length > 0 ? positionals : Object.keys(faults)) {
  const report = await faults[name]?.((text) => console.log(`${seconds()}    ${text}`));
  if (!report) continue;
  console.log(`${seconds()}  ${report.problems.length === 0 ? "ok    " : "BROKEN"} ${report.name}: ${report.line}`);
  for (const problem of report.problems) console.log(`        ${problem}`);
  if (report.problems.length > 0) process.exitCode = 1;
}
