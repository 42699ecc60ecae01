import { Fault } from "@colloquy/schema";
import { expect, test } from "vitest";
import { call, calls, fail, say, type Told, world } from "@colloquy/testing/internals";
import { latch, look, settle } from "./tools.ts";

const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: [look], default: true }];
const held = (gate: { readonly opened: Promise<void> }, told: Told): Told => ({ hold: gate.opened, ...told });

test("[N19] a person's clear_mind happens between two steps: the reply in progress is completed", async () => {
  const gate = latch();
  const telling = {
    lead: ({ course }: { course: number }) => (course === 1 ? held(gate, call("look", { at: "the shelf" })) : say("Fresh.")),
  };
  const w = await world({ telling, agents });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  let isAccepted = false;
  const cleared = w.project.dialogs
    .clearMind(dialog.id, { by: "anna", reminder: "Shoes only" })
    .then((receipt) => ((isAccepted = true), receipt));
  await settle();
  expect(isAccepted).toBe(false);
  expect((await dialog.view()).course).toBe(1);
  gate.open();
  const { seq } = await cleared;
  expect(await dialog.result()).toBe("Fresh.");
  const events = await w.events(dialog.id);
  expect(events[seq - 1]).toMatchObject({ type: "course.started", by: "anna", course: 2 });
  expect(events.slice(2, seq).map((event) => event.type)).toEqual(["step.ended", "reminder.added", "course.started"]);
  expect(w.requests).toHaveLength(2);
});

test("[N19] it waits neither for tools nor for a pause between two attempts", async () => {
  const gate = latch();
  const busy = new Fault("model_overloaded", "later", "The provider is busy.");
  const slow = { ...look, run: async () => (await gate.opened, "at last") };
  const w = await world({
    telling: { lead: ({ course }) => (course === 1 ? call("look") : course === 2 ? fail(busy) : say("Fresh.")) },
    agents: [{ id: "lead", name: "Lead", role: "You lead.", tools: [slow], default: true }],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  await w.project.dialogs.clearMind(dialog.id);
  gate.open();
  await settle();
  expect(w.requests.map((request) => request.course)).toEqual([1, 2]);
  await w.project.dialogs.clearMind(dialog.id);
  w.clock.advance(60_000);
  expect(await dialog.result()).toBe("Fresh.");
});

test("[N19] repeating a msgId gives the same course; a refused one doesn't wait", async () => {
  const gate = latch();
  const w = await world({ telling: { lead: ({ course }) => (course === 1 ? say("One.") : held(gate, say("Two."))) }, agents });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  const receipt = await w.project.dialogs.clearMind(dialog.id, { msgId: "c1", reminder: "a" });
  await dialog.send("on");
  await settle();
  expect(await w.project.dialogs.clearMind(dialog.id, { msgId: "c1", reminder: "a" })).toEqual(receipt);
  expect(await dialog.view()).toMatchObject({ course: 2, reminders: [{ id: 1, content: "a" }] });
  gate.open();
  await dialog.result();
  await dialog.done();
  await expect(w.project.dialogs.clearMind(dialog.id)).rejects.toMatchObject({ code: "not_running" });
});

test("[N19] a stop lets it through", async () => {
  const gate = latch();
  const w = await world({ telling: { lead: ({ course }) => (course === 1 ? held(gate, say("One.")) : say("Fresh.")) }, agents });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  const cleared = w.project.dialogs.clearMind(dialog.id);
  await settle();
  await dialog.stop();
  await cleared;
  expect((await dialog.view()).course).toBe(2);
  await dialog.resume();
  expect(await dialog.result()).toBe("Fresh.");
});

test("[N31] two clear_mind in one step clear the mind once", async () => {
  const telling = {
    lead: ({ course }: { course: number }) =>
      course === 1 ? calls(["clear_mind", { reminder_content: "one" }], ["clear_mind", { reminder_content: "two" }]) : say("fresh"),
  };
  const w = await world({ telling });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("fresh");
  const events = await w.events(dialog.id);
  expect(events.filter(({ type }) => type === "course.started")).toHaveLength(1);
  expect(events.filter(({ type }) => type === "call.ended")).toHaveLength(2);
  expect((await dialog.view()).reminders.map(({ content }) => content)).toEqual(["one", "two"]);
});
