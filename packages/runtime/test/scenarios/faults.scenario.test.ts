import type { LiveEvent } from "@colloquy/runtime";
import { Fault } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { expect, test } from "vitest";
import { fail, say, type Told, world } from "@colloquy/testing/internals";
import { settle } from "./tools.ts";

const busy = (retryAfterMs?: number) =>
  new Fault("model_overloaded", "later", "The provider is busy.", retryAfterMs === undefined ? {} : { retryAfterMs });

test("[F1] a passing fault is retried with exponential backoff", async () => {
  const w = await world({ telling: { lead: [fail(busy()), fail(busy()), fail(busy(90_000)), say("at last")] } });
  const pauses: number[] = [];
  w.project.onLive((event) => event.type === "retry_evt" && pauses.push(event.pauseMs));
  const dialog = await w.project.dialogs.create({ content: "go" });
  for (let nth = 0; nth < 3; nth++) {
    await settle();
    w.clock.advance(120_000);
  }
  expect(await dialog.result()).toBe("at last");
  expect(pauses).toEqual([750, 1500, 90_000]);
});

test("[F2] after the last attempt the dialog stops and reports the number of attempts", async () => {
  const w = await world({ telling: { lead: Array.from({ length: 9 }, (): Told => fail(busy())) } });
  const dialog = await w.project.dialogs.create({ content: "go" });
  for (let nth = 0; nth < 8; nth++) {
    await settle();
    w.clock.advance(120_000);
  }
  await expect(dialog.result()).rejects.toMatchObject({
    code: "stopped",
    message: expect.stringMatching(/busy\. Tried 8 times\..*colloquy resume/s),
  });
});

test("[F3] a permanent fault stops the dialog at once, and resuming retries", async () => {
  let isMended = false;
  const w = await world({
    telling: { lead: () => (isMended ? say("thanks") : fail(new Fault("model_wrong_key", "never", "The key was refused (401)."))) },
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await expect(dialog.result()).rejects.toMatchObject({
    message: expect.stringMatching(/refused \(401\)\.\s+Dialog .* is stopped; nothing was lost\./s),
  });
  expect((await dialog.view()).stopped?.code).toBe("wrong_key");
  expect(w.requests).toHaveLength(1);
  isMended = true;
  await dialog.resume();
  expect(await dialog.result()).toBe("thanks");
});

test("[F4][F6] a person's message ends the pause, and is shown at the next attempt", async () => {
  const w = await world({ telling: { lead: [fail(busy()), fail(busy()), say("both")] } });
  const attempts: number[] = [];
  w.project.onLive((event) => event.type === "retry_evt" && attempts.push(event.attempt));
  const dialog = await w.project.dialogs.create({ content: "one" });
  await settle();
  await dialog.send("two");
  await settle();
  expect(w.requests[1]?.messages).toHaveLength(2);
  expect(attempts).toEqual([1, 2]);
  w.clock.advance(60_000);
  expect(await dialog.result()).toBe("both");
});

test("[F5] another dialog with the same model also pauses", async () => {
  let fails = 1;
  const w = await world({ telling: { lead: () => (fails-- > 0 ? fail(busy(30_000)) : say("ok")) } });
  const first = await w.project.dialogs.create({ content: "one" });
  await settle();
  const second = await w.project.dialogs.create({ content: "two" });
  await settle();
  expect(w.requests).toHaveLength(1);
  w.clock.advance(30_000);
  await Promise.all([first.result(), second.result()]);
});

test("[W2] an out-of-order stream is reported, leaves nothing behind, and is retried", async () => {
  const overlap: Told = { chunks: [{ type: "thinking.started" }, { type: "thinking.chunk", text: "h" }, { type: "saying.started" }] };
  let nth = 0;
  const w = await world({ telling: { lead: () => (nth++ === 0 ? overlap : say("fine")) } });
  const live: LiveEvent[] = [];
  w.project.onLive((event) => live.push(event));
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  expect(live.find((event) => event.type === "stream_error_evt")).toMatchObject({ genseq: 1 });
  w.clock.advance(60_000);
  expect(await dialog.result()).toBe("fine");
  expect((await w.events(dialog.id)).filter((event) => event.type === "step.ended")).toMatchObject([{ gen: 2 }]);
});

test("[S12] a bug of ours stops that one dialog and says so", async () => {
  const w = await world({
    telling: {
      lead: ({ messages }) => {
        if (messages[0]?.role === "user" && messages[0].text === "bad") throw new TypeError("x is not a function");
        return say("fine");
      },
    },
  });
  const bad = await w.project.dialogs.create({ content: "bad" });
  const good = await w.project.dialogs.create({ content: "good" });
  expect(await good.result()).toBe("fine");
  await expect(bad.result()).rejects.toMatchObject({ message: expect.stringMatching(/wrong inside Colloquy: x is not a function/) });
  expect(w.reports[0]).toMatch(/x is not a function/);
});

test("[F9] a failed commit is reported to its caller, and to no concurrent reader", async () => {
  const full = new Fault("log_full", "later", "No room on the disk.");
  let isFull = false;
  const through = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        if (name === "commit" && isFull) return () => settle().then(() => Promise.reject(full));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });
  const w = await world({ telling: { lead: [say("hello")] }, through });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  const { seq } = await dialog.view();
  isFull = true;
  const sending = dialog.send("and more");
  const reading = dialog.view();
  await expect(sending).rejects.toMatchObject({ code: "log_full" });
  expect(await reading).toMatchObject({ seq });
});

test("[F10] commits made while a project closes reach the files for people", async () => {
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  const shown: (number | undefined)[] = [];
  const through = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        if (name === "project") return (_rootId: unknown, _files: unknown, seq?: number) => shown.push(seq);
        if (name === "commit" && isHeld)
          return (...args: Parameters<Store["commit"]>) => target.commit(...args).then((done) => held.promise.then(() => done));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });
  const w = await world({ telling: { lead: [say("hello")] }, through });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  isHeld = true;
  const renaming = w.project.dialogs.rename(dialog.id, "Late");
  await settle();
  const closing = w.project.close();
  await settle();
  held.resolve();
  const { seq } = await renaming;
  await closing;
  expect(shown.at(-1)).toBe(seq);
});

test("[W6] an interrupted generation ends live, its segment first", async () => {
  const begun = Promise.withResolvers<void>();
  const stream = async function* () {
    yield { type: "saying.started" as const };
    yield { type: "saying.chunk" as const, text: "I was about" };
    begun.resolve();
    await new Promise<never>(() => {});
  };
  const w = await world({ telling: { lead: [{ stream }] } });
  const live: string[] = [];
  w.project.onLive(({ type }) => live.push(type));
  const dialog = await w.project.dialogs.create({ content: "go" });
  await begun.promise;
  await dialog.stop();
  expect(live.slice(-2)).toEqual(["saying_finish_evt", "generating_finish_evt"]);
});
