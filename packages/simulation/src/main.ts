// `npm run simulate -- [--seeds N] [--from N] [--seed N] [--workers N] [--bail]`: plays the stories of this many seeds.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Result, simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    /** Only this one, with its last events, even if nothing fails. */
    seed: { type: "string" },
    /** Stops at the first failure. */
    bail: { type: "boolean", default: false },
    workers: { type: "string", default: "1" },
    /** Every nth seed, starting with `from`: for workers. */
    every: { type: "string", default: "1" },
  },
});
const PROGRESS_MS = 10_000;
const number = (name: "seeds" | "from" | "workers" | "every"): number => {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number, not "${values[name]}".`);
  return value;
};

function show({ seed, failure, trace, hash }: Result): void {
  console.log(trace.join("\n"));
  if (!failure) return console.log(`Seed ${seed}: nothing is broken. Trace ${hash.toString(16)}.`);
  console.log(`Seed ${seed}: ${failure.message}`);
  console.log(`The same again: npm run simulate -- --seed ${seed}\n`);
}

async function tellAll(from: number, end: number, every: number): Promise<number> {
  const sum: Record<string, number> = {};
  const failed: number[] = [];
  const beganMs = Date.now();
  let saidMs = beganMs;
  let told = 0;
  const say = () => {
    const seconds = (Date.now() - beganMs) / 1000;
    const counts = Object.entries(sum).map(([name, count]) => `${Math.round(count).toLocaleString("en")} ${name}`);
    console.log(
      `${told} seeds in ${seconds.toFixed(0)} s (${(told / seconds).toFixed(1)}/s), ${failed.length} failed: ${counts.join(", ")}`,
    );
  };
  for (let seed = from; seed < end; seed += every) {
    const result = await simulate(seed);
    told += 1;
    for (const [name, count] of Object.entries(result.counts)) sum[name] = (sum[name] ?? 0) + count;
    if (result.failure) {
      failed.push(seed);
      show(result);
      if (values.bail) break;
    }
    if (Date.now() - saidMs < PROGRESS_MS) continue;
    saidMs = Date.now();
    say();
  }
  say();
  if (failed.length > 0) console.log(`Failed: ${failed.join(" ")}`);
  return failed.length;
}

/** Splits the seeds over several processes. */
async function shareOut(from: number, seeds: number, workers: number): Promise<number> {
  const shares = Array.from({ length: workers }, (_, nth) => {
    const args = ["--from", String(from + nth), "--seeds", String(seeds - nth), "--every", String(workers)];
    const { promise, resolve } = Promise.withResolvers<number>();
    fork(fileURLToPath(import.meta.url), args).on("exit", (code) => resolve(code ?? 1));
    return promise;
  });
  return (await Promise.all(shares)).filter((code) => code !== 0).length;
}

const [from, seeds, workers] = [number("from"), number("seeds"), number("workers")];
if (values.seed !== undefined) {
  const result = await simulate(Number(values.seed));
  show(result);
  process.exitCode = result.failure ? 1 : 0;
} else {
  const failed = workers > 1 ? await shareOut(from, seeds, workers) : await tellAll(from, from + seeds, number("every"));
  process.exitCode = failed > 0 ? 1 : 0;
}
