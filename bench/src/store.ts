// The file store against bare writes of the same bytes, and what idle trees cost. Run by hand: node bench/src/store.ts [commits]
// Each run works in a new folder and deletes nothing: after mass deletion, making files is slow for minutes.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, constants, fdatasyncSync, mkdtempSync, openSync, write, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type DialogId, type Entry, type RootId, timeOrderedId } from "@colloquy/schema";
import type { Store, StreamPart } from "@colloquy/store";
import { openFileStore } from "@colloquy/store-file";

const SELF = fileURLToPath(import.meta.url);
const WORDS = "The order service answers within its limits again; the pool was too small for the new workers. ".repeat(4);
const BYTES = 600;

const rootId = (n: number) => timeOrderedId(1_760_000_000_000 + n, Buffer.from(String(n).padStart(10, "7"))) as RootId;

function part(id: RootId, expected: number): StreamPart {
  const dialog = id as string as DialogId;
  const entry: Entry = {
    rootId: id,
    status: "running",
    hot: false,
    agent: "lead",
    title: "Why do orders time out since the last release?",
    state: "idle",
    createdAt: "2026-11-15T09:00:00.000Z",
    lastModified: "2026-11-15T09:12:00.000Z",
    cost: 0.0125,
    tokens: 12_345,
  };
  return { stream: id, expected, events: [{ type: "message.added", dialog, course: 1, by: "anna", content: WORDS, to: [] }], entry };
}

const newFolder = (name: string) => mkdtempSync(join(tmpdir(), `colloquy-bench-${name}-`));
const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? 0;
const perSecond = (count: number, ms: number) => Math.round((count / ms) * 1000);

/** A preallocated file, like the journal's slots. */
function bareFile(dir: string): number {
  const path = join(dir, "bare");
  writeFileSync(path, Buffer.alloc(8 << 20));
  const fd = openSync(path, constants.O_RDWR | constants.O_DSYNC);
  fdatasyncSync(fd);
  return fd;
}

async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Alternating, so that other work on the machine affects both equally. */
async function lone(dir: string, store: Store) {
  const fd = bareFile(dir);
  const bytes = Buffer.alloc(BYTES, "x");
  const id = rootId(1);
  const bare: number[] = [];
  const ours: number[] = [];
  for (let n = 0; n < 6000; n += 1) {
    bare.push(await timed(() => writeSync(fd, bytes, 0, bytes.length, (n * bytes.length) % (7 << 20))));
    ours.push(await timed(() => store.commit([part(id, n)], 0)));
  }
  closeSync(fd);
  const us = (numbers: number[]) => Math.round(median(numbers.slice(1000)) * 1000);
  return { bareUs: us(bare), oursUs: us(ours), ratio: us(ours) / us(bare) };
}

/** Minimal group commit: lines from many callers become one synced write, then all callers continue. */
function bareGroup(dir: string) {
  const fd = bareFile(dir);
  const writeAsync = promisify(write);
  let waiting: { text: string; resolve: () => void }[] = [];
  let at = 0;
  const flush = async () => {
    const batch = waiting;
    waiting = [];
    const bytes = Buffer.from(batch.map(({ text }) => text).join(""));
    at = (at + bytes.length) % (7 << 20);
    await writeAsync(fd, bytes, 0, bytes.length, at);
    for (const { resolve } of batch) resolve();
  };
  return (line: unknown) =>
    new Promise<void>((resolve) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ text: `${JSON.stringify(line)}\n`, resolve });
    });
}

async function together(dir: string, store: Store) {
  const commitBare = bareGroup(dir);
  const [trees, rounds] = [100, 100];
  const seqs = Array.from({ length: trees }, () => 0);
  const lines = Array.from({ length: trees }, () => 0);
  const loops = (commit: (tree: number) => Promise<unknown>) => () =>
    Promise.all(
      seqs.map(async (_, tree) => {
        for (let n = 0; n < rounds; n += 1) await commit(tree);
      }),
    );
  const bare: number[] = [];
  const ours: number[] = [];
  for (let repetition = 0; repetition < 12; repetition += 1) {
    bare.push(
      await timed(
        loops((tree) => {
          const { events } = part(rootId(1000 + tree), 0);
          return commitBare({ v: 1, pos: 1, seq: (lines[tree] = (lines[tree] ?? 0) + 1), at: "2026-11-15T09:12:00.000Z", events });
        }),
      ),
    );
    ours.push(
      await timed(
        loops((tree) => {
          const expected = seqs[tree] ?? 0;
          seqs[tree] = expected + 1;
          return store.commit([part(rootId(1000 + tree), expected)], 0);
        }),
      ),
    );
  }
  const [bareMs, oursMs] = [median(bare.slice(3)), median(ours.slice(3))];
  return { barePerS: perSecond(trees * rounds, bareMs), oursPerS: perSecond(trees * rounds, oursMs), ratio: bareMs / oursMs };
}

