import { defineTool } from "@colloquy/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, say, type Telling, world, type World } from "@colloquy/testing/internals";
import { memoryBacking } from "@colloquy/store";
import { doom, latch, ledger, look, settle } from "../scenarios/tools.ts";

/** Messages and calls of every kind. Clients retry when they got no receipt. */
const telling: Telling = {
  lead: [
    { think: "first", say: "Let me look.", calls: [{ tool: "look" }, { tool: "note" }] },
    calls(["pay", { to: "anna" }], ["look", { at: "there" }], ["pay", { to: "ben" }]),
    say("Both are paid."),
    call("pay", { to: "carl" }),
    say("Carl too."),
  ],
};

async function story(w: World): Promise<readonly string[]> {
  const dialog = await w.project.dialogs.create({ content: "Pay Anna and Ben", msgId: "m1", by: "boss" });
  await w.project.takeUp(dialog.id);
  await dialog.result();
  await dialog.send({ content: "Carl as well", msgId: "m2", by: "boss" });
  await dialog.result();
  return w.story(dialog.id);
}

const toolsOf = (entries: string[], notes: string[]) => {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({ to: z.string() }),
    run: ({ to }) => (entries.push(to), `paid ${to}`),
  });
  const note = defineTool({
    name: "note",
    description: "Notes.",
    input: z.strictObject({}),
    repeatable: true,
    run: () => (notes.push("x"), "noted"),
  });
  return [pay, note, look];
};

const expected = [
  "boss: Pay Anna and Ben",
  "lead: Let me look.",
  "lead> look",
  "lead> note",
  "look> saw here",
  "note> noted",
  "lead> pay",
  "lead> look",
  "lead> pay",
  "look> saw there",
  "pay> paid anna",
  "pay> paid ben",
  "lead: Both are paid.",
  "boss: Carl as well",
  "lead> pay",
  "pay> paid carl",
  "lead: Carl too.",
];
const COMMITS = 16;

test("the story takes as many commits as the crash suite kills", async () => {
  const w = await world({ telling, tools: toolsOf([], []) });
  expect(await story(w)).toEqual(expected);
  expect(w.disk.pos).toBe(COMMITS);
});

describe.each(["before", "after"] as const)("killed %s a commit", (when) => {
  test.each(Array.from({ length: COMMITS }, (_, nth) => nth + 1))("[C1][C2] at commit %i the retold story ends the same", async (nth) => {
    const disk = memoryBacking();
    const paid: string[] = [];
    const notes: string[] = [];
    const { through, died } = doom({ nth, when });
    const doomed = await world({ telling, tools: toolsOf(paid, notes), disk, through });
    await Promise.race([story(doomed), died]);
    await settle(2);

    const restarted = await world({ telling, tools: toolsOf(paid, notes), disk });
    const told = await story(restarted);
    const unknown = /was interrupted by a crash/;
    // An interrupted payment says so and is not repeated; everything else is as if nothing had happened.
    expect(told.toSorted().map((line) => (unknown.test(line) ? "pay>" : line.replace(/^pay>.*/, "pay>")))).toEqual(
      expected.toSorted().map((line) => line.replace(/^pay>.*/, "pay>")),
    );
    expect(new Set(paid).size).toBe(paid.length);
    expect(told.filter((line) => unknown.test(line)).length).toBeLessThanOrEqual(1);
  });
});

test("[C3] an interrupted call that may not be repeated reports an unknown outcome", async () => {
  const { entries, pay } = ledger();
  const gate = latch();
  const hangs = defineTool({
    name: "pay",
    description: "",
    input: z.strictObject({ to: z.string() }),
    run: ({ to }) => (entries.push(to), gate.open(), new Promise(() => {})),
  });
  const w = await world({ telling: { lead: [call("pay", { to: "anna" }), say("I will ask.")] }, tools: [hangs] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await gate.opened;
  const again = await world({ telling: { lead: [call("pay", { to: "anna" }), say("I will ask.")] }, tools: [pay], disk: w.disk });
  expect(await again.project.dialogs.result(dialog.id)).toBe("I will ask.");
  expect(entries).toEqual(["anna"]);
  expect(again.requests[0]?.messages.at(-1)).toMatchObject({
    output: expect.stringMatching(/interrupted by a crash. Whether it took effect is unknown/),
  });
});

test("[C4] an interrupted repeatable call runs again", async () => {
  const gate = latch();
  let runs = 0;
  const twice = defineTool({
    name: "twice",
    description: "",
    input: z.strictObject({}),
    repeatable: true,
    run: () => (gate.open(), ++runs === 1 ? new Promise(() => {}) : "second time"),
  });
  const telling: Telling = { lead: [call("twice"), say("ok")] };
  const w = await world({ telling, tools: [twice] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await gate.opened;
  const again = await world({ telling, tools: [twice], disk: w.disk });
  expect(await again.project.dialogs.result(dialog.id)).toBe("ok");
  expect(runs).toBe(2);
});

test("[C5][C6] a step that crashes the process is tried three times, the last time alone, then stopped", async () => {
  const deadly = { lead: () => ({ hold: new Promise<void>(() => {}) }) };
  const first = await world({ telling: deadly });
  const dialog = await first.project.dialogs.create({ content: "go" });
  await settle();
  let w = first;
  for (let crash = 1; crash <= 3; crash++) {
    w = await world({ telling: deadly, disk: first.disk });
    await settle();
    expect(w.requests).toHaveLength(1);
  }
  w = await world({ telling: deadly, disk: first.disk });
  await settle();
  expect(w.requests).toHaveLength(0);
  expect((await w.project.dialogs.view(dialog.id)).stopped).toMatchObject({ code: "crashed_repeatedly" });
  const attempts = (await w.events(dialog.id)).filter((event) => event.type === "step.attempted");
  expect(attempts.map((event) => event.alone ?? false)).toEqual([false, false, true]);
});

test("[C7] a clean shutdown during a step doesn't count as an attempt", async () => {
  const w = await world({ telling: { lead: [{ hold: new Promise(() => {}) }] } });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  await w.project.close();
  const again = await world({ telling: { lead: [say("on we go")] }, disk: w.disk });
  expect(await again.project.dialogs.result(dialog.id)).toBe("on we go");
  expect((await again.events(dialog.id)).map((event) => event.type)).not.toContain("step.attempted");
});
