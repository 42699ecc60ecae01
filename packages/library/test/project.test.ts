import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askPerson, call, say, type Telling } from "@colloquy/testing";
import { openFileStore } from "@colloquy/store-file";
import { toldModel } from "@colloquy/testing/internals";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  type DefinedAgent,
  defineTool,
  type OpenOptions,
  openProject,
  type Project,
  repairProject,
  type Tool,
} from "../src/index.ts";
import { foldEntry } from "../src/open/fold-entry.ts";

const lead = (...tools: Tool[]) => defineAgent({ id: "lead", role: "You lead.", default: true, tools });
const agent = (about: Partial<DefinedAgent> & { readonly id: string }): DefinedAgent => ({ role: "You help.", ...about });
const opened: Project[] = [];
afterEach(async () => {
  for (const project of opened.splice(0)) await project.close();
});

const folder = () => mkdtempSync(join(tmpdir(), "colloquy-library-"));

async function open(dir: string, telling: Telling, over: Partial<OpenOptions> = {}): Promise<Project> {
  const model = toldModel(telling);
  const project = await openProject({ dir, agents: [lead()], model: model.name, findModel: () => model, report: () => undefined, ...over });
  opened.push(project);
  return project;
}

async function reopen(project: Project, telling: Telling, over: Partial<OpenOptions> = {}): Promise<Project> {
  await project.close();
  return open(project.dir, telling, over);
}

test("[LB11] a subscription delivers each commit once from its position, and live text; a listener that throws gets the next", async () => {
  const reports: string[] = [];
  const project = await open(folder(), { lead: [say("one"), say("two")] }, { report: (message) => reports.push(message) });
  const dialog = await project.dialogs.create({ content: "go" });
  await dialog.result();
  const all: number[] = [];
  const late: number[] = [];
  const live: string[] = [];
  const controller = new AbortController();
  dialog.subscribe({ commit: ({ seq }) => void all.push(seq), live: ({ type }) => void live.push(type) }, { signal: controller.signal });
  const done = Promise.withResolvers<void>();
  const stop = project.dialogs.subscribe(
    dialog.id,
    {
      commit: ({ seq, events }) => {
        late.push(seq);
        if (events.some(({ type }) => type === "step.ended")) done.resolve();
        throw new Error("I dropped it");
      },
    },
    { after: (await dialog.view()).seq },
  );
  const { seq } = await dialog.send("more");
  expect(await dialog.result()).toBe("two");
  await done.promise;
  expect(late[0]).toBe(seq);
  expect(all.slice(0, 1)).toEqual([1]);
  expect(new Set(all).size).toBe(all.length);
  expect(all.slice(-late.length)).toEqual(late);
  expect(live).toContain("saying_chunk_evt");
  expect(reports).toEqual(late.map(() => "a listener: I dropped it"));
  stop();
  controller.abort();
  const before = [all.length, late.length];
  await dialog.send("quietly");
  expect([all.length, late.length]).toEqual(before);
  expect(() => project.dialogs.subscribe("f".repeat(32) as never, {})).toThrow("There is no dialog");
});

test("[LB12] a process that doesn't drive leaves the work to one that does, which resumes it when told to", async () => {
  const asking = await open(folder(), {}, { drive: false });
  const dialog = await asking.dialogs.create({ content: "go" });
  expect((await dialog.view()).state).toBe("interrupted");
  await expect(asking.drive()).rejects.toMatchObject({ code: "bad_request" });
  const touching = await reopen(asking, { lead: [say("done")] }, { drive: "touched" });
  expect(await touching.dialogs.lastReply(dialog.id)).toBe("");
  await expect(touching.drive("f".repeat(32) as never)).rejects.toMatchObject({ code: "not_found" });
  expect(await touching.drive()).toBe(true);
  expect(await touching.dialogs.lastReply(dialog.id)).toBe("done");
  expect(await touching.drive(dialog.id)).toBe(true);
});

