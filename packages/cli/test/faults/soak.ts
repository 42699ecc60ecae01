import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BuiltServer } from "./built-server.ts";
import { CLOCK } from "./clocks.ts";
import { Crowd, type Report } from "./crowd.ts";
import { median } from "./median.ts";

const DAY = 24 * 3_600_000;
/** What may be kept of a finished tree: its index line, and references to it. */
const KB_PER_TREE = 4;
const SPARE_KB = 6_000;

interface Sample {
  readonly trees: number;
  readonly heldKB: number;
  readonly residentMB: number;
}

/** A day of use in minutes: the server's clock and timers run faster. The heap after a collection must not grow over the day. */
export async function soak(seed: number, minutes: number, say: (text: string) => void): Promise<Report> {
  const crowd = new Crowd(seed, { paceMs: 80 });
  const file = join(crowd.dir, "..", "clock.json");
  const speed = DAY / (minutes * 60_000);
  writeFileSync(file, JSON.stringify({ shiftMs: 0, speed }));
  const server = await BuiltServer.start(crowd.dir, { nodeArgs: ["--expose-gc", "--import", CLOCK], env: { COLLOQUY_CLOCK: file } });
  crowd.entrance.set(server);
  const samples: Sample[] = [];
  for (let second = 1; second <= minutes * 60 && crowd.ledger.problems.length === 0; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const memory = `${file}.memory`;
    if (existsSync(memory)) {
      const { heapUsed, external, rss } = JSON.parse(readFileSync(memory, "utf8")) as NodeJS.MemoryUsage;
      samples.push({ trees: crowd.ledger.all().length, heldKB: (heapUsed + external) / 1024, residentMB: rss / 1024 / 1024 });
    }
    if (second % 5 !== 0) continue;
    server.signal("SIGUSR2");
    await crowd.check(server);
    const hour = `hour ${((second * speed) / 3_600).toFixed(0)}`;
    if (second % 60 === 0) say(`${hour}: ${((samples.at(-1)?.heldKB ?? 0) / 1024).toFixed(1)} MB held, ${crowd.summary()}`);
  }
  await crowd.finish(server);
  await server.end("SIGTERM");
  const { problem, line } = flatness(samples);
  const problems = [...problem, ...crowd.ledger.problems];
  crowd.leave(problems);
  return {
    name: "a day of use",
    problems,
    line: `24 hours in ${minutes} minutes; ${line}: ${crowd.summary()}`,
  };
}

/** The second quarter of the day against the last: the first one warms up. */
function flatness(samples: readonly Sample[]): { readonly problem: readonly string[]; readonly line: string } {
  const part = Math.floor(samples.length / 4);
  const of = (some: readonly Sample[], what: (sample: Sample) => number) => median(some.map(what));
  const [early, late] = [samples.slice(part, 2 * part), samples.slice(-part)];
  const held = [of(early, ({ heldKB }) => heldKB), of(late, ({ heldKB }) => heldKB)] as const;
  const trees = of(late, (one) => one.trees) - of(early, (one) => one.trees);
  const grown = held[1] - held[0];
  const may = SPARE_KB + KB_PER_TREE * trees;
  const line = `held after a collection: ${(held[0] / 1024).toFixed(1)} MB in the second quarter, ${(held[1] / 1024).toFixed(1)} MB in the last, with ${trees} trees more (resident ${of(late, ({ residentMB }) => residentMB).toFixed(0)} MB)`;
  return {
    problem:
      grown > may ? [`memory grew by ${(grown / 1024).toFixed(1)} MB for ${trees} trees, ${(may / 1024).toFixed(1)} MB are allowed`] : [],
    line,
  };
}
