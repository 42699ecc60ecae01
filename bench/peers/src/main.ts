// npm run bench:peers [-- --quick] [-- whole once long crash] [-- --only colloquy,dbos]: Colloquy compared with its alternatives.
// -- --draw writes chart and tables once more from the last full run.
// The table of ratios goes to the terminal; a full run also writes docs/images/peers.svg, the tables in README.md and docs/PROOF.md,
// and bench/results/reference-peers.json.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chart } from "./chart.ts";
import { Grounds } from "./grounds.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { systems as all } from "./systems.ts";
import { durabilities, markdownTable, textTable, writeBetweenMarks } from "./table.ts";
import { crashWhileWaiting, delegateAskAnswer, longDialog, manyAtOnce, type Measured, type Run } from "./workloads.ts";

const workloads = { whole: delegateAskAnswer, once: manyAtOnce, long: longDialog, crash: crashWhileWaiting };

const { values, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string" }, draw: { type: "boolean", default: false } },
  allowPositionals: true,
});
if (values.draw) {
  write(JSON.parse(readFileSync(at("bench/results/reference-peers.json"), "utf8")) as Outcome);
  process.exit(0);
}
const unknown = positionals.filter((name) => !(name in workloads));
if (unknown.length > 0) {
  console.error(`There is no workload "${unknown[0]}". There are: ${Object.keys(workloads).join(", ")}.`);
  process.exit(2);
}
const chosen = values.only?.split(",");
const systems = all.filter(({ id }) => chosen === undefined || chosen.includes(id));
// A run itself keeps about two cores busy.
const isBusy = () => (loadavg()[0] ?? 0) > cpus().length + 2;
const wasBusy = isBusy();
if (wasBusy) console.error(`This machine is busy (load ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores): times will say little.`);
const isFull = !values.quick && positionals.length === 0 && chosen === undefined;

const startedAt = performance.now();
const grounds = new Grounds();
const results = new Map<string, Measured>();
const run: Run = {
  grounds,
  systems,
  results,
  scale: values.quick ? 0.1 : 1,
  say: (text) => console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`),
};
// Stops everything that was started, also on Ctrl-C.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void grounds.leave().finally(() => process.exit(130));
  });
}
try {
  for (const [name, workload] of Object.entries(workloads)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    run.say(name);
    await workload(run);
  }
} finally {
  await grounds.leave();
}
run.say("done");
const outcome: Outcome = outcomeOf(systems, results, grounds.postgresVersion);
console.log(textTable(outcome));
if (isFull) {
  mkdirSync(at("bench/results"), { recursive: true });
  writeFileSync(at("bench/results/reference-peers.json"), `${JSON.stringify(outcome, undefined, 2)}\n`);
  if (wasBusy || isBusy())
    console.error("The machine was busy: chart and documents are left as they are; -- --draw writes them all the same.");
  else write(outcome);
}

/** The chart, and the tables in the documents. */
function write(made: Outcome): void {
  writeFileSync(at("docs/images/peers.svg"), chart(made));
  const alt =
    "Bars for Colloquy and other systems: a lead asks a specialist who asks a person; a hundred of these at once; turn 1,000 of a dialog; kill -9 with 1,000 waiting";
  writeBetweenMarks(at("README.md"), `![${alt}](docs/images/peers.svg)\n\n${markdownTable(made, "short")}`);
  writeBetweenMarks(at("docs/PROOF.md"), `![${alt}](images/peers.svg)\n\n${markdownTable(made, "whole")}\n\n${durabilities(made)}`);
}

function at(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}
