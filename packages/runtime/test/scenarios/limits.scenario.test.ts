import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryBacking } from "@colloquy/store";
import { call, calls, first, say, world, type WorldOptions } from "@colloquy/testing/internals";
import { settle } from "./tools.ts";

const HOUR = 3_600_000;
const team = [{ id: "lead", name: "Lead", role: "You lead.", tools: [], default: true }];
/** Each step costs a dollar. */
const costly = { lead: () => ({ ...say("done"), usage: { input: 1_000_000, output: 0 } }) };

function project(limits: string): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-day-"));
  writeFileSync(join(dir, "colloquy.yaml"), `limits: ${limits}\n`);
  return dir;
}

const play = (over: Partial<WorldOptions> = {}) =>
  world({ telling: costly, agents: team, contextWindow: 1_000_000_000, dir: project("{ costPerDay: 2 }"), ...over });

async function begin(w: Awaited<ReturnType<typeof play>>, content: string) {
  const dialog = await w.project.dialogs.create({ content });
  await w.project.dialogs.quiet(dialog.id);
  return dialog;
}

test("[S13] one question for the whole project; raising the limit resumes everything that waited", async () => {
  const w = await play();
  for (const name of ["one", "two", "three", "four"]) await begin(w, name);
  expect(w.requests).toHaveLength(2);
  const questions = await w.project.questions.list();
  expect(questions).toMatchObject([
    { kind: "limit", headline: "The project has reached limits.costPerDay: 2.00 of 2.00. How much more may be used?" },
  ]);
  expect(w.project.spentDay()).toEqual({ question: first(questions).id, until: "2026-01-02T00:00:00.000Z" });
  await w.project.questions.answer(first(questions).id, { choice: ["+5"], by: "anna" });
  for (const { rootId } of w.project.dialogs.list()) await w.project.dialogs.quiet(rootId);
  expect(w.requests).toHaveLength(4);
  expect(w.project.spentDay()).toBeUndefined();
  for (const name of ["five", "six", "seven"]) await begin(w, name);
  expect(w.requests).toHaveLength(7);
  await begin(w, "eight");
  expect(w.requests).toHaveLength(7);
  expect(await w.project.questions.list()).toHaveLength(1);
});

test("[S13] no more today: nothing is stopped, and everything resumes the next day", async () => {
  const w = await play();
  for (const name of ["one", "two", "three", "four"]) await begin(w, name);
  await w.project.questions.answer(first(await w.project.questions.list()).id, { choice: ["No more today"], by: "anna" });
  const five = await begin(w, "five");
  expect(w.requests).toHaveLength(2);
  expect(await w.project.questions.list()).toEqual([]);
  w.clock.advance(24 * HOUR);
  expect(await five.result()).toBe("done");
  for (const { rootId } of w.project.dialogs.list()) await w.project.dialogs.quiet(rootId);
  // They started together, before the first had cost anything; the next one hits the new day's limit.
  expect(w.requests).toHaveLength(5);
  await begin(w, "six");
  expect(w.requests).toHaveLength(5);
  expect(await w.project.questions.list()).toHaveLength(1);
});

test("[S13] an unanswered question ends with its day", async () => {
  const w = await play();
  for (const name of ["one", "two", "three"]) await begin(w, name);
  const { id, dialog } = first(await w.project.questions.list());
  w.clock.advance(24 * HOUR);
  await w.project.dialogs.get(dialog.rootId).result();
  expect(await w.project.questions.get(id)).toMatchObject({ status: "expired" });
  expect(w.requests).toHaveLength(3);
});

test("[S13] raising the limit in colloquy.yaml resumes everything that waited", async () => {
  const dir = project("{ costPerDay: 2 }");
  const w = await play({ dir });
  for (const name of ["one", "two", "three"]) await begin(w, name);
  await w.project.questions.answer(first(await w.project.questions.list()).id, { choice: ["No more today"] });
  writeFileSync(join(dir, "colloquy.yaml"), "limits: { costPerDay: 20.5 }\n");
  await begin(w, "four");
  for (const { rootId } of w.project.dialogs.list()) await w.project.dialogs.quiet(rootId);
  expect(w.requests).toHaveLength(4);
});

