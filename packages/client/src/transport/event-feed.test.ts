import { expect, test } from "vitest";
import { EventFeed } from "./event-feed.ts";

/** Runs everything that does not wait for the clock. */
const settle = async () => {
  for (let nth = 0; nth < 10; nth += 1) await new Promise((go) => setImmediate(go));
};

test("[CL19] a silent stream is requested again after its last event", async () => {
  const timers = new Set<{ readonly ms: number; readonly act: () => void }>();
  const clock = {
    after: (ms: number, act: () => void) => {
      const timer = { ms, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    chance: () => 0,
    nowMs: () => 0,
  };
  const ring = (isDue: (ms: number) => boolean) => {
    for (const timer of timers) if (isDue(timer.ms) && timers.delete(timer)) timer.act();
  };
  const asked: (string | undefined)[] = [];
  const told: unknown[] = [];
  const feed = new EventFeed(
    async (last, signal) => {
      asked.push(last);
      return new Response(
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(Buffer.from('id: 7\nevent: recorded\ndata: {"seq":7}\n\n'));
            signal.addEventListener("abort", () => controller.error(signal.reason));
          },
        }),
      );
    },
    { packet: (packet) => told.push(packet), opened: () => undefined, lost: () => told.push("lost"), refused: () => undefined },
    clock,
  );
  await settle();
  expect([asked, told]).toEqual([[undefined], [{ seq: 7 }]]);
  ring((ms) => ms > 15_000); // longer than any server stays silent
  await settle();
  expect(told.at(-1)).toBe("lost");
  ring((ms) => ms < 15_000); // the pause before the next attempt
  await settle();
  expect(asked).toEqual([undefined, "7"]);
  feed.close();
  await settle();
  ring(() => true);
  expect(asked).toHaveLength(2);
});
