// Runs a system in a separate process that takes orders from its parent. The argument is the system's id.
import type { Peer, Place } from "./peer.ts";
import { systems } from "./systems.ts";

export type Told =
  | { readonly do: "open"; readonly place: Omit<Place, "resumed"> }
  | { readonly do: "warm"; readonly prefix: string; readonly ms: number }
  | { readonly do: "warm-turns"; readonly dialog: string; readonly ms: number }
  | { readonly do: "ask"; readonly keys: readonly string[]; readonly width: number }
  | { readonly do: "answer"; readonly tickets: readonly string[]; readonly width: number }
  | { readonly do: "at-once"; readonly prefix: string; readonly width: number; readonly warmMs: number; readonly ms: number }
  | { readonly do: "turns"; readonly dialog: string; readonly from: number; readonly to: number }
  | { readonly do: "close" };

export interface Done {
  /** The data needed to answer, in the order of the keys. */
  readonly tickets: readonly string[];
  /** Milliseconds of each. */
  readonly times: readonly number[];
  /** Milliseconds from the answer to the moment at which the specialist's model was called. */
  readonly resumes: readonly number[];
  readonly perSecond: number;
}

const system = systems.find(({ id }) => id === process.argv[2]);
if (!system) throw new Error(`There is no system "${process.argv[2]}".`);
const open = await system.load();
const resumedAt = new Map<string, number>();
let peer: Peer;

/** Up to this many at a time; the next begins when one is done. */
async function each<T>(items: readonly T[], width: number, work: (item: T, nth: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let nth = next++; nth < items.length; nth = next++) await work(items[nth] as T, nth);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

async function answered(ticket: string): Promise<{ readonly ms: number; readonly resumeMs: number }> {
  const startedAt = performance.now();
  resumedAt.clear();
  await peer.answer(ticket);
  const [at = Number.NaN] = resumedAt.values();
  return { ms: performance.now() - startedAt, resumeMs: at - startedAt };
}

async function carryOut(told: Told): Promise<Partial<Done>> {
  switch (told.do) {
    case "open":
      peer = await open({ ...told.place, resumed: (key) => void resumedAt.set(key, performance.now()) });
      return {};
    case "warm": {
      for (let nth = 0, until = performance.now() + told.ms; performance.now() < until; nth++)
        await peer.answer(await peer.ask(`${told.prefix}${nth}`));
      return {};
    }
    case "warm-turns": {
      for (let nth = 1, until = performance.now() + told.ms; performance.now() < until; nth++) await peer.turn(told.dialog, nth);
      return {};
    }
    case "ask": {
      const [tickets, times]: [string[], number[]] = [[], []];
      await each(told.keys, told.width, async (key, nth) => {
        const startedAt = performance.now();
        tickets[nth] = await peer.ask(key);
        times[nth] = performance.now() - startedAt;
      });
      return { tickets, times };
    }
    case "answer": {
      const [times, resumes]: [number[], number[]] = [[], []];
      if (told.width > 1) {
        await each(told.tickets, told.width, (ticket) => peer.answer(ticket));
        return {};
      }
      for (const ticket of told.tickets) {
        const { ms, resumeMs } = await answered(ticket);
        times.push(ms);
        resumes.push(resumeMs);
      }
      return { times, resumes };
    }
    case "at-once": {
      const countFrom = performance.now() + told.warmMs;
      const isOpen = () => {
        const ms = performance.now() - countFrom;
        // Slow systems get more time, so that each of the hundred finishes at least once.
        return ms < told.ms || (count < told.width && ms < 4 * told.ms);
      };
      let count = 0;
      let lastAt = countFrom;
      const resumes: number[] = [];
      await Promise.all(
        Array.from({ length: told.width }, async (_, worker) => {
          for (let nth = 0; isOpen(); nth++) {
            const key = `${told.prefix}${worker}x${nth}`;
            const ticket = await peer.ask(key);
            const answeredAt = performance.now();
            await peer.answer(ticket);
            const at = resumedAt.get(key);
            resumedAt.delete(key);
            if (performance.now() < countFrom || !isOpen()) continue;
            count++;
            lastAt = performance.now();
            if (at !== undefined) resumes.push(at - answeredAt);
          }
        }),
      );
      return { perSecond: (count / Math.max(told.ms, lastAt - countFrom)) * 1_000, resumes };
    }
    case "turns": {
      const times: number[] = [];
      for (let nth = told.from; nth <= told.to; nth++) {
        const startedAt = performance.now();
        await peer.turn(told.dialog, nth);
        times.push(performance.now() - startedAt);
      }
      return { times };
    }
    case "close":
      await peer.close();
      return {};
  }
}

process.on("message", (told: Told) => {
  carryOut(told).then(
    (done) => process.send?.({ done }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit(0)); // the parent is gone
process.send?.({ done: {} });
