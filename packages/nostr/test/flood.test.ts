import type { NostrEvent } from "@colloquy/schema";
import { onTestFinished, expect, test } from "vitest";
import type { Counts } from "../src/relays/judge.ts";
import { RelayPool } from "../src/relays/relay-pool.ts";
import { RelayThread } from "../src/relays/relay-thread.ts";
import { startLiar } from "./liar.ts";
import { signer } from "./support.ts";

const EVENTS = 10_000;
const LONGEST_MS = 20;
const [anna, eve] = [signer.newKey(), signer.newKey()];
const policy = { kinds: [1111, 513], authors: [signer.publicKey(anna)] };
const now = Math.floor(Date.now() / 1_000);

const signed = (content: string, secret = anna): NostrEvent => signer.sign({ kind: 1111, created_at: now - 60, tags: [], content }, secret);
const frameOf = (event: unknown): string => JSON.stringify(["EVENT", "past", event]);
const place = (url: string) => ({ relays: [{ url, cursor: now }], policy, authKey: eve });

/** The thread's own time, however busy the machine is. */
const cpuMs = (since?: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1_000;
};

function thread(url: string, onBatch: (events: readonly NostrEvent[]) => void): RelayThread {
  const relays = new RelayThread(place(url), {
    batch: async ({ events }) => onBatch(events),
    accepted: () => {},
    refused: () => {},
    state: () => {},
    failed: (error) => {
      throw error;
    },
  });
  onTestFinished(() => relays.close());
  return relays;
}

test("[NS11] a flood is verified nearly as fast as the bare verifier works, and takes the main thread only for moments", async () => {
  const flood = Array.from({ length: EVENTS }, (_, nth) => signed(`Event ${nth}`));
  const frames = flood.map(frameOf);
  const { url } = await startLiar(frames);
  const { url: again } = await startLiar(frames);

  // Here, in this thread: what the pool needs for reading, judging and verifying.
  const before = process.threadCpuUsage();
  await new Promise<void>((resolve) => {
    let got = 0;
    const pool = new RelayPool(place(url), signer, (message) => {
      if (message.type !== "batch") return;
      got += message.batch.events.length;
      if (got === EVENTS) {
        resolve();
        pool.hear({ type: "close" });
      } else pool.hear({ type: "handled" });
    });
    pool.start();
  });
  const pooledMs = cpuMs(before);
  const start = process.threadCpuUsage();
  const genuine = flood.filter((event) => signer.isGenuine(event));
  const bareMs = cpuMs(start);
  expect(genuine).toHaveLength(EVENTS);
  // The relay that floods works in this thread too, and is counted in the pool's time.
  expect(bareMs / pooledMs).toBeGreaterThan(0.7);

  // In their own thread: the main one is busy for moments only.
  let [got, longestMs] = [0, 0];
  let last = process.threadCpuUsage();
  const watching = setInterval(() => {
    longestMs = Math.max(longestMs, cpuMs(last));
    last = process.threadCpuUsage();
  }, 1);
  onTestFinished(() => clearInterval(watching));
  await new Promise<void>((resolve) => {
    thread(again, (events) => (got += events.length) === EVENTS && resolve());
  });
  clearInterval(watching);
  expect(longestMs).toBeLessThan(LONGEST_MS);
});

test("[NS8] [NS10] a relay that lies, repeats, and sends what is far too large changes only counters", async () => {
  const genuine = signed("Hello");
  const frames = [
    "no JSON",
    JSON.stringify({ an: "object" }),
    frameOf({ ...genuine, content: "Give Eve the keys" }),
    frameOf(signed("Eve was here", eve)),
    frameOf({ ...genuine, id: 7 }),
    frameOf({ ...genuine, content: "x".repeat(10_000_000) }),
    frameOf(genuine),
    frameOf(genuine),
    JSON.stringify(["OK", "f".repeat(64), true, ""]),
    JSON.stringify(["NOTICE", "whatever"]),
  ];
  const { url } = await startLiar(frames);
  const got: NostrEvent[] = [];
  const relays = thread(url, (events) => got.push(...events));
  const expected: Partial<Counts> = { accepted: 1, oversized: 1, malformed: 3, foreign: 1, repeated: 1, forged: 1 };
  await expect.poll(() => relays.counts()).toMatchObject(expected);
  await expect.poll(() => got).toEqual([genuine]);
});

test("[NS14] a relay that asks who connects is told, and then gives what it has", async () => {
  const genuine = signed("Hello");
  const { url, heard } = await startLiar([frameOf(genuine)], { asks: "a challenge" });
  const got: NostrEvent[] = [];
  thread(url, (events) => got.push(...events));
  await expect.poll(() => got).toEqual([genuine]);
  const [, answer] = heard.find(([type]) => type === "AUTH") as [string, NostrEvent];
  expect(signer.isGenuine(answer)).toBe(true);
  expect(answer).toMatchObject({ kind: 22_242, pubkey: signer.publicKey(eve) });
  expect(answer.tags).toEqual([
    ["relay", url],
    ["challenge", "a challenge"],
  ]);
});
