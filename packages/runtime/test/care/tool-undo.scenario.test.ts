import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, say, type World, world, type WorldOptions } from "@colloquy/testing/internals";
import { defineTool, OutcomeUnknown, type UndoneCall } from "@colloquy/runtime";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

/** A bank that outlives the process. */
function bank(undo?: (to: string, call: UndoneCall) => string | Promise<string>) {
  const paid: string[] = [];
  const undone: UndoneCall[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({ to: z.string() }),
    approval: true,
    run: ({ to }) => {
      paid.push(to);
      return `paid ${to}`;
    },
    undo: async ({ to }, made) => {
      undone.push(made);
      const said = (await undo?.(to, made)) ?? `refunded by ${to}`;
      paid.splice(paid.indexOf(to), 1);
      return said;
    },
  });
  return { paid, undone, pay };
}

async function start(tools: WorldOptions["tools"], more: Partial<WorldOptions> = {}) {
  const dir = mkdtempSync(join(tmpdir(), "tool-undo-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return world({ telling: { lead: [call("pay", { to: "ben" }), say("Done."), say("I see.")] }, ...(tools && { tools }), dir, ...more });
}

/** Pays Anna instead of Ben: a person changed the call. */
async function paid(w: World) {
  const dialog = await w.project.dialogs.create({ content: "go", by: "anna" });
  await w.project.dialogs.quiet(dialog.id);
  const [question] = await w.project.questions.list();
  await w.project.questions.approve(question?.id ?? ("" as never), { by: "anna", arguments: { to: "anna" } });
  await w.project.dialogs.quiet(dialog.id);
  return { dialog: dialog.id, id: question?.id as string };
}
const kinds = async (w: World, dialog: Parameters<World["events"]>[0]) =>
  (await w.events(dialog)).flatMap((event) => (event.type.startsWith("call.und") || event.type === "call.settled" ? [event] : []));

test("[EF10] a tool undoes its call with the input that ran; the ledger and the agent are told", async () => {
  const { pay, paid: money, undone } = bank();
  const w = await start([pay]);
  const { dialog, id } = await paid(w);
  expect((await w.project.effects.list({ whole: true })).items).toMatchObject([{ call: id, undoable: true }]);
  expect(await w.project.dialogs.undo(id.slice(-6), { by: "carl" })).toMatchObject({ call: id, paths: [], output: "refunded by anna" });
  expect(money).toEqual([]);
  expect(undone).toMatchObject([{ by: "carl", agent: "lead", undoes: { callId: id } }]);
  expect(undone[0]?.undoes.output).toContain("paid anna");
  expect(undone[0]?.callId).not.toBe(id);
  expect(await kinds(w, dialog)).toMatchObject([
    { type: "call.undo_asked", by: "carl" },
    { type: "call.undone", by: "carl", output: "refunded by anna" },
  ]);
  const [row] = (await w.project.effects.list()).items;
  expect(row).toMatchObject({ outcome: "done", undo: { by: "carl", state: "undone", receipt: "refunded by anna" } });
  expect(row?.undoable).toBeUndefined();
  await w.project.dialogs.send(dialog, { content: "Go on.", by: "anna" });
  await w.project.dialogs.quiet(dialog);
  expect(JSON.stringify(w.requests.at(-1)?.messages)).toContain("carl undid one of your calls of pay. The tool says: refunded by anna");
  await w.project.close();
});

test("[EF11] a call is undone once, and not in a copy", async () => {
  const { pay, undone } = bank();
  const w = await start([pay]);
  const { dialog, id } = await paid(w);
  const fork = await w.project.dialogs.fork(dialog);
  const copied = (await w.events(fork.id)).flatMap((event) => (event.type === "call.ended" ? [event.call] : []))[0] ?? "";
  await expect(w.project.dialogs.undo(copied)).rejects.toMatchObject({ code: "not_undoable" });
  const [one, other] = await Promise.all([w.project.dialogs.undo(id, { msgId: "m1" }), w.project.dialogs.undo(id, { msgId: "m1" })]);
  expect(one.seq).toBe(other.seq);
  await expect(w.project.dialogs.undo(id, { msgId: "m2" })).rejects.toThrow("already undone");
  expect(undone).toHaveLength(1);
  await w.project.close();
});

test("[EF11] an undo that fails has undone nothing, and may be tried again; a tool that is not there undoes nothing", async () => {
  let works = false;
  const { pay, paid: money } = bank(() => {
    if (!works) throw new Error("The bank is closed.");
    return "refunded";
  });
  const w = await start([pay]);
  const { id } = await paid(w);
  await expect(w.project.dialogs.undo(id)).rejects.toMatchObject({
    code: "not_undoable",
    message: expect.stringContaining("The bank is closed.") as string,
  });
  expect(money).toEqual(["anna"]);
  await w.project.close();
  const bare = await start(undefined, { disk: w.disk });
  await expect(bare.project.dialogs.undo(id)).rejects.toThrow("is not here");
  await bare.project.close();
  works = true;
  const again = await start([pay], { disk: w.disk });
  expect(await again.project.dialogs.undo(id)).toMatchObject({ output: "refunded" });
  expect(money).toEqual([]);
  await again.project.close();
});

test("[EF12] an undo whose end nobody knows is not run again, and waits until it is settled", async () => {
  const { pay, undone } = bank(() => {
    throw new OutcomeUnknown("The line was cut.");
  });
  const w = await start([pay]);
  const { dialog, id } = await paid(w);
  await expect(w.project.dialogs.undo(id, { by: "carl" })).rejects.toThrow("Nobody knows");
  expect(w.project.effects.unsettled()).toMatchObject([{ call: id, undo: true }]);
  await expect(w.project.dialogs.undo(id)).rejects.toThrow("colloquy effects settle");
  expect(undone).toHaveLength(1);
  expect((await w.project.effects.list({ outcome: "unknown", whole: true })).items).toMatchObject([
    { call: id, undo: { state: "unknown" } },
  ]);
  await w.project.effects.settle(id, "failed", { by: "anna" });
  expect(w.project.effects.unsettled()).toEqual([]);
  await expect(w.project.dialogs.undo(id)).rejects.toThrow("Nobody knows");
  await w.project.effects.settle(id, "done", { by: "anna" });
  await expect(w.project.dialogs.undo(id)).rejects.toThrow("already undone");
  expect((await kinds(w, dialog)).at(-1)).toMatchObject({ type: "call.settled", as: "done", undo: true });
  expect((await w.project.effects.list()).items).toMatchObject([{ outcome: "done", undo: { state: "undone" } }]);
  await w.project.close();
});