test("[LB13] a caller may stop waiting; its command still takes effect, once", async () => {
  const project = await open(folder(), { lead: [askPerson("Now?"), say("ok")] });
  const dialog = await project.dialogs.create({ content: "go", msgId: "1" });
  const controller = new AbortController();
  const waiting = dialog.result({ signal: controller.signal });
  const [question] = [await project.questions.follow({ signal: AbortSignal.timeout(10_000) }).next()];
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  const id = question?.value?.id as never;
  const gone = AbortSignal.abort(new Error("gone"));
  await expect(project.questions.answer(id, { content: "yes", signal: gone })).rejects.toThrow("gone");
  await expect(project.dialogs.create({ content: "go", signal: gone })).rejects.toThrow("gone");
  await expect(project.dialogs.send(dialog.id, { content: "go", signal: gone })).rejects.toThrow("gone");
  await expect(project.questions.list({ signal: gone })).rejects.toThrow("gone");
  await expect(project.tasks.create({ kind: "task", title: "x", signal: gone })).rejects.toThrow("gone");
  expect(project.dialogs.list()).toHaveLength(1);
  const leaving = new AbortController();
  const sent = project.questions.answer(id, { content: "yes", msgId: "2", signal: leaving.signal });
  leaving.abort(new Error("left"));
  await expect(sent).rejects.toThrow("left");
  await project.questions.answer(id, { content: "yes", msgId: "2" });
  expect(await dialog.result()).toBe("ok");
});

test("[LB14] agents in files use tools in code; a process without them can ask and answer, but doesn't drive them", async () => {
  const dir = folder();
  mkdirSync(join(dir, "agents"));
  writeFileSync(join(dir, "colloquy.yaml"), "language: en\n");
  writeFileSync(join(dir, "agents/clerk.md"), "---\ntools: [code:weigh]\n---\nYou weigh.\n");
  const weigh = defineTool({ name: "weigh", description: "Weighs.", input: z.object({}), run: () => "5 g" });
  const telling: Telling = { clerk: ({ messages }) => (JSON.stringify(messages).includes("5 g") ? say("5 g it is.") : call("weigh")) };
  const other = await open(dir, {}, { agents: [], drive: "touched" });
  expect(other.agents.members()).toEqual([]);
  const project = await reopen(other, telling, { agents: [], tools: [weigh] });
  expect(await (await project.dialogs.create({ content: "How heavy?", agent: "clerk" })).result()).toBe("5 g it is.");
  await project.close();
  const wrong = open(dir, {}, { agents: [lead(), defineAgent({ id: "other", role: "x", tools: ["code:sing"] })] });
  await expect(wrong).rejects.toThrow('"code:sing" is not among the tools');
  await expect(open(dir, {}, { agents: [defineAgent({ id: "clerk", role: "x" })], tools: [weigh] })).rejects.toThrow(
    'The agent "clerk" is defined twice: in code and in agents/clerk.md.',
  );
  const reports: string[] = [];
  const report = (message: string) => reports.push(message);
  const good = await open(dir, { lead: [say("still here")] }, { report, tools: [weigh] });
  writeFileSync(join(dir, "agents/lead.md"), "You lead as well.\n");
  expect(await (await good.dialogs.create({ content: "hi", agent: "lead" })).result()).toBe("still here");
  expect(reports).toEqual([expect.stringContaining('The agent "lead" is defined twice: in code and in agents/lead.md.')]);
  expect(good.agents.members().map(({ id }) => id)).toEqual(["clerk", "lead"]);
});

test("[LB15] a dialog whose agent is gone stops with a reason, and resumes when the project is opened with it again", async () => {
  const first = await open(folder(), { lead: [say("hello")] }, { drive: "none" });
  const dialog = await first.dialogs.create({ content: "go" });
  const without = await reopen(first, {}, { agents: [defineAgent({ id: "other", role: "You help." })] });
  await without.dialogs.quiet(dialog.id);
  expect((await without.dialogs.view(dialog.id)).stopped).toMatchObject({ code: "agent_gone", message: expect.stringContaining("lead") });
  const still = await reopen(without, {}, { agents: [defineAgent({ id: "other", role: "You help." })] });
  expect(await still.questions.list()).toHaveLength(1);
  const back = await reopen(still, { lead: [say("hello")] });
  expect(await back.dialogs.result(dialog.id)).toBe("hello");
  expect(await back.questions.list()).toEqual([]);
});