test("[S6] two turns of a tree that take too many steps share one question, and one answer resumes or stops both", async () => {
  const asks = (request: { messages: readonly unknown[] }) => ({
    calls: [{ tool: "add_reminder", input: { content: `${request.messages.length}` } }],
  });
  const busy = ({ messages }: { messages: readonly { role: string }[] }) =>
    messages.filter(({ role }) => role === "assistant").length < 20 ? asks({ messages }) : say("enough");
  const agents = ["lead", "coder", "reviewer"].map((id) => ({ id, name: id, role: id, tools: [], default: id === "lead" }));
  const delegations = ["coder", "reviewer"].map((recipient) => ({ recipient, prompt: "work" }));
  const start = async () => {
    const telling = {
      lead: [{ calls: [{ tool: "delegate", input: { delegations, wait: "all" } }] }, say("all done")],
      coder: busy,
      reviewer: busy,
    };
    const w = await world({ telling, agents, dir: project("{ stepsPerTurn: 3 }") });
    const dialog = await begin(w, "go");
    const [question, another] = await w.project.questions.list();
    expect(question).toMatchObject({ kind: "limit", headline: expect.stringContaining("limits.stepsPerTurn") });
    expect(another).toBeUndefined();
    return { w, dialog, id: first(await w.project.questions.list()).id };
  };
  const more = await start();
  await more.w.project.questions.answer(more.id, { choice: ["+50"] });
  expect(await more.dialog.result()).toBe("all done");

  const stopped = await start();
  await stopped.w.project.questions.answer(stopped.id, { choice: ["Stop"] });
  await stopped.w.project.dialogs.quiet(stopped.dialog.id);
  const states = (await stopped.w.project.dialogs.tree(stopped.dialog.id)).children.map(({ state }) => state);
  expect(states).toEqual(["stopped", "stopped"]);
});

test("[S13] no model is called beside the work, for titles or busy replies", async () => {
  const w = await play({ titleModel: "told/title" });
  await begin(w, "one");
  expect(w.requests).toHaveLength(2);
  const waiting = await begin(w, "two");
  await waiting.send("and?");
  await w.project.dialogs.quiet(waiting.id);
  expect(w.requests).toHaveLength(2);
  expect((await waiting.view()).title).toBe("two");
});

test("[N15][S7] the cost of a summary is counted", async () => {
  const lead = ({ messages }: { messages: readonly object[] }) => {
    const isSummary = JSON.stringify(messages.at(-1)).includes("Write a summary");
    return { ...say("done"), usage: { input: isSummary ? 4_000_000 : 950_000, output: 0 } };
  };
  const w = await play({ telling: { lead }, contextWindow: 1_000_000, dir: project("{ costPerTree: 5, tokensPerTree: 1000000000 }") });
  const dialog = await begin(w, "go");
  await dialog.send("on");
  await w.project.dialogs.quiet(dialog.id);
  expect((await dialog.view()).course).toBe(2);
  expect(await w.project.questions.list()).toMatchObject([{ kind: "limit", headline: expect.stringContaining("costPerTree") }]);
});

test("[S14] spending is known after a crash, and the question is asked once", async () => {
  const [disk, dir] = [memoryBacking(), project("{ costPerDay: 2 }")];
  const before = await play({ disk, dir });
  for (const name of ["one", "two", "three"]) await begin(before, name);
  const asked = first(await before.project.questions.list());
  const after = await play({ disk, dir });
  await begin(after, "four");
  expect(after.requests).toEqual([]);
  expect(await after.project.questions.list()).toMatchObject([{ id: asked.id }]);
  await after.project.questions.answer(asked.id, { choice: ["+5"] });
  for (const { rootId } of after.project.dialogs.list()) await after.project.dialogs.quiet(rootId);
  expect(after.requests).toHaveLength(2);
});

test("[S14] a question withdrawn with its tree is asked again in another", async () => {
  const w = await play();
  for (const name of ["one", "two", "three", "four"]) await begin(w, name);
  const { dialog } = first(await w.project.questions.list());
  await w.project.dialogs.archive(dialog.rootId);
  const left = first(w.project.dialogs.list().filter((entry) => entry.hot));
  await w.project.dialogs.quiet(left.rootId);
  expect(await w.project.questions.list()).toMatchObject([{ dialog: { rootId: left.rootId }, kind: "limit" }]);
  expect(w.requests).toHaveLength(2);
});