async function small(store: Store) {
  const ids = Array.from({ length: 500 }, (_, n) => rootId(5000 + n));
  for (const id of ids) for (let seq = 0; seq < 6; seq += 1) await store.commit([part(id, seq)], 0);
  await (store as Awaited<ReturnType<typeof openFileStore>>).checkpoint();
  const times: number[] = [];
  for (const id of ids) times.push(await timed(async () => void (await store.open(id, 1))));
  return median(times);
}

/** In a separate process: opens the store and reports how long that took. */
async function opening(dir: string) {
  const startedMs = performance.now();
  const store = await openFileStore(dir, { isBackground: false });
  const ms = performance.now() - startedMs;
  const listMs = await timed(() => void store.list({ limit: 50 }));
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 200));
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const mb = (bytes: number) => Math.round(bytes / 1e5) / 10;
  const report = {
    ms: Math.round(ms * 10) / 10,
    listMs: Math.round(listMs * 10) / 10,
    rssMB: mb(rss),
    heapMB: mb(heapUsed + external),
    trees: store.count(),
  };
  writeSync(1, JSON.stringify(report));
  process.exit(0); // like a crash, so the next process finds the same state
}

async function filling(dir: string, from: number, to: number) {
  const store = await openFileStore(dir);
  for (let n = from; n < to; n += 200) {
    await Promise.all(Array.from({ length: Math.min(200, to - n) }, (_, m) => store.commit([part(rootId(n + m), 0)], 0)));
  }
  await store.close();
}

/** Commits to many trees until it is killed. */
async function running(dir: string, trees: number) {
  const store = await openFileStore(dir);
  const seqs = new Map<number, number>();
  for (let n = 0; ; n += 1) {
    const batch = Array.from({ length: 50 }, (_, m) => (n * 50 + m) % trees);
    await Promise.all(batch.map((tree) => store.commit([part(rootId(tree), step(seqs, tree))], 0)));
    if (n === 200) writeSync(1, "deep in it\n");
  }
}

function step(seqs: Map<number, number>, tree: number): number {
  const seq = seqs.get(tree) ?? 1;
  seqs.set(tree, seq + 1);
  return seq;
}

const child = (...args: string[]) => [...process.execArgv, "--expose-gc", SELF, ...args];

function openedBy(dir: string, isCold: boolean): unknown {
  if (isCold) spawnSync("sh", ["-c", "sync; echo 3 > /proc/sys/vm/drop_caches"]);
  return JSON.parse(
    spawnSync(process.execPath, child("opening", dir), { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).stdout,
  ) as unknown;
}

async function killed(dir: string, trees: number): Promise<void> {
  const victim = spawn(process.execPath, child("running", dir, String(trees)), { stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((resolve) => victim.stdout.once("data", resolve));
  victim.kill("SIGKILL");
  await new Promise((resolve) => victim.once("exit", resolve));
}

/** One JSON line for `npm run bench`. */
async function idleJson(counts: readonly number[]) {
  const figures: unknown[] = [];
  for (const trees of counts) {
    const dir = newFolder(`idle-${trees}`);
    spawnSync(process.execPath, child("filling", dir, "0", String(trees)), { stdio: "ignore" });
    const cold = openedBy(dir, true) as Opening;
    await killed(dir, trees);
    const after = openedBy(dir, true) as Opening;
    figures.push({ trees, coldMs: cold.ms, afterKillMs: after.ms, heapMB: cold.heapMB, rssMB: cold.rssMB });
  }
  console.log(JSON.stringify(figures));
}

interface Opening {
  readonly ms: number;
  readonly heapMB: number;
  readonly rssMB: number;
}

async function idle(counts: readonly number[]) {
  for (const trees of counts) {
    const dir = newFolder(`idle-${trees}`);
    const ms = await timed(() => void spawnSync(process.execPath, child("filling", dir, "0", String(trees)), { stdio: "inherit" }));
    console.log(`${trees} trees (made in ${Math.round(ms / 100) / 10} s, ${dir})`);
    console.log("  cold        ", JSON.stringify(openedBy(dir, true)));
    console.log("  warm        ", JSON.stringify(openedBy(dir, false)));
    await killed(dir, trees);
    console.log("  after a kill", JSON.stringify(openedBy(dir, false)));
    console.log("  … and cold  ", JSON.stringify(openedBy(dir, true)));
  }
}

const [, , role, dir = "", first = "0", last = "0"] = process.argv;
if (role === "opening") await opening(dir);
else if (role === "filling") await filling(dir, Number(first), Number(last));
else if (role === "running") await running(dir, Number(first));
else if (role === "idle-json") await idleJson([100, 10_000, 100_000]);
else {
  const folder = newFolder("commits");
  const store = await openFileStore(folder);
  console.log("one tree      ", JSON.stringify(await lone(folder, store)));
  console.log("100 trees     ", JSON.stringify(await together(folder, store)));
  console.log("open, ms      ", await small(store));
  console.log("health        ", JSON.stringify(store.health()));
  await store.close();
  if (role !== "commits") await idle([100, 10_000, 100_000]);
}
