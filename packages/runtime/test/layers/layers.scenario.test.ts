import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QuestionView } from "@colloquy/schema";
import { MemoryLayers } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { call, calls, first, say, type Telling, world, type WorldOptions } from "@colloquy/testing/internals";
import { latch, settle } from "../scenarios/tools.ts";

const FREE = "autonomy: { scopeChanges: automated, architectureDecisions: automated, dependencyModifications: automated }";
const STRICT = "autonomy: { dependencyModifications: requires_approval }";

const command = (text: string) => call("run_command", { command: text });

async function start(layers: MemoryLayers, telling: Telling, config = FREE, over: Partial<WorldOptions> = {}) {
  const dir = over.dir ?? mkdtempSync(join(tmpdir(), "layers-"));
  writeFileSync(join(dir, "colloquy.yaml"), `language: en\n${config}\n`);
  const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: [layers.tool()], default: true }];
  const w = await world({ telling, agents, dir, staging: layers, ...over });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  return { w, dir, dialog, questions: await w.project.questions.list() };
}
type Started = Awaited<ReturnType<typeof start>>;

const ended = async ({ w, dialog }: Started) =>
  (await w.events(dialog.id)).flatMap((event) => (event.type === "call.ended" ? [{ outcome: event.outcome, output: event.output }] : []));
const types = async ({ w, dialog }: Started) =>
  (await w.events(dialog.id)).map(({ type }) => type).filter((type) => type.startsWith("call.") || type.startsWith("question."));
const idOf = (question: QuestionView | undefined) => first(question ? [question] : []).id;

test("[AU18] a command that only adds and changes files runs, and its effects are logged before they are applied", async () => {
  const layers = new MemoryLayers({ "a.txt": "old" });
  const run = await start(layers, { lead: [command("write a.txt new && write b.txt x"), say("Done.")] });
  expect(run.questions).toEqual([]);
  expect(Object.fromEntries(layers.files)).toEqual({ "a.txt": "new", "b.txt": "x" });
  expect(await types(run)).toEqual(["call.started", "call.ran", "call.ended"]);
  const ran = (await run.w.events(run.dialog.id)).find((event) => event.type === "call.ran");
  expect(ran).toMatchObject({
    effects: {
      files: [
        { path: "a.txt", kind: "changed" },
        { path: "b.txt", kind: "created" },
      ],
    },
  });
});

test("[AU18] a command without effects on files ends at once", async () => {
  const run = await start(new MemoryLayers(), { lead: [command("true"), say("Done.")] });
  expect(await types(run)).toEqual(["call.started", "call.ended"]);
});

