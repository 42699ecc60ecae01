import { defineTool, memoryDocuments } from "@colloquy/runtime";
import { Fault } from "@colloquy/schema";
import { expect, test } from "vitest";
import { z } from "zod";
import { call, fail, say, world } from "@colloquy/testing/internals";
import { latch, look, settle } from "./tools.ts";

test("[W5] a listener that throws is reported and affects nobody", async () => {
  const w = await world({ telling: { lead: [say("Hello there")] } });
  const heard: string[] = [];
  w.project.onLive(() => {
    throw new Error("clumsy");
  });
  w.project.onLive((event) => heard.push(event.type));
  expect(await (await w.project.dialogs.create({ content: "hi" })).result()).toBe("Hello there");
  expect(heard).toContain("saying_chunk_evt");
  expect(w.reports[0]).toBe("a listener: clumsy");
});

test("[W6] a generation ends live, even if something fails after it", async () => {
  const documents = memoryDocuments();
  let isBroken = false;
  const w = await world({
    telling: { lead: () => ((isBroken = true), call("look")) },
    tools: [look],
    documents: {
      ...documents,
      has: (folder) => {
        if (isBroken) throw new Error("The documents are gone.");
        return documents.has(folder);
      },
    },
  });
  const live: string[] = [];
  w.project.onLive((event) => live.push(event.type));
  const dialog = await w.project.dialogs.create({ content: "hi" });
  await w.project.dialogs.quiet(dialog.id);
  expect(live).toEqual(["generating_start_evt", "generating_finish_evt"]);
  expect((await dialog.view()).state).toBe("stopped");
});

test("[F7] when the store fails, waiters are released, and the failure is reported", async () => {
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
  const dialog = await w.project.dialogs.create({ content: "hi" });
  await w.project.dialogs.quiet(dialog.id);
  expect(w.reports[0]).toMatch(/The disk gave out/);
});

