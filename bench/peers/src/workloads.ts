import { median, percentile } from "../../src/bare.ts";
import { Guest } from "./guest.ts";
import type { Ground, Grounds } from "./grounds.ts";
import type { System } from "./systems.ts";

/** One system's results. A workload that could not be measured is absent. */
export interface Measured {
  /** Delegate, ask; a new process; answer, both finish: milliseconds, medians of both halves together. */
  wholeMs?: number;
  resumeMs?: number;
  perSecond?: number;
  resumeAtOnceP50?: number;
  resumeAtOnceP99?: number;
  turn10Ms?: number;
  turn100Ms?: number;
  /** The last turn within the time limit, and its duration. */
  lastTurn?: number;
  lastTurnMs?: number;
  bytes?: number;
  /** From the start of the new process to the last of 950 finished; and how long until it could answer. */
  crashSeconds?: number;
  crashReadySeconds?: number;
  notes: string[];
}

export interface Run {
  readonly grounds: Grounds;
  readonly systems: readonly System[];
  readonly results: Map<string, Measured>;
  /** 1: a full run. */
  readonly scale: number;
  say(text: string): void;
}

const WIDTH = 100;

interface Working {
  readonly system: System;
  readonly place: Ground;
  readonly measured: Measured;
  guest: Guest;
}

/** Starts each system in its own process and place. One that fails is reported and drops out of this workload. */
async function everybody(run: Run, workload: string): Promise<Working[]> {
  const working: Working[] = [];
  for (const system of run.systems) {
    const measured = run.results.get(system.id) ?? { notes: [] };
    run.results.set(system.id, measured);
    const place = await run.grounds.place(system, workload);
    if (typeof place === "string") {
      if (!measured.notes.includes(place)) measured.notes.push(place);
      continue;
    }
    const guest = await Guest.start(system.id);
    const one = { system, place, measured, guest };
    if (await attempt(run, workload, one, () => guest.tell({ do: "open", place }))) working.push(one);
  }
  return working;
}

async function attempt(run: Run, workload: string, one: Working, work: () => Promise<unknown>): Promise<boolean> {
  const { system, measured } = one;
  try {
    await work();
    return true;
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    run.say(`${system.name}: ${workload} failed: ${said}`);
    measured.notes.push(`${workload} failed: ${said.split("\n")[0]}`);
    await one.guest.kill();
    return false;
  }
}

/** For each remaining system in turn; those that fail drop out. */
async function inTurn(run: Run, workload: string, working: Working[], work: (one: Working) => Promise<void>): Promise<Working[]> {
  const left: Working[] = [];
  for (const one of working) {
    const startedAt = performance.now();
    if (await attempt(run, workload, one, () => work(one))) left.push(one);
    const seconds = (performance.now() - startedAt) / 1_000;
    if (seconds > 2) run.say(`  ${one.system.name}: ${seconds.toFixed(1)} s`);
  }
  return left;
}

const keys = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, nth) => `${prefix}${nth}`);

/** A lead asks a specialist, who asks a person; the process is killed; another one answers, and both finish. */
export async function delegateAskAnswer(run: Run): Promise<void> {
  const [blocks, rounds, warmMs] = [Math.ceil(8 * run.scale), 25, 3_000 * run.scale];
  let working = await everybody(run, "whole");
  working = await inTurn(run, "whole", working, async ({ guest }) => void (await guest.tell({ do: "warm", prefix: "w", ms: warmMs })));
  const asked = new Map<Working, { tickets: string[]; times: number[] }>();
  for (let block = 0; block < blocks; block++) {
    working = await inTurn(run, "whole", working, async (one) => {
      const { tickets = [], times = [] } = await one.guest.tell({ do: "ask", keys: keys(`b${block}r`, rounds), width: 1 });
      const all = asked.get(one) ?? { tickets: [], times: [] };
      asked.set(one, { tickets: [...all.tickets, ...tickets], times: [...all.times, ...times] });
    });
  }
  for (const one of working) await one.guest.kill();
  working = await inTurn(run, "whole", working, async (one) => {
    one.guest = await Guest.start(one.system.id);
    await one.guest.tell({ do: "open", place: one.place });
    await one.guest.tell({ do: "warm", prefix: "v", ms: warmMs });
  });
  const answered = new Map<Working, { times: number[]; resumes: number[] }>();
  for (let block = 0; block < blocks; block++) {
    working = await inTurn(run, "whole", working, async (one) => {
      const tickets = asked.get(one)?.tickets.slice(block * rounds, (block + 1) * rounds) ?? [];
      const { times = [], resumes = [] } = await one.guest.tell({ do: "answer", tickets, width: 1 });
      const all = answered.get(one) ?? { times: [], resumes: [] };
      answered.set(one, { times: [...all.times, ...times], resumes: [...all.resumes, ...resumes] });
    });
  }
  for (const one of working) {
    one.measured.wholeMs = median(asked.get(one)?.times ?? []) + median(answered.get(one)?.times ?? []);
    one.measured.resumeMs = median(answered.get(one)?.resumes ?? []);
    await one.guest.kill();
  }
}

