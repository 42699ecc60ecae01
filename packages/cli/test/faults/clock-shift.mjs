// Preloaded into the server (node --import): shifts and speeds up its clock as a file says, reread on SIGUSR2. The file: {"shiftMs": N,
// "speed": N}. Speed also applies to timers, so that a day passes in minutes. With --expose-gc the signal also collects garbage, and
// writes the remaining heap to the file beside it.
import { readFileSync, renameSync, writeFileSync } from "node:fs";

const file = process.env["COLLOQUY_CLOCK"] ?? "";
const RealDate = Date;
const realNow = Date.now.bind(Date);
const realTimeout = globalThis.setTimeout;
const beganAt = realNow();
const read = () => JSON.parse(readFileSync(file, "utf8"));
let { shiftMs = 0 } = read();
const { speed = 1 } = read();

const now = () => Math.floor(beganAt + (realNow() - beganAt) * speed + shiftMs);

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
if (speed !== 1) {
  /** @type {(run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => NodeJS.Timeout} */
  const quickened = (run, ms, ...args) => realTimeout(run, (ms ?? 0) / speed, ...args);
  globalThis.setTimeout = Object.assign(quickened, realTimeout);
}
process.on("SIGUSR2", () => {
  ({ shiftMs = 0 } = read());
  if (!globalThis.gc) return;
  globalThis.gc();
  writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
  renameSync(`${file}.new`, `${file}.memory`);
});
