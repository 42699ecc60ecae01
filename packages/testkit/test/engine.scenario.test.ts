import { defineTool } from "@colloquy/runtime";
import { Fault } from "@colloquy/schema";
import { expect, test } from "vitest";
import { z } from "zod";
import { call, say, world } from "../src/index.ts";
import { latch, settle } from "./tools.ts";

test("[W5] a listener that throws is reported and disturbs nobody", async () => {
  const w = await world({ telling: { lead: [say("Hello there")] } });
  const heard: string[] = [];
  w.project.onLive(() => {
    throw new Error("clumsy");
  });
  w.project.onLive((event) => heard.push(event.type));
  expect(await (await w.project.createDialog({ content: "hi" })).result()).toBe("Hello there");
  expect(heard).toContain("saying_chunk_evt");
  expect(w.reports[0]).toBe("a listener: clumsy");
});

test("[F7] when the store gives out, whoever waits is let go, and it is reported", async () => {
  let commits = 0;
  const w = await world({
    telling: { lead: [say("lost")] },
    through: (store) =>
      new Proxy(store, {
        get: (target, property, receiver) =>
          property === "commit"
            ? (...args: Parameters<typeof store.commit>) =>
                ++commits === 1
                  ? target.commit(...args)
                  : Promise.reject(new Fault("log_unavailable", "never", "The disk gave out. Start again."))
            : Reflect.get(target, property, receiver),
      }),
  });
  const dialog = await w.project.createDialog({ content: "hi" });
  await w.project.quiet(dialog.id);
  expect(w.reports[0]).toMatch(/The disk gave out/);
});

test("[S16] whatever moment others hand something in at, a model is shown only what is durable", async () => {
  for (let ticks = 0; ticks < 60; ticks += 1) {
    const gates = { three: latch(), four: latch() };
    let before: Promise<unknown> = Promise.resolve();
    const w = await world({
      telling: { lead: () => say("ok") },
      through: (store) => ({
        ...store,
        commit: (parts, at) => {
          const text = JSON.stringify(parts.map(({ events }) => events));
          const held = Object.entries(gates).flatMap(([word, gate]) => (text.includes(word) ? [gate.opened] : []));
          const committed = Promise.all([store.commit(parts, at), before, ...held]).then(([done]) => done);
          before = committed;
          return committed;
        },
      }),
    });
    const dialog = await w.project.createDialog({ content: "one" });
    await dialog.result();
    const shown = (word: string) => w.requests.some((request) => JSON.stringify(request.messages).includes(word));
    await dialog.send("two");
    for (let nth = 0; nth < ticks; nth += 1) await Promise.resolve();
    void dialog.send("three");
    void dialog.send("four");
    await settle(3);
    expect(shown("three")).toBe(false);
    gates.three.open();
    await settle(3);
    expect(shown("four"), `handed in after ${ticks} ticks`).toBe(false);
    gates.four.open();
    await settle(3);
    expect(shown("four")).toBe(true);
    await w.project.close();
  }
});

test("[F8] with a full disk what has happened is recorded as soon as there is room", async () => {
  let isFull = false;
  const w = await world({
    telling: { lead: [say("kept")] },
    through: (store) =>
      new Proxy(store, {
        get: (target, property, receiver) =>
          property === "commit"
            ? (...args: Parameters<typeof store.commit>) =>
                isFull ? Promise.reject(new Fault("log_full", "later", "No room on the disk.")) : target.commit(...args)
            : Reflect.get(target, property, receiver),
      }),
  });
  const dialog = await w.project.createDialog({ content: "hi" });
  isFull = true;
  await settle();
  await expect(dialog.send("more")).rejects.toMatchObject({ code: "log_full" });
  isFull = false;
  w.clock.advance(1_000);
  expect(await dialog.result()).toBe("kept");
  expect(w.requests).toHaveLength(1);
});

test("[D2] a msgId that made a dialog is not taken for a message", async () => {
  const w = await world({ telling: { lead: [say("ok")] } });
  const dialog = await w.project.createDialog({ content: "hi", msgId: "m1", by: "anna" });
  await expect(dialog.send({ content: "more", msgId: "m1", by: "anna" })).rejects.toMatchObject({ code: "msg_id_reused" });
});

test("[C5] a call that takes the process down counts as its step", async () => {
  const gate = latch();
  const deadly = defineTool({
    name: "deadly",
    description: "",
    input: z.strictObject({}),
    repeatable: true,
    run: () => (gate.open(), new Promise(() => {})),
  });
  const telling = { lead: [call("deadly"), say("?")] };
  let w = await world({ telling, tools: [deadly] });
  const dialog = await w.project.createDialog({ content: "hi" });
  await gate.opened;
  for (let crash = 1; crash <= 4; crash++) {
    w = await world({ telling, tools: [deadly], disk: w.disk });
    await settle();
  }
  expect((await w.project.view(dialog.id)).stopped).toMatchObject({ code: "crashed_repeatedly" });
});

test("[C10] a crash is not forgotten by a process that only looks", async () => {
  const telling = { lead: [{ hold: new Promise<void>(() => {}) }] };
  const w = await world({ telling });
  const dialog = await w.project.createDialog({ content: "hi" });
  await settle();
  const looker = await world({ telling, disk: w.disk, drive: "touched" });
  expect((await looker.project.view(dialog.id)).state).toBe("interrupted");
  await looker.project.close();
  const next = await world({ telling: { lead: [say("back")] }, disk: w.disk });
  expect(await next.project.result(dialog.id)).toBe("back");
  expect((await next.events(dialog.id)).map((event) => event.type)).toContain("step.attempted");
});