test("[LB15] a waiting call is judged by the tool at the time it runs: a missing tool waits, an invalid input is refused", async () => {
  const paid: unknown[] = [];
  const pay = (input: z.ZodType<object>) =>
    defineTool({ name: "pay", description: "Pays.", input, approval: true, run: (given) => (paid.push(given), "paid") });
  const old = pay(z.object({ cents: z.number() }));
  const telling: Telling = { lead: [call("pay", { cents: 5 }), say("ended")] };
  const approved = async () => {
    const project = await open(folder(), telling, { agents: [lead(old)] });
    const dialog = await project.dialogs.create({ content: "go" });
    await project.dialogs.quiet(dialog.id);
    const asking = await reopen(project, {}, { agents: [lead(old)], drive: false });
    const [question] = await asking.questions.list();
    await asking.questions.approve(question?.id as never, { shown: question?.shown ?? "" });
    return { asking, id: dialog.id };
  };
  const one = await approved();
  const without = await reopen(one.asking, {}, { agents: [lead()] });
  await without.dialogs.quiet(one.id);
  expect((await without.dialogs.view(one.id)).stopped).toMatchObject({ code: "tool_gone", message: expect.stringContaining('"pay"') });
  const back = await reopen(without, telling, { agents: [lead(old)] });
  expect(await back.dialogs.result(one.id)).toBe("ended");
  expect(paid).toEqual([{ cents: 5 }]);

  const two = await approved();
  const changed = await reopen(two.asking, telling, { agents: [lead(pay(z.object({ cents: z.number(), currency: z.string() })))] });
  expect(await changed.dialogs.result(two.id)).toBe("ended");
  expect(paid).toHaveLength(1);
  const results = (await changed.dialogs.events(two.id)).flatMap(({ events }) => events).filter((event) => event.type === "call.ended");
  expect(results).toMatchObject([{ outcome: "refused", output: expect.stringContaining("currency") }]);
});

test("[LB23] a locked folder is refused with its owner, and can be opened when released", async () => {
  const dir = folder();
  const other = await openFileStore(dir, { foldEntry });
  const locked = {
    name: "Refused",
    code: "locked",
    message: expect.stringMatching(`Process ${process.pid} has had this project open since .*Wait until it ends`),
  };
  await expect(openProject({ dir })).rejects.toMatchObject(locked);
  await expect(repairProject(dir)).rejects.toMatchObject(locked);
  await other.close();
  expect((await open(dir, {})).dialogs.list()).toEqual([]);
});

test("[LB16] a folder is one project per process, whichever copy of the library opens it", async () => {
  const project = await open(folder(), {});
  expect(await openProject({ dir: join(project.dir, ".") })).toBe(project);
  const file: string = "../src/open/open-project.ts?copy";
  const copy = (await import(file)) as { readonly openProject: typeof openProject };
  expect(copy.openProject).not.toBe(openProject);
  expect(await copy.openProject({ dir: project.dir })).toBe(project);
});

test("[LB31] reopened with other agents and tools, it uses them from the next step; a refusal changes nothing", async () => {
  const said = (text: string) => defineTool({ name: "tell", description: "Tells.", input: z.object({}), reads: true, run: () => text });
  const heard: string[] = [];
  const telling: Telling = {
    lead: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === "result") heard.push(last.output);
      return last?.role === "result" ? say("ok") : call("tell");
    },
    clerk: [say("I am here.")],
  };
  const project = await open(folder(), telling, { agents: [lead(said("old"))] });
  const dialog = await project.dialogs.create({ content: "go" });
  await dialog.result();
  const again = (...agents: ReturnType<typeof lead>[]) => openProject({ dir: project.dir, agents });
  expect(await again(lead(said("new")))).toBe(project);
  await dialog.send("again");
  await dialog.result();
  expect(heard).toEqual(["old", "new"]);

  await expect(again(defineAgent({ id: "clerk", role: "You check.", tools: ["nothing"] }))).rejects.toMatchObject({ code: "bad_config" });
  expect(project.agents.members().map(({ id }) => id)).toEqual(["lead"]);
  await again(defineAgent({ id: "clerk", role: "You check." }));
  expect(project.agents.members().map(({ id }) => id)).toEqual(["lead", "clerk"]);
  expect(project.agents.defaultAgent()).toBe("lead");
  expect(await (await project.dialogs.create({ content: "hello", agent: "clerk" })).result()).toBe("I am here.");
});

test("[LB31] a dialog that stopped for lack of an agent resumes when the agent is added", async () => {
  const dir = folder();
  const clerk = defineAgent({ id: "clerk", role: "You check." });
  const telling: Telling = { lead: [say("ok")], clerk: [askPerson("Now?"), say("Checked.")] };
  const first = await open(dir, telling, { agents: [lead(), clerk] });
  const { id } = await first.dialogs.create({ content: "go", agent: "clerk" });
  await first.dialogs.quiet(id);
  const project = await reopen(first, telling);
  const [question] = await project.questions.list();
  await project.questions.answer(question?.id ?? "", "Yes.");
  await project.dialogs.quiet(id);
  expect(await project.questions.list()).toMatchObject([{ kind: "fault" }]);
  await openProject({ dir, agents: [clerk] });
  expect(await project.dialogs.get(id).result()).toBe("Checked.");
});

