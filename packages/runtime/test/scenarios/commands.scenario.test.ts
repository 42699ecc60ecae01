import { defineTool } from "@colloquy/runtime";
import { DialogId, RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { z } from "zod";
import { call, say, type Told, world } from "@colloquy/testing/internals";
import { latch, ledger, look, settle } from "./tools.ts";

const endless = (): Told => ({ hold: new Promise(() => {}) });

test("[D1] creating a dialog twice with one msgId gives one dialog, even concurrently", async () => {
  const w = await world({ telling: { lead: [say("Hi.")] } });
  const [one, two] = await Promise.all([
    w.project.dialogs.create({ content: "Hello", msgId: "m1" }),
    w.project.dialogs.create({ content: "Hello", msgId: "m1" }),
  ]);
  expect(two?.id).toBe(one?.id);
  await one?.result();
  expect(w.project.dialogs.list()).toHaveLength(1);
  await expect(w.project.dialogs.create({ content: "Other", msgId: "m1" })).rejects.toMatchObject({ code: "msg_id_reused" });
});

test("[D2] [D16] a msgId is remembered per tree, for all of its dialogs; another tree treats it as a new command", async () => {
  const w = await world({
    agents: ["lead", "coder"].map((id) => ({ id, role: `You are ${id}.` })),
    telling: {
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Look." })],
      coder: [endless()],
    },
  });
  const one = await w.project.dialogs.create({ content: "First" });
  const two = await w.project.dialogs.create({ content: "Second" });
  await settle();
  const [side] = (await w.project.dialogs.tree(one.id)).children;
  const place = { rootId: one.id, selfId: DialogId.parse(side?.selfId) };
  const message = { content: "More", msgId: "m1" };
  const receipt = await one.send(message);
  expect(await one.send(message)).toEqual(receipt);
  await expect(w.project.dialogs.send(place, message)).rejects.toMatchObject({ code: "msg_id_reused" });
  await expect(one.send({ ...message, content: "Other" })).rejects.toMatchObject({ code: "msg_id_reused" });
  await two.send(message);
  await two.send(message);
  const heard = async (id: RootId) => (await w.story(id)).filter((line) => line.includes("More")).length;
  expect([await heard(one.id), await heard(two.id)]).toEqual([1, 1]);
});

test("[D1] and after a restart", async () => {
  const w = await world({ telling: { lead: [say("Hi.")] } });
  const one = await w.project.dialogs.create({ content: "Hello", msgId: "m1" });
  await one.result();
  await w.project.close();
  const again = await world({ telling: {}, disk: w.disk });
  expect((await again.project.dialogs.create({ content: "Hello", msgId: "m1" })).id).toBe(one.id);
});

test("[D6] stopping aborts the step; its partial text is kept for people and not shown to the model", async () => {
  const hold = new Promise<void>(() => {});
  async function* half() {
    yield { type: "saying.started" } as const;
    yield { type: "saying.chunk", text: "I was about to" } as const;
    await hold;
  }
  const w = await world({ telling: { lead: ({ messages }) => (messages.length === 1 ? { stream: half } : say("Understood.")) } });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  await dialog.stop({ by: "anna" });
  const cut = (await w.events(dialog.id)).find((event) => event.type === "step.cut");
  expect(cut?.parts).toEqual([{ saying: "I was about to" }]);
  await dialog.send("never mind");
  await dialog.resume();
  expect(await dialog.result()).toBe("Understood.");
  expect(w.requests.at(-1)?.messages.map((message) => message.role)).toEqual(["user", "user"]);
});

test("[D7] a stopped dialog stays stopped across a restart", async () => {
  const w = await world({ telling: { lead: [endless()] } });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  await dialog.stop();
  const again = await world({ telling: { lead: [say("back")] }, disk: w.disk });
  await settle();
  expect(again.requests).toHaveLength(0);
  expect((await again.project.dialogs.view(dialog.id)).state).toBe("stopped");
  await again.project.dialogs.resume(dialog.id);
  expect(await again.project.dialogs.result(dialog.id)).toBe("back");
});

test("[D9][D13] a running tool ends before its dialog is closed, and its result is recorded", async () => {
  const gate = latch();
  const slow = defineTool({
    name: "slow",
    description: "Waits.",
    input: z.strictObject({}),
    run: (_, { signal }) => new Promise((_ok, no) => (gate.open(), signal.addEventListener("abort", () => no(new Error("stop"))))),
  });
  const w = await world({ telling: { lead: [call("slow")] }, tools: [slow] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await gate.opened;
  await dialog.done({ by: "anna" });
  expect(await w.story(dialog.id)).toEqual([
    "owner: go",
    "lead> slow",
    "stopped: person",
    "slow> slow was stopped while it ran. Whether it took effect is unknown.",
  ]);
  expect((await dialog.view()).state).toBe("done");
});

test("[D4] a repeated done leaves newer work alone", async () => {
  const [begun, may] = [latch(), latch()];
  const slow = defineTool({
    name: "slow",
    description: "Waits.",
    input: z.strictObject({}),
    run: (_, { signal }) => {
      begun.open();
      return new Promise<string>((ok, no) => {
        void may.opened.then(() => ok("at last"));
        signal.addEventListener("abort", () => no(new Error("stop")));
      });
    },
  });
  const w = await world({ telling: { lead: [say("One."), call("slow"), say("Two.")] }, tools: [slow] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  const receipt = await dialog.done({ by: "anna", msgId: "m1" });
  await dialog.send("one more");
  await begun.opened;
  expect(await dialog.done({ by: "anna", msgId: "m1" })).toEqual(receipt);
  may.open();
  expect(await dialog.result()).toBe("Two.");
  expect((await dialog.view()).state).toBe("idle");
});

test("[D5] a message to a finished dialog reopens it", async () => {
  const w = await world({ telling: { lead: [say("One."), say("Two.")] } });
  const dialog = await w.project.dialogs.create({ content: "a" });
  await dialog.result();
  await dialog.done();
  await dialog.send("b");
  expect(await dialog.result()).toBe("Two.");
  await dialog.archive();
  await expect(dialog.send("c")).rejects.toMatchObject({ code: "archived" });
});

test("[D10] an unknown dialog is refused as not found", async () => {
  const w = await world({ telling: {} });
  await expect(w.project.dialogs.send(RootId.parse("f".repeat(32)), { content: "hi" })).rejects.toMatchObject({ code: "not_found" });
  await expect(w.project.dialogs.view(RootId.parse("f".repeat(32)))).rejects.toMatchObject({ code: "not_found" });
});

test("[D12] an unknown agent is refused, and the team is named", async () => {
  const w = await world({ telling: {} });
  await expect(w.project.dialogs.create({ content: "hi", agent: "bob" })).rejects.toMatchObject({
    code: "unknown_agent",
    message: 'There is no agent "bob". The team: lead.',
  });
});

test("[S11] a dialog whose agent is gone stops, and resumes when it is back", async () => {
  const w = await world({ telling: { lead: [endless()] } });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  const without = await world({ telling: {}, disk: w.disk, agents: [{ id: "other", role: "You help." }] });
  await settle();
  expect((await without.project.dialogs.view(dialog.id)).stopped).toMatchObject({ code: "agent_gone" });
  const back = await world({ telling: { lead: [say("here")] }, disk: w.disk });
  expect(await back.project.dialogs.result(dialog.id)).toBe("here");
});

test("[T12] a call whose tool is gone waits for it", async () => {
  const { entries, pay } = ledger();
  const gate = latch();
  const slow = defineTool({
    name: "slow",
    description: "",
    input: z.strictObject({}),
    reads: true,
    run: () => (gate.open(), new Promise(() => {})),
  });
  const telling = { lead: [{ calls: [{ tool: "slow" }, { tool: "pay", input: { to: "a" } }] }, say("ok")] };
  const w = await world({ telling, tools: [slow, look] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  // This process doesn't know `pay`: refused at once, so nothing waits for it.
  await gate.opened;
  await settle();
  expect(await w.story(dialog.id)).toContainEqual(
    expect.stringMatching(/^pay> There is no tool "pay"\. You have: tellask, .*, slow, look\.$/),
  );
  // `slow` is open when the process ends; the next one doesn't have it.
  const without = await world({ telling, disk: w.disk, tools: [pay] });
  await settle();
  expect((await without.project.dialogs.view(dialog.id)).stopped).toMatchObject({ code: "tool_gone" });
  const fast = defineTool({ name: "slow", description: "", input: z.strictObject({}), reads: true, run: () => "fast now" });
  const back = await world({ telling, disk: w.disk, tools: [pay, fast] });
  expect(await back.project.dialogs.result(dialog.id)).toBe("ok");
  expect(entries).toEqual([]);
});

test("[D15] a command to the project is remembered by its msgId, whatever its subject", async () => {
  const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: ["tasks"], default: true }];
  const telling = { lead: [{ calls: [{ tool: "create_task", input: { title: "By an agent" } }] }, say("ok")] };
  const w = await world({ telling, agents });
  const dialog = await w.project.dialogs.create({ content: "go", msgId: "m1" });
  await dialog.result();
  const { id } = await w.project.tasks.create({ title: "One", msgId: "m2" });
  const other = await w.project.tasks.create({ title: "Other" });
  const [notice] = w.project.notices.list();
  const commands = async ({ project }: typeof w) => {
    const renamed = await project.tasks.update(id.slice(-8), { title: "Two", description: "More.", msgId: "m3" });
    const closed = await project.tasks.update(id, { close: "not needed", msgId: "m4" });
    await project.notices.dismiss(notice?.notice ?? "", { msgId: "m5" });
    return { title: renamed.title, summary: closed.summary, history: closed.history.map(({ what }) => what) };
  };
  const first = await commands(w);
  expect(first).toEqual({ title: "Two", summary: "not needed", history: ["created", "changed", "closed"] });
  expect(await commands(w)).toEqual(first);
  await w.project.close();
  const again = await world({ telling, agents, disk: w.disk });
  const { pos } = w.disk;
  expect(await commands(again)).toEqual(first);
  expect(w.disk.pos).toBe(pos);
  const { project } = again;
  const reused = { code: "msg_id_reused" };
  await expect(project.tasks.update(id, { title: "Three", msgId: "m3" })).rejects.toMatchObject(reused);
  await expect(project.tasks.update(other.id, { close: "not needed", msgId: "m4" })).rejects.toMatchObject(reused);
  await expect(project.tasks.create({ title: "Two", msgId: "m4" })).rejects.toMatchObject(reused);
  await expect(project.dialogs.create({ content: "go", msgId: "m5" })).rejects.toMatchObject(reused);
  await expect(project.dialogs.send(dialog.id, { content: "go", msgId: "m3" })).rejects.toMatchObject(reused);
  await expect(project.grants.revoke("x", { msgId: "m1" })).rejects.toMatchObject(reused);
});
