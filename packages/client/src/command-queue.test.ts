import { Refused } from "@colloquy/schema";
import { expect, test } from "vitest";
import { type Command, CommandQueue, keptIn } from "./command-queue.ts";
import { Disconnected } from "./disconnected.ts";
import { FakeStorage } from "../test/fake-server.ts";

const command = (msgId: string, change: Partial<Command> = {}): Command => ({
  msgId,
  givenAt: Number(msgId.slice(1)),
  projectId: "shop",
  route: "send",
  params: { id: "d1" },
  body: { msgId },
  ...change,
});

/** Runs everything that waits for promises only. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A network controlled by the test: each request is answered or lost by hand. */
function hands() {
  const sent: { readonly msgId: string; readonly accept: (answer: unknown) => void; readonly fail: (error: Error) => void }[] = [];
  const timers: { readonly ms: number; readonly act: () => void; isOff: boolean }[] = [];
  return {
    sent,
    timers,
    msgIds: () => sent.map(({ msgId }) => msgId),
    options: {
      send: ({ msgId }: Command) => new Promise<unknown>((accept, fail) => sent.push({ msgId, accept, fail })),
      after: (ms: number, act: () => void) => {
        const timer = { ms, act, isOff: false };
        timers.push(timer);
        return () => void (timer.isOff = true);
      },
    },
    /** Ends the pause before the next attempt, and returns its length. */
    ring: () => {
      const timer = timers.findLast(({ isOff }) => !isOff);
      timer?.act();
      return timer?.ms;
    },
  };
}

test("[CL23] commands to one dialog wait for each other, and a stop and other dialogs do not", async () => {
  const { sent, msgIds, options } = hands();
  const queue = new CommandQueue(options);
  const first = queue.give(command("m1"));
  const second = queue.give(command("m2"));
  void queue.give(command("m3", { route: "stop" }));
  void queue.give(command("m4", { params: { id: "d2" } }));
  expect(msgIds()).toEqual(["m1", "m3", "m4"]);
  sent[0]?.accept({ seq: 1 });
  expect(await first).toEqual({ seq: 1 });
  expect(msgIds()).toEqual(["m1", "m3", "m4", "m2"]);
  sent[3]?.fail(new Refused({ code: "stopped", message: "The dialog is stopped." }));
  await expect(second).rejects.toMatchObject({ code: "stopped" });
});

test("[CL23] a command without an answer is sent again after growing pauses, and takes its lane with it", async () => {
  const { sent, msgIds, options, ring } = hands();
  const queue = new CommandQueue(options);
  const first = queue.give(command("m1"));
  const second = queue.give(command("m2"));
  const pauses = [];
  for (let nth = 0; nth < 6; nth++) {
    sent[nth]?.fail(nth === 1 ? new Refused({ code: "unavailable", message: "It is stopping." }) : new Disconnected("No answer."));
    await settle();
    expect(queue.unsent.getSnapshot()).toHaveLength(2);
    pauses.push(ring());
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  expect(msgIds()).toEqual(Array.from({ length: 7 }, () => "m1"));
  sent[6]?.accept("done");
  expect(await first).toBe("done");
  expect(queue.unsent.getSnapshot()).toEqual([]);
  sent[7]?.accept("done too");
  expect(await second).toBe("done too");
});

test("[CL23] a command sent again whose first attempt is answered late ends once", async () => {
  const { sent, msgIds, options } = hands();
  const queue = new CommandQueue(options);
  const first = queue.give(command("m1"));
  const second = queue.give(command("m2"));
  sent[0]?.fail(new Disconnected("No answer."));
  await settle();
  queue.retryNow();
  queue.retryNow();
  expect(msgIds()).toEqual(["m1", "m1", "m1"]);
  sent[2]?.accept("late");
  expect(await first).toBe("late");
  sent[1]?.fail(new Disconnected("No answer."));
  sent[3]?.accept("second");
  expect(await second).toBe("second");
  expect(queue.unsent.getSnapshot()).toEqual([]);
});

test("[CL24] the next page sends the last one's unanswered commands in order, and forgets them once answered", async () => {
  const storage = new FakeStorage();
  const before = hands();
  const old = new CommandQueue({ ...before.options, kept: keptIn(storage) });
  for (const msgId of ["m2", "m1", "m3"]) void old.give(command(msgId));
  before.sent[0]?.accept("done");
  await settle();
  storage.setItem("colloquy.unsent.broken", "{");
  storage.setItem("somebody.else", "1");

  const after = hands();
  const queue = new CommandQueue({ ...after.options, kept: keptIn(storage) });
  expect(after.msgIds()).toEqual(["m1"]);
  after.sent[0]?.accept("done");
  await settle();
  after.sent[1]?.fail(new Refused({ code: "stopped", message: "The dialog is stopped." }));
  await settle();
  expect(after.msgIds()).toEqual(["m1", "m3"]);
  expect(queue.unsent.getSnapshot()).toEqual([]);
  expect(keptIn(storage).all()).toEqual([]);
});

test("[CL24] a command is sent even if the browser's storage is full", async () => {
  const storage = new FakeStorage();
  storage.isFull = true;
  const { sent, options } = hands();
  const given = new CommandQueue({ ...options, kept: keptIn(storage) }).give(command("m1"));
  sent[0]?.accept("done");
  expect(await given).toBe("done");
});