test("[LB34] settings in code may be partial, and apply and are checked like the file's", async () => {
  const { config } =
    (await open(folder(), {}, { config: { limits: { depth: 3 }, agents: { clerk: { role: "You write." } } } })).agents.settings ?? {};
  expect(config).toMatchObject({ language: "en", limits: { depth: 3, openAsks: 32 } });
  const withClerk = await open(folder(), { clerk: [say("hello")] }, { agents: [], config: { agents: { clerk: { role: "You write." } } } });
  expect(await (await withClerk.dialogs.create({ content: "go" })).result()).toBe("hello");
  for (const [wrong, message] of [
    [{ limits: { deph: 3 } }, /^config\.limits\.deph: .*depth/],
    [{ language: "fr" }, /^config\.language: .*en.*zh/],
    [{ notify: {} }, /^config\.notify: .*not built yet/],
    [{ agents: { clerk: { role: "x", tools: ["shel"] } } }, /^config\.agents\.clerk\.tools\[0\]: "shel" is unknown/],
    ["language: en", /^config: /],
  ] as const)
    await expect(open(folder(), {}, { config: wrong as never })).rejects.toMatchObject({
      code: "bad_config",
      message: expect.stringMatching(message),
    });
  const dir = folder();
  writeFileSync(join(dir, "colloquy.yaml"), "language: en\n");
  await expect(open(dir, {}, { config: {} })).rejects.toThrow(/Settings are given twice: as config to openProject and in .*colloquy\.yaml/);
});

test.each<readonly [what: string, agents: readonly DefinedAgent[], message: string]>([
  ["two defaults", [lead(), agent({ id: "b", default: true })], "code: only one agent can be the default, not lead and b."],
  [
    "two names",
    [lead(), agent({ id: "b", name: "Lead" })],
    'code: the agents "lead" and "b" (code) have the same name. Give one of them another name.',
  ],
  ["a name that is an id", [agent({ id: "b", name: "LEAD" }), lead()], 'the agents "b" and "lead" (code) have the same name'],
  ["a reserved id", [agent({ id: "human" })], 'code: no agent can be called "human". Reserved: human, self, tellasker, outside.'],
  ["a reserved name", [agent({ id: "a", name: "Self" })], 'no agent can be called "Self"'],
])("[LB35] %s in a team is refused by name", async (_what, agents, message) => {
  await expect(open(folder(), {}, { agents })).rejects.toMatchObject({ code: "bad_config", message: expect.stringContaining(message) });
  const dir = folder();
  const inFile = agents.map(
    ({ id, name, default: isDefault }) => `  ${id}: { role: x, name: ${name ?? id}, default: ${isDefault ?? false} }\n`,
  );
  writeFileSync(join(dir, "colloquy.yaml"), `agents:\n${inFile.join("")}`);
  await expect(open(dir, {}, { agents: [] })).rejects.toMatchObject({
    code: "bad_config",
    message: expect.stringContaining(message.replaceAll("code", "colloquy.yaml: agents")),
  });
});

test("[LB36] a misspelt model is found when the project is opened to be driven", async () => {
  const openWith = (model: string, drive?: "none") =>
    openProject({ dir: folder(), agents: [defineAgent({ id: "lead", role: "x", model })], env: {}, ...(drive && { drive }) });
  for (const [model, message] of [
    ["opnai/gpt-5.5", 'code: the agent "lead": There is no model "opnai/gpt-5.5".'],
    ["scripted/demmo", 'code: the agent "lead": There is no script "demmo".'],
  ] as const) {
    await expect(openWith(model)).rejects.toMatchObject({ code: "bad_config", message: expect.stringContaining(message) });
    await (await openWith(model, "none")).close();
  }
  await (await openWith("openai/gpt-5.5")).close(); // its key may come later
});

test("[B18] a dialog is not created on a Taskdoc that is a link, and nothing is written through it", async () => {
  const dir = folder();
  const out = folder();
  mkdirSync(join(dir, "tasks"));
  symlinkSync(out, join(dir, "tasks/evil.tsk"));
  const project = await open(dir, { lead: [say("ok")] });
  await expect(project.dialogs.create({ content: "go", taskDocPath: "tasks/evil.tsk/" })).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining("tasks/evil.tsk is a link") as string,
  });
  const dialog = await project.dialogs.create({ content: "go", taskDocPath: "tasks/good.tsk/" });
  await dialog.result();
  symlinkSync(out, join(dir, "tasks/good.tsk"));
  await expect(project.dialogs.changeMind(dialog.id, "goals", "Sell.")).rejects.toMatchObject({ code: "bad_request" });
  expect(readdirSync(out)).toEqual([]);
});