test("[AU19] a loss waits for a person, who sees the effects; approving applies them", async () => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const run = await start(layers, { lead: [command("rm work.txt"), say("Gone.")] });
  expect(run.questions).toMatchObject([{ kind: "approval", classes: ["destructive"], text: expect.stringContaining("deleted work.txt") }]);
  expect(first(run.questions).text).toContain("What the command did (nothing is applied yet):");
  expect(layers.files.get("work.txt")).toBe("mine");
  expect(layers.waiting).toHaveLength(1);
  await run.w.project.questions.approve(idOf(run.questions[0]), { by: "anna" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  expect(layers.files.has("work.txt")).toBe(false);
  expect(layers.waiting).toEqual([]);
  expect(await types(run)).toEqual(["call.started", "call.ran", "question.asked", "question.closed", "call.ended"]);
  expect(await ended(run)).toEqual([{ outcome: undefined, output: "ran rm work.txt" }]);
});

test("[AU19] denying discards them, and the agent reads which files are unchanged", async () => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const run = await start(layers, { lead: [command("rm work.txt"), say("As you wish.")] });
  await run.w.project.questions.deny(idOf(run.questions[0]), { by: "anna", why: "I need it" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  await settle();
  expect(layers.files.get("work.txt")).toBe("mine");
  expect(layers.waiting).toEqual([]);
  const [result] = await ended(run);
  expect(result?.outcome).toBe("refused");
  expect(result?.output).toContain("anna denied it");
  expect(result?.output).toContain("I need it");
  expect(result?.output).toContain("work.txt");
});

test("[AU19] approved with a changed command, that one runs, and the first has no effect", async () => {
  const layers = new MemoryLayers({ "a.txt": "1", "b.txt": "2" });
  const run = await start(layers, { lead: [command("rm a.txt"), say("Done.")] });
  await run.w.project.questions.approve(idOf(run.questions[0]), { by: "anna", arguments: { command: "rm b.txt" } });
  await run.w.project.dialogs.quiet(run.dialog.id);
  expect(Object.fromEntries(layers.files)).toEqual({ "a.txt": "1" });
  expect(layers.waiting).toEqual([]);
  expect((await ended(run)).map(({ output }) => output)).toEqual([expect.stringContaining("ran rm b.txt")]);
});

test("[Q16] a command's effects are a separate notification, whatever else its step asks: one decision doesn't cover the other", async () => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const step = calls(["run_command", { command: "rm work.txt" }], ["run_command", { command: "git push" }]);
  const run = await start(layers, { lead: [step, say("Done.")] }, `${FREE}\npermissions: { "run_command(git push*)": ask }`);
  expect(run.questions).toHaveLength(2);
  const all = (await run.w.project.notifications.list()).items;
  expect(all.map(({ questions }) => questions.length)).toEqual([1, 1]);
});

test("[AU20] a concurrent change is not overwritten: nothing is applied, and the agent reads why", async () => {
  const layers = new MemoryLayers({ "work.txt": "mine", "other.txt": "1" });
  const run = await start(layers, { lead: [command("rm work.txt && write other.txt 2"), say("I see.")] });
  layers.files.set("work.txt", "edited by a person");
  await run.w.project.questions.approve(idOf(run.questions[0]), { by: "anna" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  await settle();
  expect(Object.fromEntries(layers.files)).toEqual({ "work.txt": "edited by a person", "other.txt": "1" });
  expect(await ended(run)).toMatchObject([
    { outcome: "refused", output: expect.stringContaining("work.txt changed while the command ran") },
  ]);
  expect(layers.waiting).toEqual([]);
});

test("[AU18] a changed manifest asks or notifies as the autonomy says", async () => {
  const asked = new MemoryLayers({ "package.json": "{}" }, ["package.json"]);
  const strict = await start(asked, { lead: [command("write package.json x"), say("Done.")] }, STRICT);
  expect(strict.questions).toMatchObject([{ kind: "approval", classes: ["dependencyModifications"] }]);
  expect(asked.files.get("package.json")).toBe("{}");

  const told = new MemoryLayers({ "package.json": "{}" }, ["package.json"]);
  const open = await start(told, { lead: [command("write package.json x"), say("Done.")] }, "");
  expect(open.questions).toEqual([]);
  expect(told.files.get("package.json")).toBe("x");
  expect((await open.w.events(open.dialog.id)).filter(({ type }) => type === "notice.added")).toHaveLength(1);
});

test("[AU21] the file tools' permissions apply to a command's writes", async () => {
  const denied = new MemoryLayers();
  const run = await start(
    denied,
    { lead: [command("write secret/a.txt x"), say("Ok.")] },
    `${FREE}\npermissions: { "write_file(secret/**)": deny }`,
  );
  expect(await ended(run)).toMatchObject([{ outcome: "refused", output: expect.stringContaining("write_file(secret/**)") }]);
  expect(denied.files.size).toBe(0);
  const asked = new MemoryLayers();
  const waits = await start(
    asked,
    { lead: [command("write docs/a.md x"), say("Ok.")] },
    `${FREE}\npermissions: { "edit_file(docs/**)": ask }`,
  );
  expect(waits.questions).toMatchObject([{ kind: "approval" }]);
  expect(asked.files.size).toBe(0);
});

test("[AU25] a rule that names a link holds for what a command wrote behind it", async () => {
  const config = `${FREE}\npermissions: { "write_file(secret/**)": deny }`;
  const dir = mkdtempSync(join(tmpdir(), "layers-"));
  mkdirSync(join(dir, "kept/deep"), { recursive: true });
  symlinkSync("kept", join(dir, "secret"));
  const denied = new MemoryLayers();
  const run = await start(denied, { lead: [command("write kept/deep/a.txt x"), say("Ok.")] }, config, { dir });
  expect(await ended(run)).toMatchObject([{ outcome: "refused", output: expect.stringContaining("write_file(secret/**)") }]);
  expect(denied.files.size).toBe(0);
  const decided = `autonomy: { architectureDecisions: requires_approval }\narchitecture: ["secret/**"]`;
  const waits = await start(new MemoryLayers(), { lead: [command("write kept/b.md x"), say("Ok.")] }, decided, { dir });
  expect(waits.questions).toMatchObject([{ kind: "approval", classes: ["architectureDecisions"] }]);
});

test("[AU15][AU18] stricter settings apply to a waiting layer when it is about to be applied", async () => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const run = await start(layers, { lead: [command("rm work.txt"), say("Ok.")] });
  writeFileSync(join(run.dir, "colloquy.yaml"), `language: en\n${FREE}\npermissions: { "write_file(work.txt)": deny }\n`);
  await run.w.project.questions.approve(idOf(run.questions[0]), { by: "anna" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  expect(layers.files.get("work.txt")).toBe("mine");
  expect(await ended(run)).toMatchObject([{ outcome: "refused", output: expect.stringContaining("the permissions forbid") }]);
});

test.each([
  ["run_command: deny", `"run_command": deny`, 'the permissions forbid "run_command"'],
  ["a pattern that fits the command", `"run_command(rm *)": deny`, 'the permissions forbid "run_command(rm *)"'],
])("[AU15] %s, set while an approval waits, stops the approved layer", async (_, permission, why) => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const run = await start(layers, { lead: [command("rm work.txt"), say("Ok.")] });
  writeFileSync(join(run.dir, "colloquy.yaml"), `language: en\n${FREE}\npermissions: { ${permission} }\n`);
  await run.w.project.questions.approve(idOf(run.questions[0]), { by: "anna" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  await settle();
  expect(layers.files.get("work.txt")).toBe("mine");
  expect(layers.waiting).toEqual([]);
  expect(await ended(run)).toMatchObject([{ outcome: "refused", output: expect.stringContaining(why) }]);
});

test.each([
  ["a rule", `permissions: { "run_command(rm *)": deny }`, 'Not applied: the permissions forbid "run_command(rm *)"'],
  ["a file that changed", "", "Not applied: work.txt changed while the command ran or waited for approval."],
])("[AU24] a person whose approved layer is stopped by %s is told, once, by name and with the reason", async (what, settings, why) => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const run = await start(layers, { lead: [command("rm work.txt"), say("Ok.")] });
  if (what === "a rule") writeFileSync(join(run.dir, "colloquy.yaml"), `language: en\n${FREE}\n${settings}\n`);
  else layers.files.set("work.txt", "a person's");
  await run.w.project.questions.approve(idOf(run.questions[0]), { by: "anna" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  expect(layers.files.has("work.txt")).toBe(true);
  const notices = run.w.project.notices.list();
  expect(notices).toMatchObject([{ dialog: run.dialog.id, class: "destructive", text: expect.stringContaining(why) }]);
  expect(notices[0]?.headline).toBe(`anna approved "${run.questions[0]?.headline}", and nothing was done. ${notices[0]?.text}`);
  const events = (await run.w.events(run.dialog.id)).map(({ type }) => type);
  expect(events.filter((type) => type === "notice.added" || type === "call.ended")).toEqual(["notice.added", "call.ended"]);
});

test("[AU24] an unapproved layer and an applied one give no such notice", async () => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const run = await start(layers, { lead: [command("rm work.txt"), say("Ok.")] });
  await run.w.project.questions.approve(idOf(run.questions[0]), { by: "anna" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  const other = await start(
    new MemoryLayers({ "a.txt": "a" }),
    { lead: [command("rm a.txt"), say("Ok.")] },
    `${FREE}\npermissions: { "write_file(a.txt)": deny }`,
  );
  expect([run.w.project.notices.list(), other.w.project.notices.list()]).toEqual([[], []]);
});

test("[AU15] the same after a restart, for every path of the layer", async () => {
  class Wide extends MemoryLayers {
    async touched() {
      return { changed: ["work.txt"], retimed: ["vendor/clock.txt"] };
    }
  }
  const layers = new Wide({ "work.txt": "mine" });
  const run = await start(layers, { lead: [command("rm work.txt"), say("Ok.")] });
  writeFileSync(join(run.dir, "colloquy.yaml"), `language: en\n${FREE}\npermissions: { "write_file(vendor/**)": deny }\n`);
  await run.w.project.questions.approve(idOf(run.questions[0]), { by: "anna" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  expect(layers.files.get("work.txt")).toBe("mine");
  expect(await ended(run)).toMatchObject([{ outcome: "refused", output: expect.stringContaining("write_file(vendor/**)") }]);
});

test("[AU19] approving similar calls applies waiting ones, and later ones don't ask", async () => {
  const layers = new MemoryLayers({ "a.txt": "1", "b.txt": "2" });
  const run = await start(layers, { lead: [command("rm a.txt"), command("rm b.txt"), say("Done.")] });
  await run.w.project.questions.approve(idOf(run.questions[0]), { by: "anna", scope: "project", pattern: "run_command(rm *)" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  expect(layers.files.size).toBe(0);
  expect(await run.w.project.questions.list()).toEqual([]);
});

test("[AU19][AU20] a grant given elsewhere approves a command that has run; if two touch one file, the second conflicts", async () => {
  const layers = new MemoryLayers({ "a.txt": "1" });
  const run = await start(layers, { lead: [command("rm a.txt"), say("Done.")] });
  const other = await run.w.project.dialogs.create({ content: "and you" });
  await run.w.project.dialogs.quiet(other.id);
  expect(layers.waiting).toHaveLength(2);
  await run.w.project.questions.approve(idOf(first(await run.w.project.questions.list())), {
    by: "anna",
    scope: "project",
    pattern: "run_command(rm *)",
  });
  await run.w.project.dialogs.quiet(run.dialog.id);
  await run.w.project.dialogs.quiet(other.id);
  await settle();
  expect(await run.w.project.questions.list()).toEqual([]);
  expect(layers.files.size).toBe(0);
  expect(layers.applied.size).toBe(1);
  const outcomes = [...(await ended(run)), ...(await ended({ ...run, dialog: other }))].map(({ outcome }) => outcome);
  expect(new Set(outcomes)).toEqual(new Set(["refused", undefined]));
});

test("[AU22] a stopped dialog applies nothing until it resumes", async () => {
  const gate = latch();
  const layers = new MemoryLayers();
  const dir = mkdtempSync(join(tmpdir(), "layers-"));
  writeFileSync(join(dir, "colloquy.yaml"), `${FREE}\n`);
  const running = latch();
  const tool = layers.tool(async (signal) => {
    running.open();
    await Promise.race([gate.opened, new Promise((_, no) => signal.addEventListener("abort", () => no(signal.reason)))]);
  });
  const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: [tool], default: true }];
  const w = await world({ telling: { lead: [command("write a.txt x"), say("Ok.")] }, agents, dir, staging: layers });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await running.opened;
  await w.project.dialogs.stop(dialog.id, { by: "anna" });
  gate.open();
  await w.project.dialogs.quiet(dialog.id);
  expect(layers.files.size).toBe(0);
  const [end] = (await w.events(dialog.id)).filter((event) => event.type === "call.ended");
  expect(end).toMatchObject({ outcome: "error", output: expect.stringContaining("None of its changes were applied") });
});

test("[AU22] giving up a turn discards its waiting layer", async () => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const run = await start(layers, { lead: [command("rm work.txt"), say("Ok.")] });
  await run.w.project.dialogs.done(run.dialog.id, { by: "anna" });
  await settle();
  expect(layers.waiting).toEqual([]);
  expect(layers.files.get("work.txt")).toBe("mine");
  expect(await ended(run)).toMatchObject([{ outcome: "refused" }]);
});

test("[AU22] layers of ended calls are removed when the project is opened; waiting ones stay", async () => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const telling = { lead: [command("rm work.txt"), say("Ok.")] };
  const run = await start(layers, telling);
  await run.w.project.close();
  const stray = layers.tool();
  await stray.run({ command: "write stray.txt x" }, { callId: "0".repeat(32), signal: new AbortController().signal } as never);
  expect(layers.waiting).toHaveLength(2);
  const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: [layers.tool()], default: true }];
  const again = await world({ telling, agents, dir: run.dir, staging: layers, disk: run.w.disk });
  expect(layers.waiting).toHaveLength(1);
  await again.project.questions.approve(idOf(first(await again.project.questions.list())), { by: "anna" });
  await again.project.dialogs.quiet(run.dialog.id);
  expect(layers.files.size).toBe(0);
  expect(await again.project.questions.list()).toEqual([]);
});

test("[AU22] other calls wait for it, as for any call with effects", async () => {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const run = await start(layers, {
    lead: [calls(["run_command", { command: "rm work.txt" }], ["run_command", { command: "write b.txt x" }]), say("Ok.")],
  });
  expect(layers.files.has("b.txt")).toBe(false);
  await run.w.project.questions.deny(idOf(run.questions[0]), { by: "anna" });
  await run.w.project.dialogs.quiet(run.dialog.id);
  expect(Object.fromEntries(layers.files)).toEqual({ "work.txt": "mine" });
});
