import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EffectQuery } from "@colloquy/library";
import { call, say, type Told, type World, world, type WorldOptions } from "@colloquy/testing/internals";
import { defineTool, OutcomeUnknown } from "@colloquy/runtime";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.strictObject({ to: z.string() }),
  run: ({ to }) => {
    if (to === "ben") throw new OutcomeUnknown("The line was cut.");
    if (to === "eve") throw new Error("Eve takes no money.");
    return `paid ${to}`;
  },
});
const look = defineTool({ name: "look", description: "Looks.", input: z.strictObject({}), reads: true, run: () => "seen" });
const paying = (to: string): Told => call("pay", { to });

const worlds = new Set<World>();
afterEach(async () => {
  for (const { project } of worlds) await project.close();
  worlds.clear();
});

/** The process ends. */
async function end(w: World): Promise<void> {
  worlds.delete(w);
  await w.project.close();
}

async function start(lead: readonly Told[], more: Partial<WorldOptions> = {}) {
  const dir = mkdtempSync(join(tmpdir(), "effects-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const w = await world({ telling: { lead: [...lead] }, tools: [pay, look], dir, ...more });
  worlds.add(w);
  return w;
}
const told = async (w: World, agent = "lead") => {
  const dialog = await w.project.dialogs.create({ content: "go", agent, by: "anna" });
  await w.project.dialogs.quiet(dialog.id);
  return dialog.id;
};
const rows = async (w: World, query: EffectQuery = {}) =>
  (await w.project.effects.list({ whole: true, ...query })).items.map(({ tool, what, outcome }) => `${tool} ${what} ${outcome}`);
const THREE = [call("look", {}), paying("anna"), paying("eve"), paying("ben"), say("Done.")];

test("[EF1][EF2] the ledger lists what had an effect, newest first; since, outcome, dialog and pages narrow it", async () => {
  const agents = ["lead", "clerk"].map((id) => ({ id, name: id, role: "You pay.", tools: [pay, look], default: id === "lead" }));
  const w = await start([], { agents, telling: { lead: THREE, clerk: [paying("carl"), say("Done.")] } });
  const first = await told(w);
  w.clock.advance(60_000);
  const later = w.clock.now();
  const second = await told(w, "clerk");
  const all = ['pay {"to":"carl"} done', 'pay {"to":"ben"} unknown', 'pay {"to":"eve"} failed', 'pay {"to":"anna"} done'];
  expect((await rows(w)).toSorted()).toEqual(all.toSorted());
  expect((await rows(w))[0]).toBe(all[0]);
  expect(await rows(w, { dialog: second })).toEqual(all.slice(0, 1));
  expect(await rows(w, { dialog: first, outcome: "failed" })).toEqual([all[2]]);
  expect(await rows(w, { since: new Date(later).toISOString() })).toEqual(all.slice(0, 1));
  const paged: string[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await w.project.effects.list({ limit: 1, after, whole: true });
    paged.push(...items.map(({ what }) => what));
    if (next === undefined) break;
    after = next;
  }
  expect(paged).toHaveLength(4);
  expect(new Set(paged).size).toBe(4);
  await expect(rows(w, { since: "soon" })).rejects.toThrow("is no time");
  await expect(rows(w, { dialog: "0".repeat(32) })).rejects.toThrow("There is no dialog");
});

test("[EF2] in another process, or without its index, the ledger is the same", async () => {
  const w = await start(THREE);
  await told(w);
  const before = await rows(w);
  expect(before).toHaveLength(3);
  await end(w);
  const again = await start([], { disk: w.disk });
  expect(await rows(again)).toEqual(before);
});

test("[EF3] a fork's ledger begins with the fork; a call that was pending at the cut is its own", async () => {
  const asking = defineTool({ ...definition, name: "send", approval: true });
  const w = await start([paying("anna"), paying("ben"), call("send", { to: "carl" }), say("Sent."), say("Sent again.")], {
    tools: [pay, asking],
  });
  const original = await told(w);
  expect(await rows(w)).toHaveLength(2);
  const fork = await w.project.dialogs.fork(original);
  expect(await rows(w, { dialog: fork.id })).toEqual([]);
  expect(w.project.effects.unsettled()).toMatchObject([{ rootId: original, tool: "pay" }]);
  await w.project.dialogs.resume(fork.id, { by: "anna" });
  const question = (await w.project.questions.list()).find(({ dialog }) => dialog.rootId === fork.id);
  await w.project.questions.approve(question?.id ?? ("" as never), { by: "anna" });
  await w.project.dialogs.quiet(fork.id);
  expect(await rows(w, { dialog: fork.id })).toEqual(['send {"to":"carl"} done']);
  expect((await w.project.effects.list({ dialog: fork.id })).items).toMatchObject([{ approved: { by: "anna" }, receipt: "sent" }]);
});

const definition = { description: "Sends.", input: z.strictObject({ to: z.string() }), run: () => "sent" } as const;

test("[EF4][EF5] an unknown outcome waits until it is settled, through a stop and a restart, and the agent is told", async () => {
  const w = await start([paying("ben"), say("I do not know."), say("I see.")]);
  const dialog = await told(w);
  expect(w.project.effects.unsettled()).toMatchObject([{ rootId: dialog, dialog, agent: "lead", tool: "pay" }]);
  expect(w.project.dialogs.entry(dialog)?.state).toBe("idle");
  await w.project.dialogs.done(dialog, { by: "anna" });
  await end(w);
  const again = await start([say("I see.")], { disk: w.disk });
  const [open] = again.project.effects.unsettled();
  expect(open?.rootId).toBe(dialog);
  await again.project.effects.settle(open?.call ?? "", "done", { by: "anna", note: "The bank has it." });
  expect(again.project.effects.unsettled()).toEqual([]);
  expect((await again.project.effects.list({ whole: true })).items).toMatchObject([
    { outcome: "done", settled: { by: "anna", as: "done", note: "The bank has it." } },
  ]);
  await again.project.dialogs.send(dialog, { content: "Go on.", by: "anna" });
  await again.project.dialogs.quiet(dialog);
  expect(JSON.stringify(again.requests.at(-1)?.messages)).toContain(
    "anna found out how your interrupted call of pay ended: it took effect. Note: The bank has it.",
  );
});

test("[EF6] a call is settled once; others are refused and change nothing", async () => {
  const w = await start([paying("anna"), paying("ben"), say("Done.")]);
  const dialog = await told(w);
  const [open] = w.project.effects.unsettled();
  const call = open?.call ?? "";
  const first = await w.project.effects.settle(call.slice(-6), "failed", { by: "anna", msgId: "m1" });
  expect(await w.project.effects.settle(call, "failed", { by: "anna", msgId: "m1" })).toEqual(first);
  await expect(w.project.effects.settle(call, "done", { by: "ben" })).rejects.toMatchObject({ code: "call_not_open" });
  const paid = (await w.events(dialog)).flatMap((event) => (event.type === "call.ended" ? [event.call] : []))[0] ?? "";
  await expect(w.project.effects.settle(paid, "failed")).rejects.toThrow("There is nothing to settle");
  await expect(w.project.effects.settle("ffffff", "done")).rejects.toThrow("There is no call ffffff");
  expect((await w.events(dialog)).filter(({ type }) => type === "call.settled")).toHaveLength(1);
});
