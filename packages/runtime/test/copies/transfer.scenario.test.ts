import { gunzipSync, gzipSync } from "node:zlib";
import { createHash } from "node:crypto";
import { call, say, type Telling, type World, world } from "@colloquy/testing/internals";
import { memoryBacking } from "@colloquy/store";
import type { RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { settle } from "../scenarios/tools.ts";

const agents = [
  { id: "lead", name: "Lead", role: "You lead.", default: true },
  { id: "coder", name: "Coder", role: "You code." },
];
const askAnna = (more: object = {}) => call("askHuman", { tellaskContent: "Red or blue?", options: ["Red", "Blue"], ...more });
const TELLING: Telling = {
  lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Paint it" }), say("All done.")],
  coder: [askAnna(), say("Painted.")],
};

const painting = (telling = TELLING) => world({ telling, agents });
async function painted(telling = TELLING) {
  const w = await painting(telling);
  const dialog = await w.project.dialogs.create({ content: "Paint the door" });
  await w.project.dialogs.quiet(dialog.id);
  return { w, dialog };
}

async function bytesOf(file: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of file) parts.push(part);
  return Buffer.concat(parts);
}
const exported = async (w: World, id: string) => bytesOf(await w.project.dialogs.export(id));
const parts = async function* (bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
};
const linesOf = async (w: World, id: RootId) => (await w.project.dialogs.events(id)).map((line) => JSON.stringify(line));

test("[CA8] [CA9] a dialog goes to another project with its bytes and under its own ids", async () => {
  const { w, dialog } = await painted();
  const there = await painting();
  const [made] = await there.project.import(parts(await exported(w, dialog.id)));
  expect(made).toEqual({ from: dialog.id, rootId: dialog.id });
  const before = await linesOf(w, dialog.id);
  const after = await linesOf(there, dialog.id);
  expect(after.slice(0, -1)).toEqual(before);
  const [own] = JSON.parse(`[${after.at(-1) ?? ""}]`) as { pos: number; events: { type: string }[] }[];
  expect([own?.pos, own?.events.map(({ type }) => type)]).toEqual([1, ["dialog.copied", "dialog.stopped", "dialog.stopped"]]);
  await settle();
});

const records = (file: Buffer): string[] => gunzipSync(file).toString().trimEnd().split("\n");
const sha = (text: string) => createHash("sha256").update(text).digest("hex");

/** A file of these records, with correct checksums. */
function fileOf(lines: readonly string[]): Buffer {
  let [all, own, out] = ["", "", ""];
  const trees = lines.filter((line) => line.startsWith('{"is":"tree",')).length;
  for (const line of lines) {
    let text = line;
    if (line.startsWith('{"is":"tree",')) own = "";
    if (line.startsWith('{"is":"tree end"')) text = JSON.stringify({ ...(JSON.parse(line) as object), sha256: sha(own) });
    else own += `${text}\n`;
    if (line.startsWith('{"is":"end"')) text = JSON.stringify({ is: "end", trees, sha256: sha(all) });
    all += `${text}\n`;
    out += `${text}\n`;
  }
  return gzipSync(out);
}

test("[CA9] taken ids are replaced everywhere, between the dialogs of a file as well", async () => {
  const { w, dialog } = await painted();
  const other = await w.project.dialogs.create({ content: `See dialog ${dialog.id}` });
  await w.project.dialogs.quiet(other.id);
  const before = w.disk.pos;
  const made = await w.project.import(parts(await bytesOf(await w.project.dialogs.exportAll())));
  expect(made.map(({ from }) => from).toSorted()).toEqual([dialog.id, other.id].toSorted());
  expect(w.disk.pos).toBe(before + 1);
  const now = new Map(made.map(({ from, rootId }) => [from, rootId]));
  const [first] = await w.story(now.get(other.id) as RootId);
  expect(first).toBe(`owner: See dialog ${now.get(dialog.id)}`);
  const ids = async (id: RootId) => new Set(JSON.stringify((await linesOf(w, id)).slice(0, -1)).match(/[0-9a-f]{32}/g));
  const old = await ids(dialog.id);
  expect([...(await ids(now.get(dialog.id) as RootId))].filter((id) => old.has(id))).toEqual([]);
  expect(await w.project.questions.list()).toHaveLength(4);
});

