import { defineTool } from "@colloquy/runtime";
import { call, calls, say, type Telling, world } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { z } from "zod";
import { latch, settle } from "../scenarios/tools.ts";

const agents = [
  { id: "lead", name: "Lead", role: "You lead.", default: true },
  { id: "coder", name: "Coder", role: "You code." },
];
const askAnna = (more: object = {}) => call("askHuman", { tellaskContent: "Red or blue?", options: ["Red", "Blue"], ...more });
const TELLING: Telling = {
  lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Paint it" }), say("All done."), say("Two.")],
  coder: [askAnna({ deadline: "5m" }), say("Painted.")],
};

async function painted() {
  const w = await world({ telling: TELLING, agents });
  const dialog = await w.project.dialogs.create({ content: "Paint the door" });
  await w.project.dialogs.quiet(dialog.id);
  return { w, dialog };
}

test("[CA15] a deleted dialog leaves lists, inbox, search and store with everything in it, in one commit", async () => {
  const { w, dialog } = await painted();
  const other = await w.project.dialogs.create({ content: "Something else" });
  await w.project.dialogs.quiet(other.id);
  const find = async () => (await w.project.search("door", { whole: true })).hits.length;
  expect([w.project.questions.count(), await find()]).toEqual([2, 2]);
  const before = w.disk.pos;
  await dialog.delete({ by: "anna" });
  expect(w.disk.pos).toBe(before + 1);
  expect(w.project.dialogs.list().map(({ rootId }) => rootId)).toEqual([other.id]);
  const left = await w.project.questions.list({ all: true });
  expect([w.project.questions.count(), left.map((question) => question.dialog.rootId), await find()]).toEqual([1, [other.id], 0]);
  expect([...w.disk.streams.keys()].filter((stream) => stream === dialog.id)).toEqual([]);
  expect([...w.disk.blobs.keys()].filter((key) => key.startsWith(dialog.id))).toEqual([]);
  // Its deadline passes without it.
  w.clock.advance(10 * 60_000);
  await settle();
  expect(w.project.dialogs.list()).toHaveLength(1);
  await settle();
});

test("[CA15] work in a deleted dialog is aborted, and its late result is dropped", async () => {
  const [begun, gate] = [latch(), latch()];
  const slow = defineTool({
    name: "slow",
    description: "Takes long.",
    input: z.strictObject({}),
    run: async (_, { signal }) => {
      begun.open();
      await Promise.race([gate.opened, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      return "late";
    },
  });
  const lead = { id: "lead", name: "Lead", role: "You lead.", tools: [slow], default: true };
  const w = await world({ telling: { lead: [calls(["slow", {}]), say("Done.")] }, agents: [lead] });
  const dialog = await w.project.dialogs.create({ content: "Go" });
  await begun.opened;
  await dialog.delete();
  gate.open();
  await settle();
  expect(w.project.dialogs.list()).toEqual([]);
  expect([...w.disk.streams.keys()]).toEqual(["project"]);
});

test("[CA16] the same msgId deletes once, and a side dialog is refused", async () => {
  const { w, dialog } = await painted();
  const [side] = (await w.project.dialogs.tree(dialog.id)).children;
  await expect(w.project.dialogs.delete(side?.selfId ?? "")).rejects.toMatchObject({ code: "bad_request" });
  expect(w.project.dialogs.list()).toHaveLength(1);
  await w.project.dialogs.delete(dialog.id, { msgId: "once" });
  await w.project.dialogs.delete(dialog.id, { msgId: "once" });
  await expect(w.project.dialogs.delete(dialog.id, { msgId: "twice" })).rejects.toMatchObject({ code: "not_found" });
  await expect(w.project.dialogs.delete("f".repeat(32))).rejects.toMatchObject({ code: "not_found" });
  await expect(w.project.dialogs.create({ content: "Hello", msgId: "once" })).rejects.toMatchObject({ code: "msg_id_reused" });
  await settle();
});

test("[CA17] what names a deleted dialog is told so, its id is taken by no new one, and an import brings it back", async () => {
  const { w, dialog } = await painted();
  const file: Uint8Array[] = [];
  for await (const part of await w.project.dialogs.export(dialog.id)) file.push(part);
  const lines = async () => (await w.project.dialogs.events(dialog.id)).map((line) => JSON.stringify(line));
  const before = await lines();
  await dialog.delete({ by: "anna" });
  const told = { code: "not_found", message: expect.stringMatching(/was deleted on \d{4}-\d\d-\d\d by anna\./) as string };
  await expect(dialog.view()).rejects.toMatchObject(told);
  await expect(dialog.send("Hello")).rejects.toMatchObject(told);
  await expect(w.project.dialogs.delete(dialog.id)).rejects.toMatchObject(told);
  await expect(w.project.dialogs.create({ content: "New", id: dialog.id })).rejects.toMatchObject({ code: "exists_already" });
  const restarted = await world({ telling: TELLING, agents, disk: w.disk });
  await expect(restarted.project.dialogs.view(dialog.id)).rejects.toMatchObject(told);
  expect(
    await restarted.project.import(
      (async function* () {
        yield* file;
      })(),
    ),
  ).toEqual([{ from: dialog.id, rootId: dialog.id }]);
  const after = (await restarted.project.dialogs.events(dialog.id)).map((line) => JSON.stringify(line));
  expect(after.slice(0, -1)).toEqual(before);
  expect((await restarted.project.search("door", { whole: true })).hits).toHaveLength(2);
  await restarted.project.dialogs.delete(dialog.id);
  await settle();
});

test("[CA18] a dialog that cannot be read can be deleted", async () => {
  const { w, dialog } = await painted();
  const stream = w.disk.streams.get(dialog.id);
  for (const line of stream?.lines ?? []) Object.assign(line, { text: line.text.replace('"message.added"', '"message.unknown"') });
  stream?.bases.splice(0);
  const damaged = await world({ telling: TELLING, agents, disk: w.disk });
  await expect(damaged.project.dialogs.view(dialog.id)).rejects.toMatchObject({ code: "log_corrupt" });
  await damaged.project.dialogs.delete(dialog.id);
  expect([damaged.project.dialogs.list(), damaged.project.questions.count()]).toEqual([[], 0]);
  await settle();
});