/** The whole story, a hundred at a time, for some seconds. */
export async function manyAtOnce(run: Run): Promise<void> {
  const working = await everybody(run, "once");
  await inTurn(run, "once", working, async ({ guest, measured }) => {
    const { perSecond = 0, resumes = [] } = await guest.tell({
      do: "at-once",
      prefix: "o",
      width: WIDTH,
      warmMs: 4_000 * run.scale,
      ms: 5_000 * run.scale,
    });
    if (perSecond === 0) measured.notes.push("of 100 at once none came to its end in time");
    if (perSecond === 0) return guest.kill();
    measured.perSecond = perSecond;
    measured.resumeAtOnceP50 = median(resumes);
    measured.resumeAtOnceP99 = percentile(resumes, 0.99);
    return guest.kill();
  });
}

/** A dialog of a thousand turns, each with a call of a small tool. */
export async function longDialog(run: Run): Promise<void> {
  const [turns, block, budgetMs] = [1_000, 50, 25_000 * run.scale];
  let working = await everybody(run, "long");
  working = await inTurn(run, "long", working, async ({ guest }) => {
    await guest.tell({ do: "warm-turns", dialog: "warm", ms: 3_000 * run.scale });
  });
  await new Promise((resolve) => setTimeout(resolve, 3_000)); // background writes have finished by now
  const times = new Map<Working, number[]>();
  const before = new Map<Working, number>();
  for (const one of working) before.set(one, await run.grounds.bytes(one.place));
  for (let from = 1; from < turns; from += block) {
    working = await inTurn(run, "long", working, async (one) => {
      const all = times.get(one) ?? [];
      if (all.reduce((sum, ms) => sum + ms, 0) > budgetMs) return;
      const done = await one.guest.tell({ do: "turns", dialog: "long", from, to: from + block - 1 });
      times.set(one, [...all, ...(done.times ?? [])]);
    });
  }
  for (const one of working) {
    const all = times.get(one) ?? [];
    const around = (turn: number) => median(all.slice(Math.max(0, turn - 11), turn + 10));
    const { measured } = one;
    measured.turn10Ms = median(all.slice(4, 15));
    if (all.length >= 110) measured.turn100Ms = around(100);
    measured.lastTurn = all.length;
    measured.lastTurnMs = median(all.slice(-21));
    if (all.length < turns) measured.notes.push(`the long dialog was cut at turn ${all.length}, after ${Math.round(budgetMs / 1_000)} s`);
    await attempt(run, "long", one, () => one.guest.tell({ do: "close" }));
    measured.bytes = ((await run.grounds.bytes(one.place)) - (before.get(one) ?? 0)) * (turns / all.length);
    if (all.length < turns) delete measured.bytes;
    await one.guest.kill();
  }
}

/** A thousand wait for a person, fifty are answered, the process is killed; a new one answers the others. */
export async function crashWhileWaiting(run: Run): Promise<void> {
  const count = Math.max(100, Math.round(1_000 * run.scale));
  const working = await everybody(run, "crash");
  await inTurn(run, "crash", working, async (one) => {
    const { tickets = [] } = await one.guest.tell({ do: "ask", keys: keys("c", count), width: WIDTH });
    await one.guest.tell({ do: "answer", tickets: tickets.slice(0, count / 20), width: WIDTH });
    await one.guest.kill();
    const startedAt = performance.now();
    one.guest = await Guest.start(one.system.id);
    await one.guest.tell({ do: "open", place: one.place });
    const readyAt = performance.now();
    await one.guest.tell({ do: "answer", tickets: tickets.slice(count / 20), width: WIDTH });
    one.measured.crashSeconds = (performance.now() - startedAt) / 1_000;
    one.measured.crashReadySeconds = (readyAt - startedAt) / 1_000;
    await one.guest.kill();
  });
}
