import { defineTool } from "@colloquy/runtime";
import { call, calls, say, type Telling, world } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { z } from "zod";
import { latch, settle } from "../scenarios/tools.ts";

const agents = (tools: readonly ReturnType<typeof pay>[] = []) => [
  { id: "lead", name: "Lead", role: "You lead.", tools, default: true },
  { id: "coder", name: "Coder", role: "You code." },
];
const paid: string[] = [];
const pay = (hold?: Promise<unknown>) =>
  defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({ to: z.string() }),
    run: async ({ to }) => {
      paid.push(to);
      await hold;
      return "paid";
    },
  });
const askAnna = call("askHuman", { tellaskContent: "Red or blue?", options: ["Red", "Blue"] });
const asked: Telling = {
  lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Paint it" }), say("All done.")],
  coder: [askAnna, say("Painted.")],
};

async function painted() {
  const w = await world({ telling: asked, agents: agents() });
  const dialog = await w.project.dialogs.create({ content: "Paint the door" });
  await w.project.dialogs.quiet(dialog.id);
  return { w, dialog };
}

test("[CA1] [CA2] a fork has the past under new ids, is stopped, and works on when it is resumed", async () => {
  const { w, dialog } = await painted();
  const [question] = await w.project.questions.list();
  await w.project.questions.answer(question?.id ?? "", { choice: "Red" });
  expect(await dialog.result()).toBe("All done.");
  const before = await w.project.dialogs.events(dialog.id);
  const fork = await w.project.dialogs.fork(dialog.id, { at: question === undefined ? 1 : 6 });
  const past = await w.project.dialogs.events(fork.id);
  expect(past.slice(0, -1).map(({ seq, at }) => [seq, at])).toEqual(before.slice(0, past.length - 1).map(({ seq, at }) => [seq, at]));
  const ids = (lines: typeof past) => new Set(JSON.stringify(lines).match(/[0-9a-f]{32}/g));
  // Only the new events say where it comes from.
  const old = ids(before);
  expect([...ids(past.slice(0, -1))].filter((id) => old.has(id))).toEqual([]);
  expect(past.at(-1)?.events.map(({ type }) => type)).toEqual(["dialog.copied", "dialog.stopped", "dialog.stopped"]);
  expect(w.project.dialogs.entry(fork.id)).toMatchObject({ state: "stopped", hot: false, copied: { as: "fork", from: dialog.id, seq: 8 } });
  await w.project.dialogs.resume(fork.id);
  await w.project.dialogs.quiet(fork.id);
  const [again] = await w.project.questions.list();
  expect(again?.dialog.rootId).toBe(fork.id);
  await w.project.questions.answer(again?.id ?? "", { choice: "Blue" });
  expect(await fork.result()).toBe("All done.");
  expect(await w.project.dialogs.events(dialog.id)).toEqual(before);
});

test("[CA3] an open question is open in both, and each is answered for itself", async () => {
  const { w, dialog } = await painted();
  const fork = await w.project.dialogs.fork(dialog.id);
  const open = await w.project.questions.list();
  expect(open.map(({ dialog: { rootId } }) => rootId).toSorted()).toEqual([dialog.id, fork.id].toSorted());
  expect(new Set(open.map(({ id }) => id.slice(-6))).size).toBe(2);
  const theirs = open.find((one) => one.dialog.rootId === fork.id);
  await w.project.questions.answer(theirs?.id ?? "", { choice: "Blue" });
  expect((await w.project.questions.list()).map(({ dialog: { rootId } }) => rootId)).toEqual([dialog.id]);
  await w.project.dialogs.resume(fork.id);
  expect(await fork.result()).toBe("All done.");
});

test("[CA3] a call that was running has an unknown outcome in the fork", async () => {
  paid.length = 0;
  const gate = latch();
  const w = await world({ telling: { lead: [call("pay", { to: "Anna" }), say("Paid.")] }, agents: agents([pay(gate.opened)]) });
  const dialog = await w.project.dialogs.create({ content: "Pay Anna" });
  await expect.poll(() => paid).toEqual(["Anna"]);
  const fork = await w.project.dialogs.fork(dialog.id);
  gate.open();
  expect(await dialog.result()).toBe("Paid.");
  const ended = (await w.events(fork.id)).find((event) => event.type === "call.ended");
  expect(ended).toMatchObject({ outcome: "unknown", output: expect.stringContaining("forked while pay ran") as string });
  await w.project.dialogs.resume(fork.id);
  expect(await fork.result()).toBe("Paid.");
  expect(paid).toEqual(["Anna"]);
});

