import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, MemoryLayers, say, type Telling, world } from "@colloquy/testing/internals";
import { expect, test } from "vitest";

const FREE = "language: en\nautonomy: { scopeChanges: automated, architectureDecisions: automated, dependencyModifications: automated }\n";
const command = (text: string) => call("run_command", { command: text });

async function start(layers: MemoryLayers, telling: Telling, disk?: Awaited<ReturnType<typeof world>>["disk"]) {
  const dir = mkdtempSync(join(tmpdir(), "undo-"));
  writeFileSync(join(dir, "colloquy.yaml"), FREE);
  const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: [layers.tool()], default: true }];
  const w = await world({ telling, agents, dir, staging: layers, ...(disk && { disk }) });
  return { w, dir };
}

async function ran(layers: MemoryLayers, telling: Telling) {
  const { w } = await start(layers, telling);
  const dialog = await w.project.dialogs.create({ content: "go", by: "anna" });
  await w.project.dialogs.quiet(dialog.id);
  const calls = (await w.events(dialog.id)).flatMap((event) => (event.type === "call.ran" ? [event.call] : []));
  return { w, dialog, calls };
}

test("[LY26] a person undoes a command: it is recorded before and after, and the agent is told which files", async () => {
  const layers = new MemoryLayers({ "a.txt": "old" });
  const { w, dialog, calls } = await ran(layers, { lead: [command("write a.txt new && write b.txt x"), say("Done."), say("I see.")] });
  const [undone = ""] = calls;
  expect(await w.project.dialogs.undo(undone, { by: "anna" })).toMatchObject({ call: undone, paths: ["a.txt", "b.txt"], more: 0 });
  expect(Object.fromEntries(layers.files)).toEqual({ "a.txt": "old" });
  const events = await w.events(dialog.id);
  expect(events.slice(-2)).toMatchObject([
    { type: "call.undo_asked", call: undone, agent: "lead", by: "anna" },
    { type: "call.undone", call: undone, agent: "lead", by: "anna", paths: ["a.txt", "b.txt"] },
  ]);
  await w.project.dialogs.send(dialog.id, "Go on.");
  await w.project.dialogs.quiet(dialog.id);
  const told = w.requests.at(-1)?.messages.map((message) => ("text" in message ? message.text : "")) ?? [];
  expect(told.filter((text) => text.includes("undid"))).toEqual([
    "[System]: anna undid one of your calls of run_command. a.txt, b.txt are as they were before it. Do not count on its changes, and do not make them again unless you are asked to.",
  ]);
});

test("[LY23] a conflict is named with the later command, nothing is changed, and the later one can be undone first", async () => {
  const layers = new MemoryLayers();
  const { w, calls } = await ran(layers, { lead: [command("write a.txt 1"), command("write a.txt 2"), say("Done.")] });
  const [first = "", second = ""] = calls;
  await expect(w.project.dialogs.undo(first)).rejects.toMatchObject({
    code: "undo_conflict",
    message: expect.stringContaining(`a.txt: changed since by a later command, ${second}`),
  });
  await expect(w.project.dialogs.undo(first)).rejects.toThrow(`Undo the later command first: colloquy undo ${second}`);
  expect(layers.files.get("a.txt")).toBe("2");
  await w.project.dialogs.undo(second);
  await w.project.dialogs.undo(first);
  expect(layers.files.size).toBe(0);
});

test("[LY23] a person's later change stays", async () => {
  const layers = new MemoryLayers();
  const { w, calls } = await ran(layers, { lead: [command("write a.txt 1"), say("Done.")] });
  layers.files.set("a.txt", "mine");
  await expect(w.project.dialogs.undo(calls[0] ?? "")).rejects.toMatchObject({
    code: "undo_conflict",
    message: expect.stringContaining("a.txt: changed since"),
  });
  expect(layers.files.get("a.txt")).toBe("mine");
});

test("[LY27] an undo is not undone, and one that was sent twice has one effect", async () => {
  const layers = new MemoryLayers();
  const { w, dialog, calls } = await ran(layers, { lead: [command("write a.txt 1"), say("Done.")] });
  const [id = ""] = calls;
  const [one, other] = await Promise.all([w.project.dialogs.undo(id, { msgId: "m1" }), w.project.dialogs.undo(id, { msgId: "m1" })]);
  expect(one.seq).toBe(other.seq);
  expect(await w.project.dialogs.undo(id, { msgId: "m1" })).toMatchObject({ seq: one.seq });
  expect(layers.undone.get(id)).toBe(1);
  await expect(w.project.dialogs.undo(id)).rejects.toMatchObject({
    code: "not_undoable",
    message: expect.stringContaining("was already undone"),
  });
  const events = await w.events(dialog.id);
  expect(events.filter(({ type }) => type === "call.undo_asked" || type === "call.undone")).toHaveLength(2);
});

test("[LY25] a call that changed no file can't be undone, and the refusal names those that can", async () => {
  const layers = new MemoryLayers();
  const { w, calls } = await ran(layers, { lead: [command("write a.txt 1"), command("true"), say("Done.")] });
  const [id = ""] = calls;
  await expect(w.project.dialogs.undo("0".repeat(32))).rejects.toMatchObject({
    code: "not_undoable",
    message: expect.stringContaining(`${id}  lead: a.txt`),
  });
  await expect(w.project.dialogs.undo("")).rejects.toMatchObject({ code: expect.stringMatching(/bad_request|not_undoable/) });
  // The last digits are enough.
  expect(await w.project.dialogs.undo(id.slice(-8))).toMatchObject({ call: id });
});

test("[LY26] an unfinished undo is finished by the next process", async () => {
  const layers = new MemoryLayers({ "a.txt": "old" });
  const { w, dialog, calls } = await ran(layers, { lead: [command("write a.txt new"), say("Done.")] });
  const [id = ""] = calls;
  const undo = layers.undo.bind(layers);
  layers.undo = () => Promise.reject(new Error("no room on the disk"));
  await expect(w.project.dialogs.undo(id, { by: "anna" })).rejects.toThrow("no room on the disk");
  expect(layers.files.get("a.txt")).toBe("new");
  await w.project.close();
  layers.undo = undo;
  const { w: next } = await start(layers, { lead: [] }, w.disk);
  await next.project.takeUp();
  expect(layers.files.get("a.txt")).toBe("old");
  expect((await next.events(dialog.id)).at(-1)).toMatchObject({ type: "call.undone", call: id, by: "anna" });
});

test("[LY28] undo works in every dialog, even if it is done or archived", async () => {
  const layers = new MemoryLayers();
  const { w, dialog, calls } = await ran(layers, { lead: [command("write a.txt 1"), say("Done.")] });
  await w.project.dialogs.archive(dialog.id);
  await w.project.dialogs.undo(calls[0] ?? "");
  expect(layers.files.size).toBe(0);
  expect((await w.project.dialogs.view(dialog.id)).status).toBe("archived");
});