test("[CA11] open questions are open, nothing moves until it is resumed, and the work goes on", async () => {
  const telling: Telling = { ...TELLING, coder: [askAnna({ deadline: "1h" }), say("Painted.")] };
  const { w, dialog } = await painted(telling);
  expect(w.project.dialogs.entry(dialog.id)?.due).toBeGreaterThan(0);
  const there = await painting(telling);
  await there.project.import(parts(await exported(w, dialog.id)));
  there.clock.advance(7_200_000);
  const [question] = await there.project.questions.list();
  expect(question).toMatchObject({ status: "open", headline: "Red or blue?" });
  expect([question?.deadline, there.project.dialogs.entry(dialog.id)]).toMatchObject([undefined, { state: "stopped", hot: false }]);
  await there.project.questions.answer(question?.id ?? "", { choice: "Red" });
  await settle();
  expect(there.requests).toHaveLength(0);
  await there.project.dialogs.resume(dialog.id);
  expect(await there.project.dialogs.get(dialog.id).result()).toBe("All done.");
});

test("[CA11] a standing approval of this project does not run what an imported dialog was waiting for", async () => {
  const telling: Telling = { lead: [call("askHuman", { tellaskContent: "Go?" }), say("Gone.")] };
  const { w, dialog } = await painted(telling);
  const there = await painting(telling);
  await there.project.import(parts(await exported(w, dialog.id)));
  const again = await world({ telling, agents, disk: there.disk });
  await settle();
  expect(again.requests).toHaveLength(0);
  expect(again.project.dialogs.entry(dialog.id)).toMatchObject({ state: "stopped" });
});

test("[CA12] usage and notifications do not count what was imported; the same msgId imports once", async () => {
  const { w, dialog } = await painted();
  const file = await exported(w, dialog.id);
  const there = await painting();
  const told: string[] = [];
  there.project.onCommit(({ lines }) => told.push(...lines.flatMap(({ line }) => line.events.map(({ type }) => type))));
  const first = await there.project.import(parts(file), { msgId: "once" });
  expect(await there.project.import(parts(file), { msgId: "once" })).toEqual(first);
  expect(told).toEqual(["tree.created", "dialog.copied", "dialog.stopped", "dialog.stopped"]);
  expect(there.project.dialogs.list()).toHaveLength(1);
  expect((await there.project.usage("agent")).rows).toEqual([]);
  const other = await exported(w, (await w.project.dialogs.create({ content: "Another" })).id);
  await expect(there.project.import(parts(other), { msgId: "once" })).rejects.toMatchObject({ code: "msg_id_reused" });
});

test("[CA13] a Taskdoc is written where it was, and never over another one", async () => {
  const telling: Telling = { lead: [say("Hi.")] };
  const w = await world({ telling });
  const dialog = await w.project.dialogs.create({ content: "Go", taskDocPath: "tasks/door.tsk/" });
  await w.project.dialogs.quiet(dialog.id);
  await w.project.dialogs.changeMind(dialog.id, "goals", "A red door.");
  const file = await exported(w, dialog.id);
  const files = new Map<string, string>();
  const there = await world({ telling, files });
  await there.project.import(parts(file));
  expect(await there.project.dialogs.taskdoc(dialog.id)).toMatchObject({
    path: "tasks/door.tsk/",
    sections: { goals: { text: "A red door." } },
  });
  expect([...files.keys()]).toEqual(["tasks/door.tsk/goals.md"]);
  const own = new Map([["tasks/door.tsk/goals.md", "A green door."]]);
  const third = await world({ telling, files: own });
  await third.project.import(parts(file));
  const { path, sections } = await third.project.dialogs.taskdoc(dialog.id);
  expect([path, sections.goals?.text]).toEqual([`tasks/door-${dialog.id}.tsk/`, "A red door."]);
  expect(own.get("tasks/door.tsk/goals.md")).toBe("A green door.");
});

test("[CA8] an export while work goes on ends at one commit for all dialogs", async () => {
  const { w, dialog } = await painted();
  const { pos } = w.disk;
  const file = await w.project.dialogs.exportAll();
  const late = await w.project.dialogs.create({ content: "Too late" });
  await w.project.dialogs.send(dialog.id, "Too late as well");
  await w.project.dialogs.quiet(late.id);
  const lines = records(await bytesOf(file));
  const taken = lines.filter((line) => line.startsWith('{"v"')).map((line) => (JSON.parse(line) as { pos: number }).pos);
  expect(Math.max(...taken)).toBeLessThanOrEqual((JSON.parse(lines[0] ?? "") as { pos: number }).pos);
  expect(taken).toHaveLength(new Set(taken).size);
  expect(Math.max(...taken)).toBeGreaterThanOrEqual(pos);
});

