import { defineTool, type LiveEvent } from "@colloquy/runtime";
import { RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { z } from "zod";
import { call, calls, say, world } from "@colloquy/testing/internals";
import { latch, ledger, look, settle } from "./tools.ts";

test("[S1] a message is answered, with the calls it took", async () => {
  const { pay } = ledger();
  const w = await world({ telling: { lead: [call("pay", { to: "anna" }), say("Paid.")] }, tools: [pay] });
  const dialog = await w.project.dialogs.create({ content: "Pay Anna" });
  expect(await dialog.result()).toBe("Paid.");
  expect(await w.story(dialog.id)).toEqual(["owner: Pay Anna", "lead> pay", "pay> paid anna", "lead: Paid."]);
});

test("[S1] the next message opens the next turn, and the agent sees the whole conversation", async () => {
  const w = await world({ telling: { lead: [say("One."), say("Two.")] } });
  const dialog = await w.project.dialogs.create({ content: "First" });
  await dialog.result();
  await dialog.send("Second");
  expect(await dialog.result()).toBe("Two.");
  expect(w.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
});

test("[S2] the calls of a step are durable before the first of them runs", async () => {
  const seen: string[] = [];
  const spy = defineTool({
    name: "spy",
    description: "Looks into the log.",
    input: z.strictObject({}),
    run: async (_, { dialog }) => {
      const events = await w.events(RootId.parse(dialog.rootId));
      seen.push(...events.map((event) => event.type));
      return "ok";
    },
  });
  const w = await world({ telling: { lead: [call("spy"), say("done")] }, tools: [spy] });
  await (await w.project.dialogs.create({ content: "Look" })).result();
  expect(seen).toContain("step.ended");
  expect(seen).toContain("call.started");
});

test("[S3] a message for a busy agent is read at its next step, unchanged", async () => {
  const gate = latch();
  const w = await world({ telling: { lead: [{ hold: gate.opened, say: "First answer." }, say("And that too.")] } });
  const dialog = await w.project.dialogs.create({ content: "One" });
  await settle();
  await dialog.send("Two,  verbatim ");
  gate.open();
  expect(await dialog.result()).toBe("And that too.");
  expect(w.requests[1]?.messages.at(-1)).toEqual({ role: "user", text: "Two,  verbatim " });
  expect((await w.events(dialog.id)).filter((event) => event.type === "step.ended").map((event) => event.turn)).toEqual([2, 2]);
});

test("[S8] a message and its answer are two commits", async () => {
  const w = await world({ telling: { lead: [say("Hi.")] } });
  await (await w.project.dialogs.create({ content: "Hello" })).result();
  expect(w.disk.pos).toBe(2);
});

test("[S9] a slow dialog does not delay another", async () => {
  const gate = latch();
  const w = await world({
    telling: {
      lead: ({ messages }) =>
        messages[0]?.role === "user" && messages[0].text === "slow" ? { hold: gate.opened, say: "slow" } : say("quick"),
    },
  });
  const slow = await w.project.dialogs.create({ content: "slow" });
  const quick = await w.project.dialogs.create({ content: "quick" });
  expect(await quick.result()).toBe("quick");
  gate.open();
  expect(await slow.result()).toBe("slow");
});

test("[S9] one step at a time for an agent in a dialog, however often it is woken", async () => {
  let inFlight = 0;
  let most = 0;
  const count = defineTool({
    name: "count",
    description: "Counts.",
    input: z.strictObject({}),
    run: async () => {
      most = Math.max(most, ++inFlight);
      await settle(3);
      inFlight--;
      return `${Math.random()}`;
    },
  });
  const w = await world({ telling: { lead: [call("count"), call("count"), say("end"), say("end"), say("end")] }, tools: [count] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  for (const nth of [1, 2, 3]) {
    await dialog.send(`more ${nth}`);
    await settle(2);
  }
  await dialog.result();
  expect(most).toBe(1);
});

test("[S10] steps with one provider are limited, first come, first served", async () => {
  const gates = Array.from({ length: 20 }, latch);
  const w = await world({
    telling: {
      lead: ({ messages }) => ({
        hold: gates[Number(messages[0]?.role === "user" && messages[0].text)]?.opened ?? Promise.resolve(),
        say: "ok",
      }),
    },
  });
  const dialogs = await Promise.all(gates.map((_, nth) => w.project.dialogs.create({ content: `${nth}` })));
  await settle();
  expect(w.requests).toHaveLength(16);
  gates[3]?.open();
  await dialogs[3]?.result();
  await settle();
  expect(w.requests.map(({ messages }) => messages[0]?.role === "user" && messages[0].text)).toEqual(
    Array.from({ length: 17 }, (_, nth) => `${nth}`),
  );
  for (const gate of gates) gate.open();
  await Promise.all(dialogs.map((dialog) => dialog.result()));
});

test("[T1] calls that only read run side by side", async () => {
  const gate = latch();
  let waiting = 0;
  const slow = defineTool({
    name: "slow",
    description: "Waits for the other.",
    input: z.strictObject({ nth: z.number() }),
    reads: true,
    run: async ({ nth }) => {
      if (++waiting === 2) gate.open();
      await gate.opened;
      return `read ${nth}`;
    },
  });
  const w = await world({ telling: { lead: [calls(["slow", { nth: 1 }], ["slow", { nth: 2 }]), say("both")] }, tools: [slow] });
  expect(await (await w.project.dialogs.create({ content: "go" })).result()).toBe("both");
});

test("[T2] calls with effects run in the given order, also between readers", async () => {
  const { entries, pay } = ledger();
  const w = await world({
    telling: { lead: [calls(["pay", { to: "a" }], ["look", {}], ["pay", { to: "b" }], ["pay", { to: "c" }]), say("ok")] },
    tools: [pay, look],
  });
  await (await w.project.dialogs.create({ content: "go" })).result();
  expect(entries).toEqual(["a", "b", "c"]);
});

test("[T3][T4][T13] a call that can't run is reported to the model, and the rest run", async () => {
  const { entries, pay } = ledger();
  const telling = {
    lead: [
      {
        calls: [
          { tool: "pay", input: { whom: "x" } },
          { tool: "fly" },
          { tool: "pay", raw: '{"to": ' },
          { tool: "pay", input: { to: "b" } },
        ],
      },
      say("ok"),
    ],
  };
  const w = await world({ telling, tools: [pay] });
  await (await w.project.dialogs.create({ content: "go" })).result();
  expect(entries).toEqual(["b"]);
  const results = w.requests[1]?.messages.filter((message) => message.role === "result").map((message) => message.output) ?? [];
  expect(results[0]).toMatch(/pay was not run: invalid input.*to/s);
  expect(results[1]).toMatch(/^There is no tool "fly"\. You have: tellask, .*askHuman, .*, pay\.$/);
  expect(results[2]).toBe("pay was not run: its input is not valid JSON.");
  expect(results[3]).toBe("paid b");
});

test("[T5] the start of a non-repeatable call is recorded; that of a repeatable one isn't", async () => {
  const { pay } = ledger();
  const w = await world({ telling: { lead: [calls(["look", {}], ["pay", { to: "a" }]), say("ok")] }, tools: [pay, look] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  const types = (await w.events(dialog.id)).map((event) => event.type);
  expect(types.filter((type) => type === "call.started")).toHaveLength(1);
});

test("[T6] a long result is cut for the model and kept whole", async () => {
  const long = defineTool({
    name: "long",
    description: "Says much.",
    input: z.strictObject({}),
    reads: true,
    run: () => "x".repeat(100_000),
  });
  const w = await world({ telling: { lead: [call("long"), say("ok")] }, tools: [long] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  const ended = (await w.events(dialog.id)).find((event) => event.type === "call.ended");
  expect(ended?.output).toMatch(/cut here: 30000 of 100000 characters/);
  expect(ended?.blob?.bytes).toBe(100_000);
});

test("[T7] the model reads an error that a tool throws", async () => {
  const broken = defineTool({
    name: "broken",
    description: "Breaks.",
    input: z.strictObject({}),
    run: () => Promise.reject(new Error("no ink")),
  });
  const w = await world({ telling: { lead: [call("broken"), say("a pity")] }, tools: [broken] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("a pity");
  expect(w.requests[1]?.messages.at(-1)).toMatchObject({ role: "result", output: "no ink", failed: true });
});

test("[T7] the model reads an error that an input check throws", async () => {
  const clumsy = defineTool({
    name: "clumsy",
    description: "Stumbles.",
    input: z.strictObject({}).refine(() => {
      throw new Error("no floor");
    }),
    run: () => "never",
  });
  const w = await world({ telling: { lead: [call("clumsy"), say("a pity")] }, tools: [clumsy] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("a pity");
  expect(w.requests[1]?.messages.at(-1)).toMatchObject({ role: "result", output: expect.stringContaining("no floor"), failed: true });
});

const deaf = (begun: () => void) =>
  defineTool({
    name: "deaf",
    description: "Never ends, whatever it is told.",
    input: z.strictObject({}),
    timeoutMs: 20,
    run: () => {
      begun();
      return new Promise<string>(() => undefined);
    },
  });

test("[T8] a tool that ignores its timeout is abandoned", async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const w = await world({ telling: { lead: [call("deaf"), say("a pity")] }, tools: [deaf(resolve)] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await begun;
  w.clock.advance(20);
  await settle();
  w.clock.advance(3_000);
  expect(await dialog.result()).toBe("a pity");
  expect(w.requests[1]?.messages.at(-1)).toMatchObject({ role: "result", output: expect.stringMatching(/did not finish within 0.02 s/) });
});

test("[T8] a project closes even if its tools ignore the abort", async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const tools = [deaf(resolve)];
  const w = await world({ telling: { lead: [call("deaf"), say("a pity")] }, tools });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await begun;
  const closing = w.project.close();
  await settle();
  w.clock.advance(3_000);
  await settle();
  w.clock.advance(3_000);
  await closing;
  const after = await world({ telling: { lead: [call("deaf"), say("a pity")] }, tools, disk: w.disk });
  await after.project.dialogs.quiet(dialog.id);
  expect(after.requests[0]?.messages.at(-1)).toMatchObject({ role: "result", output: expect.stringMatching(/took effect is unknown/) });
});

test("[T8] a tool that takes too long is aborted", async () => {
  const begun = Promise.withResolvers<void>();
  const slow = defineTool({
    name: "slow",
    description: "Never ends.",
    input: z.strictObject({}),
    timeoutMs: 20,
    run: (_, { signal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    },
  });
  const w = await world({ telling: { lead: [call("slow"), say("a pity")] }, tools: [slow] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await begun.promise;
  w.clock.advance(20);
  await dialog.result();
  expect(w.requests[1]?.messages.at(-1)).toMatchObject({ role: "result", output: expect.stringMatching(/did not finish within 0.02 s/) });
});

test("[T10] a looping dialog is stopped and can be resumed", async () => {
  const w = await world({ telling: { lead: [call("look"), call("look"), call("look"), call("look"), say("enough")] }, tools: [look] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await expect(dialog.result()).rejects.toMatchObject({ code: "stopped", message: expect.stringMatching(/again and again/) });
  expect(w.requests[3]?.messages.at(-1)).toMatchObject({ role: "system", text: expect.stringMatching(/three times/) });
  await dialog.resume();
  expect(await dialog.result()).toBe("enough");
});

test("[W1][W3][W4] live segments carry their location, in order", async () => {
  const w = await world({ telling: { lead: [{ think: "hm", say: "Hello there" }] } });
  const live: LiveEvent[] = [];
  w.project.onLive((event) => live.push(event));
  const dialog = await w.project.dialogs.create({ content: "hi" });
  await dialog.result();
  expect(live.map((event) => event.type)).toEqual([
    "generating_start_evt",
    "thinking_start_evt",
    "thinking_chunk_evt",
    "thinking_finish_evt",
    "saying_start_evt",
    "saying_chunk_evt",
    "saying_chunk_evt",
    "saying_finish_evt",
    "generating_finish_evt",
  ]);
  expect(live[6]).toMatchObject({ offset: 6, text: "there", genseq: 1, course: 1, dialog: { rootId: dialog.id, selfId: dialog.id } });
});

test("[T10] repeatedly refused calls also stop it", async () => {
  const w = await world({ telling: { lead: [call("fly"), call("fly"), call("fly"), call("fly"), say("enough")] }, tools: [look] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await expect(dialog.result()).rejects.toMatchObject({ code: "stopped", message: expect.stringMatching(/again and again/) });
  expect(w.requests[3]?.messages.at(-1)).toMatchObject({ role: "system", text: expect.stringMatching(/three times/) });
  await dialog.resume();
  expect(await dialog.result()).toBe("enough");
});