/** Each step costs a dollar; the fourth is the last. */
const steady = (nth: number) => ({
  ...(nth < 4 ? call("add_reminder", { content: `${nth}` }) : say("done")),
  usage: { input: 1_000_000, output: 0 },
});

test("[S17] raised in colloquy.yaml while everything is idle, each of several limits is lifted, and says why nobody need decide", async () => {
  const dir = project("{ costPerTree: 1.5, stepsPerTurn: 1 }");
  let steps = 0;
  const w = await play({ dir, telling: { lead: () => steady(++steps) } });
  const dialog = await begin(w, "go");
  const ask = async () => (await w.project.questions.list()).map(({ kind, headline }) => `${kind} ${/limits\.(\w+)/.exec(headline)?.[1]}`);
  expect(await ask()).toEqual(["limit stepsPerTurn"]);
  const { id } = first(await w.project.questions.list());
  writeFileSync(join(dir, "colloquy.yaml"), "limits: { costPerTree: 1.5, stepsPerTurn: 200 }\n");
  w.clock.advance(2_000);
  await settle();
  await w.project.dialogs.quiet(dialog.id);
  expect(await w.project.questions.get(id)).toMatchObject({ status: "withdrawn" });
  expect(await ask()).toEqual(["limit costPerTree"]);
  writeFileSync(join(dir, "colloquy.yaml"), "limits: { stepsPerTurn: 200 }\n");
  w.clock.advance(2_000);
  expect(await dialog.result()).toBe("done");
  expect(await w.project.questions.list()).toEqual([]);
  const closed = (await w.events(dialog.id)).flatMap((event) => (event.type === "question.closed" ? [event] : []));
  expect(closed).toMatchObject([
    { as: "withdrawn", content: expect.stringContaining("limits.stepsPerTurn has room again (1 of 200)") },
    { as: "withdrawn", content: expect.stringContaining("limits.costPerTree is no longer set") },
  ]);
});

test("[S17] raising the day's limit withdraws its question and resumes everything that waited", async () => {
  const dir = project("{ costPerDay: 2 }");
  const w = await play({ dir });
  for (const name of ["one", "two", "three", "four"]) await begin(w, name);
  const { id } = first(await w.project.questions.list());
  writeFileSync(join(dir, "colloquy.yaml"), "limits: { costPerDay: 20.5 }\n");
  w.clock.advance(2_000);
  await settle();
  for (const { rootId } of w.project.dialogs.list()) await w.project.dialogs.get(rootId).result();
  expect(w.requests).toHaveLength(4);
  expect(await w.project.questions.get(id)).toMatchObject({ status: "withdrawn" });
  expect(w.project.spentDay()).toBeUndefined();
});

test("[S17] a limit raised while no process ran is lifted at the next start", async () => {
  const dir = project("{ costPerTree: 0.5 }");
  const w = await play({ dir });
  const dialog = await begin(w, "go");
  await dialog.send("more");
  await w.project.dialogs.quiet(dialog.id);
  expect(await w.project.questions.list()).toMatchObject([{ kind: "limit" }]);
  await w.project.close();
  writeFileSync(join(dir, "colloquy.yaml"), "limits: { costPerTree: 50.5 }\n");
  const again = await play({ dir, disk: w.disk });
  expect(await again.project.dialogs.get(dialog.id).result()).toBe("done");
  expect(again.requests).toHaveLength(1);
  expect(await again.project.questions.list()).toEqual([]);
});

test("[S18] an answered ask releases the call held by openAsks, without a person", async () => {
  const agents = ["lead", "coder"].map((id) => ({ id, name: id, role: "You work.", tools: [], default: id === "lead" }));
  const ask = (tellaskContent: string) => ["tellaskSessionless", { targetAgentId: "coder", tellaskContent }] as const;
  const w = await world({
    agents,
    dir: project("{ openAsks: 1 }"),
    telling: { lead: [calls(ask("One"), ask("Two"), ask("Three")), say("All three.")], coder: () => say("Built.") },
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("All three.");
  const events = await w.events(dialog.id);
  expect(events.filter(({ type }) => type === "question.asked")).toHaveLength(1);
  expect(events.filter(({ type }) => type === "ask.answered")).toHaveLength(3);
});