test("[CA10] a file with anything wrong in it is refused whole, and nothing has changed", async () => {
  const { w, dialog } = await painted();
  const good = await exported(w, dialog.id);
  const lines = records(good);
  const there = await painting();
  const refuses = async (file: Uint8Array, why: string) => {
    await expect(there.project.import(parts(file))).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringMatching(new RegExp(`${why}.*Nothing was imported`, "s")) as string,
    });
    expect([there.disk.pos, there.disk.streams.size]).toEqual([0, 0]);
  };
  const at = (text: string) => lines.findIndex((line) => line.includes(text));
  const changed = (nth: number, from: string | RegExp, to: string) =>
    fileOf(lines.map((line, n) => (n === nth ? line.replace(from, to) : line)));
  expect(fileOf(lines)).toEqual(gzipSync(gunzipSync(good)));

  await refuses(Buffer.from("hello"), "no file that colloquy export made");
  await refuses(gzipSync("hello\n"), "no file that colloquy export made");
  await refuses(new Uint8Array(), "cut off|no file");
  await refuses(good.subarray(0, -20), "cut off|damaged");
  await refuses(gzipSync(`${lines.slice(0, -1).join("\n")}\n`), "end is missing");
  await refuses(gzipSync(lines.join("\n")), "last record is incomplete");
  await refuses(gzipSync(`${lines.join("\n")}\n{}\n`), "continues after its end");
  await refuses(gzipSync(`${lines.join("\n").replace("Paint the door", "Paint the wall")}\n`), "checksum");
  await refuses(changed(0, '"version":1', '"version":2'), "newer version");
  await refuses(changed(at('"seq":1,'), '{"v":1,', '{"v":2,'), "newer version");
  await refuses(changed(at('"seq":1,'), "message.added", "message.invented"), "there is no event");
  await refuses(changed(at('"seq":1,'), '"pos":', '"pos": '), "not spelled|not a line");
  await refuses(changed(at('"seq":1,'), /"at":"[^"]+"/, '"at":"yesterday"'), "time");
  await refuses(fileOf(lines.filter((_, n) => n !== at('"seq":3,'))), "event 3 is missing");
  await refuses(fileOf(lines.flatMap((line, n) => (n === at('"seq":3,') ? [line, line] : [line]))), "is missing");
  await refuses(changed(at('"is":"tree",'), dialog.id, "f".repeat(32)), "another tree|another dialog");
  await refuses(fileOf([lines[0] ?? "", lines.at(-1) ?? ""]), "no dialogs");
  await refuses(fileOf(lines.filter((line) => !line.includes('"tree end"'))), "checksum|where none belongs|no end");
  await refuses(fileOf([...lines.slice(0, -1), ...lines.slice(1)]), "where none belongs|checksum|continues");
  const blob = (name: string) => JSON.stringify({ is: "blob", name, bytes: 1, base64: "AA==" });
  const withBlob = (name: string) => fileOf([...lines.slice(0, -2), blob(name), ...lines.slice(-2)]);
  for (const name of ["../../x", "a/b", "", ".hidden"]) await refuses(withBlob(name), "a name that no blob has");
  for (const path of ["../door.tsk/", "/etc/door.tsk/", ".git/door.tsk/", ".dialogs/x.tsk/", "door"]) {
    const elsewhere = lines.map((line) => line.replaceAll(/"taskDocPath":"[^"]*"/g, `"taskDocPath":"${path}"`));
    await refuses(fileOf(elsewhere), "Taskdoc");
  }
  const foreign = lines.map((line) => line.replace(/"question":"[0-9a-f]{32}"/, `"question":"${"1".repeat(32)}"`));
  await refuses(fileOf(foreign), "belongs to another dialog");
  await there.project.import(parts(good));
  expect(there.project.dialogs.list()).toHaveLength(1);
});

test("[CA10] a file that unpacks to far more than an export has is refused early", async () => {
  const there = await painting();
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, "\n"));
  const header = gzipSync(`${JSON.stringify({ is: "colloquy export", version: 1, made: new Date(0).toISOString(), pos: 1 })}\n`);
  await expect(there.project.import(parts(Buffer.concat([header, bomb])))).rejects.toMatchObject({ message: /damaged|unpacks/ });
  const wide = gzipSync(Buffer.concat([gunzipSync(header), Buffer.alloc(200 * 1024 * 1024, "a")]));
  await expect(there.project.import(parts(wide))).rejects.toMatchObject({ message: expect.stringMatching(/more than 128 MB/) as string });
  expect(memoryBacking().pos).toBe(there.disk.pos);
});
