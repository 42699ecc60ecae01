import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "./median.ts";
import { BuiltServer } from "./built-server.ts";
import { CLOCK } from "./clocks.ts";
import { Crowd, type Report } from "./crowd.ts";

const DAY = 24 * 3_600_000;
const MAY_GROW_MB = 40;

/** A day of use in minutes: the server's clock and timers run so much faster. Its memory must not grow with the day. */
export async function soak(seed: number, minutes: number, say: (text: string) => void): Promise<Report> {
  const crowd = new Crowd(seed, { paceMs: 80 });
  const file = join(crowd.dir, "..", "clock.json");
  const speed = DAY / (minutes * 60_000);
  writeFileSync(file, JSON.stringify({ shiftMs: 0, speed }));
  const server = await BuiltServer.start(crowd.dir, { nodeArgs: ["--import", CLOCK], env: { COLLOQUY_CLOCK: file } });
  crowd.door.set(server);
  const samples: number[] = [];
  for (let second = 1; second <= minutes * 60 && crowd.ledger.problems.length === 0; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    samples.push(residentMB(server.pid));
    if (second % 5 === 0) await crowd.check(server);
    if (second % 60 === 0) say(`hour ${((second * speed) / 3_600).toFixed(0)}: ${samples.at(-1)?.toFixed(0)} MB, ${crowd.summary()}`);
  }
  await crowd.finish(server);
  await server.end("SIGTERM");
  // The first quarter warms up.
  const part = Math.floor(samples.length / 4);
  const [second, last] = [median(samples.slice(part, 2 * part)), median(samples.slice(-part))];
  const grown = last - second;
  const problems = grown > MAY_GROW_MB ? [`memory grew by ${grown.toFixed(0)} MB from the second quarter of the day to the last`] : [];
  return {
    name: "a day of use",
    problems: [...problems, ...crowd.ledger.problems],
    line: `24 hours in ${minutes} minutes; resident ${second.toFixed(0)} MB in the second quarter, ${last.toFixed(0)} MB in the last: ${crowd.summary()}`,
  };
}

const residentMB = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