test("[S16] a model is shown only durable events, whenever others commit", async () => {
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
    const dialog = await w.project.dialogs.create({ content: "one" });
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

test("[S16][N15] a summary is also made of durable events only, whenever others commit", async () => {
  for (let ticks = 0; ticks < 40; ticks += 1) {
    const gate = latch();
    let before: Promise<unknown> = Promise.resolve();
    const w = await world({
      telling: { lead: ({ step }) => ({ say: "ok", usage: { input: step === 1 ? 95_000 : 100, output: 10 } }) },
      through: (store) => ({
        ...store,
        commit: (parts, at) => {
          const held = JSON.stringify(parts.map(({ events }) => events)).includes("three") ? gate.opened : undefined;
          const committed = Promise.all([store.commit(parts, at), before, held]).then(([done]) => done);
          before = committed;
          return committed;
        },
      }),
    });
    const dialog = await w.project.dialogs.create({ content: "one" });
    await dialog.result();
    await dialog.send("two");
    for (let nth = 0; nth < ticks; nth += 1) await Promise.resolve();
    void dialog.send("three");
    await settle(3);
    expect(JSON.stringify(w.requests.map(({ messages }) => messages)), `handed in after ${ticks} ticks`).not.toContain("three");
    gate.open();
    await w.project.dialogs.quiet(dialog.id);
    expect(w.requests.some(({ step }) => step === 0)).toBe(true);
    await w.project.close();
  }
});

test("[V8] the agent is shown a message, whenever it arrives", async () => {
  for (let ticks = 0; ticks < 60; ticks += 1) {
    const before = await world({ telling: { lead: () => say("ok") } });
    const { id } = await before.project.dialogs.create({ content: "one" });
    await before.project.dialogs.quiet(id);
    await before.project.close();
    const w = await world({ telling: { lead: () => say("ok") }, disk: before.disk });
    const dialog = w.project.dialogs.get(id);
    const two = dialog.send("two");
    for (let nth = 0; nth < ticks; nth += 1) await Promise.resolve();
    await Promise.all([two, dialog.send("three")]);
    await w.project.dialogs.quiet(id);
    const shown = w.requests.at(-1)?.messages.flatMap((message) => (message.role === "user" ? [message.text] : []));
    expect(shown, `sent after ${ticks} ticks`).toEqual(["one", "two", "three"]);
    await w.project.close();
  }
});

test("[F12] a run that waits to retry continues, even if another commit had to be redone", async () => {
  let conflicts = 0;
  const w = await world({
    agents: [
      { id: "lead", name: "Lead", role: "You lead.", tools: [], default: true },
      { id: "coder", name: "Coder", role: "You code.", tools: [] },
    ],
    telling: {
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("There.")],
      coder: [fail(new Fault("model_overloaded", "later", "Busy.")), say("Written.")],
    },
    through: (store) => ({
      ...store,
      commit: (parts, at) => {
        const isRenaming = parts.some(({ events }) => events.some(({ type }) => type === "dialog.renamed"));
        if (isRenaming && ++conflicts === 1) return Promise.reject(new Fault("log_conflict", "now", "Another writer was first."));
        return store.commit(parts, at);
      },
    }),
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  await w.project.dialogs.rename(dialog.id, "Another name");
  await settle();
  w.clock.advance(60_000);
  expect(await dialog.result()).toBe("There.");
  expect([conflicts, w.reports]).toEqual([2, []]);
});

test("[F13] a durable message is read, even if there was no room for the stop after it", async () => {
  const gates = { message: latch(), stop: latch() };
  const w = await world({
    telling: { lead: () => say("ok") },
    through: (store) => ({
      ...store,
      commit: async (parts, at) => {
        const [event] = parts[0]?.events ?? [];
        if (event?.type === "dialog.stopped") {
          await gates.stop.opened;
          throw new Fault("log_full", "later", "No room on the disk.");
        }
        const committed = await store.commit(parts, at);
        if (event?.type === "message.added") await gates.message.opened;
        return committed;
      },
    }),
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  const sending = dialog.send("more");
  const stopping = dialog.stop().catch((error: unknown) => error);
  await settle();
  gates.message.open();
  await sending;
  gates.stop.open();
  expect(await stopping).toMatchObject({ code: "log_full" });
  await settle();
  w.clock.advance(1_000);
  await settle();
  expect(w.requests.map(({ messages }) => messages.at(-1))).toMatchObject([{ text: "go" }, { text: "more" }]);
});

test("[F12] work in flight can be stopped, even after a failed commit of the same tree", async () => {
  const begun = latch();
  let isFull = false;
  let wasAborted = false;
  const slow = defineTool({
    name: "slow",
    description: "Takes its time.",
    input: z.strictObject({}),
    run: (_, { signal }) => {
      begun.open();
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          wasAborted = true;
          reject(new Error("aborted"));
        }),
      );
    },
  });
  const w = await world({
    telling: { lead: [call("slow"), say("done")] },
    tools: [slow],
    through: (store) => ({
      ...store,
      commit: (...args) => (isFull ? Promise.reject(new Fault("log_full", "later", "No room on the disk.")) : store.commit(...args)),
    }),
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await begun.opened;
  isFull = true;
  await expect(dialog.send("more")).rejects.toMatchObject({ code: "log_full" });
  isFull = false;
  await dialog.stop();
  expect(wasAborted).toBe(true);
  expect((await w.story(dialog.id)).at(-1)).toMatch(/^slow> slow was stopped/);
});

test.each(["stop", "interrupt"] as const)("[T15] a repeatable call is not begun after a %s either", async (how) => {
  const [checking, checked] = [latch(), latch()];
  let runs = 0;
  let isStepOver = false;
  const write = defineTool({
    name: "write",
    description: "Writes.",
    repeatable: true,
    input: z.strictObject({}).refine(async () => {
      if (!isStepOver) return true;
      checking.open();
      await checked.opened;
      return true;
    }),
    run: () => `written ${++runs}`,
  });
  const w = await world({
    telling: { lead: [call("write"), say("done")] },
    tools: [write],
    through: (store) => ({
      ...store,
      commit: (parts, at) => {
        isStepOver ||= parts.some(({ events }) => events.some(({ type }) => type === "step.ended"));
        return store.commit(parts, at);
      },
    }),
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await checking.opened;
  const doing = how === "stop" ? dialog.stop() : dialog.send({ content: "wait", interrupt: true });
  await settle();
  checked.open();
  await doing;
  await settle();
  expect(runs).toBe(0);
  if (how === "stop") await dialog.resume();
  expect(await dialog.result()).toBe("done");
  expect(runs).toBe(how === "stop" ? 1 : 0);
});

test("[F8] on a full disk, finished work is recorded as soon as there is room", async () => {
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
  const dialog = await w.project.dialogs.create({ content: "hi" });
  isFull = true;
  await settle();
  await expect(dialog.send("more")).rejects.toMatchObject({ code: "log_full" });
  isFull = false;
  w.clock.advance(1_000);
  expect(await dialog.result()).toBe("kept");
  expect(w.requests).toHaveLength(1);
});

test("[D2] a msgId that created a dialog is not accepted for a message", async () => {
  const w = await world({ telling: { lead: [say("ok")] } });
  const dialog = await w.project.dialogs.create({ content: "hi", msgId: "m1", by: "anna" });
  await expect(dialog.send({ content: "more", msgId: "m1", by: "anna" })).rejects.toMatchObject({ code: "msg_id_reused" });
});

test("[D17] a dialog has the id that its sender chose, and no other dialog can take it", async () => {
  const w = await world({ telling: { lead: () => say("ok") } });
  const id = "0199a1b2c3d4".padEnd(32, "7");
  const chosen = { content: "hi", id, by: "anna", msgId: "m1" };
  expect((await w.project.dialogs.create(chosen)).id).toBe(id);
  expect((await w.project.dialogs.create(chosen)).id).toBe(id);
  await expect(w.project.dialogs.create({ content: "other", id })).rejects.toMatchObject({ code: "exists_already" });
  await expect(w.project.dialogs.create({ content: "other", id: "mine" })).rejects.toMatchObject({ code: "bad_request" });
  expect(w.project.dialogs.list()).toHaveLength(1);
});

test("[C5] a call that crashes the process counts as its step", async () => {
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
  const dialog = await w.project.dialogs.create({ content: "hi" });
  await gate.opened;
  for (let crash = 1; crash <= 4; crash++) {
    w = await world({ telling, tools: [deadly], disk: w.disk });
    await settle();
  }
  expect((await w.project.dialogs.view(dialog.id)).stopped).toMatchObject({ code: "crashed_repeatedly" });
});

test("[C10] a process that only reads doesn't forget a crash", async () => {
  const telling = { lead: [{ hold: new Promise<void>(() => {}) }] };
  const w = await world({ telling });
  const dialog = await w.project.dialogs.create({ content: "hi" });
  await settle();
  const looker = await world({ telling, disk: w.disk, drive: "touched" });
  expect((await looker.project.dialogs.view(dialog.id)).state).toBe("interrupted");
  await looker.project.close();
  const next = await world({ telling: { lead: [say("back")] }, disk: w.disk });
  expect(await next.project.dialogs.result(dialog.id)).toBe("back");
  expect((await next.events(dialog.id)).map((event) => event.type)).toContain("step.attempted");
});