test("[CA3] an approval counts once: the fork does not run what was approved in the original", async () => {
  paid.length = 0;
  const telling = { lead: [call("pay", { to: "Anna" }), say("Paid.")] };
  const w = await world({ telling, agents: agents([{ ...pay(), approval: () => true }]) });
  const dialog = await w.project.dialogs.create({ content: "Pay Anna" });
  await w.project.dialogs.quiet(dialog.id);
  const [approval] = await w.project.questions.list();
  await w.project.questions.approve(approval?.id ?? "");
  expect(await dialog.result()).toBe("Paid.");
  const approved = (await w.project.dialogs.events(dialog.id)).find(({ events }) => events.some(({ type }) => type === "question.closed"));
  const fork = await w.project.dialogs.fork(dialog.id, { at: approved?.seq });
  await w.project.dialogs.resume(fork.id);
  await w.project.dialogs.quiet(fork.id);
  const ended = (await w.events(fork.id)).find((event) => event.type === "call.ended");
  expect(ended).toMatchObject({ outcome: "refused", output: expect.stringContaining("approved in the original") as string });
  expect(paid).toEqual(["Anna"]);
});

test("[CA4] what if it had been answered otherwise: the fork works on, and effects wait for approval", async () => {
  paid.length = 0;
  const telling = { lead: [askAnna, calls(["pay", { to: "Painter" }], ["look", {}]), say("Done.")] };
  const look = defineTool({ name: "look", description: "Looks.", input: z.strictObject({}), reads: true, run: () => "a door" });
  const w = await world({ telling, agents: [{ id: "lead", name: "Lead", role: "You lead.", tools: [pay(), look], default: true }] });
  const dialog = await w.project.dialogs.create({ content: "Paint" });
  await w.project.dialogs.quiet(dialog.id);
  const [question] = await w.project.questions.list();
  await w.project.questions.answer(question?.id ?? "", { choice: "Red" });
  expect(await dialog.result()).toBe("Done.");
  expect(paid).toEqual(["Painter"]);
  const fork = await w.project.dialogs.fork(dialog.id, { answer: { question: question?.id ?? "", choice: "Blue" }, by: "anna" });
  await w.project.dialogs.quiet(fork.id);
  const closed = (await w.events(fork.id)).find((event) => event.type === "question.closed");
  expect(closed).toMatchObject({ as: "answered", choice: ["Blue"], by: "anna" });
  const [approval] = await w.project.questions.list();
  expect(approval).toMatchObject({ kind: "approval", dialog: { rootId: fork.id } });
  expect(approval?.text).toContain("what-if");
  expect(paid).toEqual(["Painter"]);
  await w.project.questions.approve(approval?.id ?? "");
  expect(await fork.result()).toBe("Done.");
  expect(paid).toEqual(["Painter", "Painter"]);
});

test("[CA5] a fork has a Taskdoc of its own", async () => {
  const files = new Map<string, string>();
  const w = await world({ telling: { lead: [say("Hi.")] }, files });
  const dialog = await w.project.dialogs.create({ content: "Go", taskDocPath: "tasks/door.tsk/" });
  await w.project.dialogs.quiet(dialog.id);
  await w.project.dialogs.changeMind(dialog.id, "goals", "A red door.");
  const fork = await w.project.dialogs.fork(dialog.id);
  const { path, sections } = await w.project.dialogs.taskdoc(fork.id);
  expect(path).toBe(`tasks/door-${fork.id.slice(-6)}.tsk/`);
  expect(sections.goals?.text).toBe("A red door.");
  await w.project.dialogs.changeMind(fork.id, "goals", "A blue door.");
  expect((await w.project.dialogs.taskdoc(dialog.id)).sections.goals?.text).toBe("A red door.");
});

test("[CA6] the same msgId forks once; what is not there is refused, and nothing is made", async () => {
  const { w, dialog } = await painted();
  const [question] = await w.project.questions.list();
  const id = question?.id ?? "";
  const first = await w.project.dialogs.fork(dialog.id, { at: 4, msgId: "what-if" });
  expect((await w.project.dialogs.fork(dialog.id, { at: 4, msgId: "what-if" })).id).toBe(first.id);
  const made = w.project.dialogs.list().length;
  await expect(w.project.dialogs.fork(dialog.id, { at: 2, msgId: "what-if" })).rejects.toMatchObject({ code: "msg_id_reused" });
  for (const at of [0, 99, 1.5]) await expect(w.project.dialogs.fork(dialog.id, { at })).rejects.toMatchObject({ code: "bad_request" });
  const refused = (answer: object, at?: number) => w.project.dialogs.fork(dialog.id, { answer: { question: id, ...answer }, at });
  await expect(refused({ choice: "Green" })).rejects.toMatchObject({ code: expect.any(String) as string });
  await expect(refused({ choice: "Red" }, 2)).rejects.toMatchObject({ message: expect.stringContaining("not open then") as string });
  await expect(refused({ question: "f".repeat(32) })).rejects.toMatchObject({ code: "question_not_found" });
  const { rootId } = await w.project.questions.ask({ headline: "Deploy?", program: "release.sh" });
  await expect(w.project.dialogs.fork(rootId)).rejects.toMatchObject({ code: "bad_request" });
  expect(w.project.dialogs.list()).toHaveLength(made + 1);
  await settle();
});

test("[CA7] a fork's past is not counted again", async () => {
  const { w, dialog } = await painted();
  const before = await w.project.usage("agent");
  await w.project.dialogs.fork(dialog.id);
  expect((await w.project.usage("agent")).rows).toEqual(before.rows);
});
