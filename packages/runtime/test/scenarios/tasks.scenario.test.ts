import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelRequest } from "@colloquy/models";
import { Fault, type QuestionId, type QuestionView } from "@colloquy/schema";
import { memoryBacking } from "@colloquy/store";
import { expect, test } from "vitest";
import { call, calls, fail, say, type Telling, type Told, world, type World, type WorldOptions } from "@colloquy/testing/internals";
import { latch, settle } from "./tools.ts";

const team = [
  { id: "lead", name: "Lead", role: "You lead.", default: true, tools: ["tasks"] },
  { id: "analyst", name: "Analyst", role: "You sort feedback.", handles: ["feedback"] as const, tools: ["tasks"] },
  { id: "dreamer", name: "Dreamer", role: "You write requirements.", handles: ["prd"] as const, tools: ["tasks"] },
  { id: "planner", name: "Planner", role: "You plan.", handles: ["plan"] as const, tools: ["tasks"] },
  { id: "coder", name: "Coder", role: "You code.", handles: ["task"] as const, tools: ["tasks"] },
];
const ok = (summary = "done"): Told => say(JSON.stringify({ status: "success", summary }));
const failed = (summary = "no luck", ...questions: readonly unknown[]): Told =>
  say(JSON.stringify({ status: "failed", summary, ...(questions.length > 0 && { open_questions: questions }) }));
const asking = (...questions: readonly unknown[]): Told => say(JSON.stringify({ open_questions: questions }));
const idOf = (question: QuestionView | undefined): QuestionId => question?.id ?? ("" as QuestionId);
const open = (telling: Telling, over: Partial<WorldOptions> = {}) => world({ telling, agents: team, ...over });
const lastText = ({ messages }: ModelRequest): string => JSON.stringify(messages.at(-1));
const shown = (w: World, nth = -1): string => JSON.stringify(w.requests.at(nth)?.messages);

test("[TK1] a task is open, taken, closed; its dialog has its Taskdoc with config.json", async () => {
  const files = new Map<string, string>();
  const w = await open({ coder: [ok("Fixed the date.")] }, { files });
  const task = await w.project.tasks.create({ title: "Fix the date", description: "It is wrong in May.", by: "anna" });
  expect(task).toMatchObject({
    status: "open",
    assignee: null,
    blockReason: null,
    dialogs: [],
    questions: [],
    kind: "task",
    source: "execute",
    sourceId: task.id,
  });
  await w.project.tasks.run();
  const done = w.project.tasks.get(task.id.slice(-6));
  expect(done).toMatchObject({ status: "closed", assignee: null, summary: "Fixed the date." });
  expect(done.history.map((one) => one.what)).toEqual(["created", "taken", "closed"]);
  const folder = `tasks/fix-the-date-${task.id.slice(-6)}.tsk`;
  expect(files.get(`${folder}/goals.md`)).toBe("# Fix the date\n\nIt is wrong in May.\n");
  expect(JSON.parse(files.get(`${folder}/config.json`) ?? "")).toEqual({
    taskId: task.id,
    kind: "task",
    source: "execute",
    sourceId: task.id,
    hilConfig: {
      scopeChanges: "notify_and_proceed",
      architectureDecisions: "notify_and_proceed",
      dependencyModifications: "notify_and_proceed",
    },
  });
  expect(w.requests[0]?.system.join("\n")).toContain("It is wrong in May.");
  expect(w.requests).toHaveLength(1);
});

test("[TK2] ready: open, with closed dependencies; a cycle is refused, and one msgId makes one task", async () => {
  const w = await open({ coder: ({ messages }) => ok(JSON.stringify(messages).includes("First") ? "1" : "2") });
  const first = await w.project.tasks.create({ title: "First", msgId: "m1" });
  expect((await w.project.tasks.create({ title: "First", msgId: "m1" })).id).toBe(first.id);
  await expect(w.project.tasks.create({ title: "Other", msgId: "m1" })).rejects.toMatchObject({ code: "msg_id_reused" });
  const second = await w.project.tasks.create({ title: "Second", dependsOn: [first.id.slice(-8)] });
  const third = await w.project.tasks.create({ title: "Third", dependsOn: [second.id, first.id] });
  expect(w.project.tasks.ready().map((task) => task.title)).toEqual(["First"]);
  await expect(w.project.tasks.update(first.id, { dependsOn: [third.id] })).rejects.toMatchObject({
    code: "circle",
    message: "The task would wait for itself: First → Third → Second → First.",
  });
  await expect(w.project.tasks.update(first.id, { dependsOn: [first.id] })).rejects.toMatchObject({ code: "circle" });
  await expect(w.project.tasks.create({ title: "x", dependsOn: ["nothing"] })).rejects.toMatchObject({ code: "not_found" });
  await expect(w.project.tasks.create({ title: " " })).rejects.toMatchObject({ code: "bad_request" });
  await expect(w.project.tasks.create({ title: "x", kind: "prd" })).rejects.toMatchObject({ code: "bad_request" });
  await w.project.tasks.run();
  const order = w.project.tasks.list({ status: "closed" }).toSorted((a, b) => ((a.closedAt ?? "") < (b.closedAt ?? "") ? -1 : 1));
  expect(w.project.tasks.list({ status: "open" })).toEqual([]);
  expect(order).toHaveLength(3);
  await expect(w.project.tasks.update(first.id, { title: "x" })).rejects.toMatchObject({ code: "task_closed" });
});

test("[TK3] failed with questions: unassigned and blocked; answered: open, and the same dialog is driven once with questions and answers", async () => {
  const w = await open({
    coder: [failed("unclear", { id: "q1", text: "Which database?", options: ["A", "B"] }, "Paginated?"), ok("Built with A.")],
  });
  const { id } = await w.project.tasks.create({ title: "Build the API" });
  await w.project.tasks.run();
  const blocked = w.project.tasks.get(id);
  expect(blocked).toMatchObject({ status: "blocked", assignee: null, blockReason: "Open Question", questions: expect.arrayContaining([]) });
  expect(blocked.questions).toHaveLength(2);
  expect(w.project.tasks.ready()).toEqual([]);
  const questions = await w.project.questions.list();
  expect(questions).toMatchObject([{ source: "execute", sourceId: id }, { source: "execute" }]);
  const [first, second] = ["Which database?", "Paginated?"].map((headline) => idOf(questions.find((one) => one.headline === headline)));
  await w.project.questions.answer(first ?? ("" as QuestionId), { choice: ["A"], by: "anna" });
  await settle();
  expect(w.project.tasks.get(id).status).toBe("blocked");
  await w.project.questions.answer(second ?? ("" as QuestionId), { content: "No", by: "anna" });
  await settle();
  // Answers drive nothing by themselves.
  expect(w.requests).toHaveLength(1);
  expect(w.project.tasks.get(id)).toMatchObject({ status: "open", blockReason: null, failures: 0 });
  expect(w.project.tasks.ready().map((task) => task.id)).toEqual([id]);
  await w.project.tasks.run();
  expect(w.requests).toHaveLength(2);
  expect(shown(w)).toContain("anna answered: A");
  expect(shown(w)).toContain("Which database?");
  expect(shown(w)).toContain("anna answered: No");
  expect(w.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "Built with A.", dialogs: blocked.dialogs });
});

test("[TK3] also when its mind was cleared in between", async () => {
  const w = await open({
    coder: ({ course, messages }) => (course === 1 && messages.length === 1 ? failed("unclear", "Which database?") : ok()),
  });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { content: "SQLite", by: "anna" });
  const [dialog] = w.project.tasks.get(id).dialogs;
  if (dialog) await w.project.dialogs.clearMind(dialog);
  await w.project.tasks.run();
  expect(shown(w)).toContain("Which database?");
  expect(shown(w)).toContain("anna: SQLite");
  expect(w.project.tasks.get(id).status).toBe("closed");
});

test("[TK4] askHuman leaves the task taken; it is blocked meanwhile, and its dialog resumes by itself", async () => {
  const w = await open({ coder: [call("askHuman", { tellaskContent: "Which?" }), ok()] });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id)).toMatchObject({ status: "blocked", assignee: "coder" });
  const [question] = await w.project.questions.list();
  expect(question).toMatchObject({ source: "execute", sourceId: id });
  await w.project.questions.answer(idOf(question), { content: "A" });
  await settle();
  expect(w.project.tasks.get(id).status).toBe("closed");
  expect(w.requests).toHaveLength(2);
});

test("[TK5] success with questions closes only after they are closed, however that happens", async () => {
  const w = await open({ coder: [say('{"status":"success","summary":"Built.","open_questions":["Nice?","Fast?"]}')] });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id)).toMatchObject({ status: "blocked", assignee: "coder" });
  const [one, two] = await w.project.questions.list();
  await w.project.questions.dismiss(idOf(one));
  expect(w.project.tasks.get(id).status).toBe("blocked");
  await w.project.questions.answer(idOf(two), { content: "Yes" });
  expect(w.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "Built." });
  expect(w.requests).toHaveLength(1);
});

test("[TK6] no status: told once, then success with the text as summary; feedback at once", async () => {
  const w = await open({ coder: [say("I did it."), say("Really, I did it.")], analyst: [say("Nothing to do here.")] });
  const task = await w.project.tasks.create({ title: "Build" });
  const feedback = await w.project.tasks.create({ title: "Thanks!", kind: "feedback" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(task.id)).toMatchObject({ status: "closed", summary: "Really, I did it." });
  expect(w.requests.filter((one) => one.agent === "coder")).toHaveLength(2);
  expect(lastText(w.requests.filter((one) => one.agent === "coder")[1] as ModelRequest)).toContain("You did not say how it went");
  expect(w.project.tasks.get(feedback.id)).toMatchObject({ status: "closed", summary: "Nothing to do here." });
  expect(w.requests.filter((one) => one.agent === "analyst")).toHaveLength(1);
});

test("[TK7] failures are counted; after three a person is asked instead of another try", async () => {
  const w = await open({ coder: [failed("one"), failed("two"), failed("three"), failed("four"), ok("at last")] });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id)).toMatchObject({ status: "blocked", failures: 3, assignee: null });
  expect(w.requests).toHaveLength(3);
  expect(shown(w)).toContain("The last attempt failed: two");
  const [question] = await w.project.questions.list();
  expect(question).toMatchObject({
    kind: "fault",
    headline: '"Build" has failed 3 times. Try again?',
    options: [{ label: "Try again" }, { label: "Close it" }],
  });
  await w.project.questions.answer(idOf(question), { content: "Use the other library.", by: "anna" });
  await w.project.tasks.run();
  expect(shown(w)).toContain("Use the other library.");
  expect(w.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "at last" });
});

test("[TK7] or it is closed then", async () => {
  const w = await open({ coder: () => failed() });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { choice: ["Close it"], by: "anna" });
  expect(w.project.tasks.get(id).status).toBe("closed");
});

test("[Q26] a task to be closed is closed, even if the project's language has changed", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-language-"));
  writeFileSync(join(dir, "colloquy.yaml"), "language: en\n");
  const w = await open({ coder: () => failed(), lead: () => say("Hello.") }, { dir });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  writeFileSync(join(dir, "colloquy.yaml"), "language: zh\n# another size\n");
  const other = await w.project.dialogs.create({ content: "Hello" });
  await w.project.dialogs.quiet(other.id);
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { choice: ["Close it"], by: "anna" });
  expect(w.project.tasks.get(id)).toMatchObject({ status: "closed" });
});

test("[TK8] a limited number at once; those that wait for people don't count", async () => {
  const w = await open({
    coder: ({ messages }) => (messages.length === 1 ? call("askHuman", { tellaskContent: "Which?" }) : ok()),
  });
  for (const nth of [1, 2, 3, 4, 5]) await w.project.tasks.create({ title: `Task ${nth}` });
  await w.project.tasks.run({ concurrency: 1 });
  expect(w.project.tasks.list({ status: "blocked" })).toHaveLength(5);
  for (const question of await w.project.questions.list()) await w.project.questions.answer(question.id, { content: "A" });
  await w.project.tasks.run({ concurrency: 1 });
  expect(w.project.tasks.list({ status: "closed" })).toHaveLength(5);
});

test("[TK8] a started orchestrator reacts to events", async () => {
  const w = await open({ coder: [failed("unclear", "Which?"), ok()] });
  w.project.tasks.start();
  const { id } = await w.project.tasks.create({ title: "Build" });
  await settle(5);
  expect(w.project.tasks.get(id).status).toBe("blocked");
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { content: "A" });
  await settle(5);
  expect(w.project.tasks.get(id).status).toBe("closed");
  await w.project.close();
});

test("[TK8] a kind that nobody takes is reported once, and blocks nobody", async () => {
  const w = await world({ telling: { coder: [ok()] }, agents: team.filter((one) => one.id !== "analyst") });
  await w.project.tasks.create({ title: "Feedback", kind: "feedback" });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id).status).toBe("closed");
  expect(w.reports.filter((one) => one.includes('nobody takes tasks of kind "feedback"'))).toHaveLength(1);
});

test("[TK8] once somebody takes that kind, it is assigned", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tasks-"));
  const handles = (kinds: string) =>
    writeFileSync(join(dir, "colloquy.yaml"), `agents: { writer: { role: "You write.", handles: [${kinds}] } }\n`);
  handles("task");
  const w = await world({ telling: { writer: () => ok() }, agents: [], dir });
  const { id } = await w.project.tasks.create({ title: "Feedback", kind: "feedback" });
  w.project.tasks.start();
  await settle();
  expect(w.project.tasks.get(id).status).toBe("open");
  handles("task, feedback");
  await w.project.tasks.create({ title: "Another" });
  await settle();
  expect(w.project.tasks.get(id).status).toBe("closed");
  await w.project.close();
});

test("[TK9] the analyst asks about vague feedback, and creates nothing until it is answered", async () => {
  const w = await open({
    analyst: [
      { say: '{"open_questions":["What is slow?"]}', calls: [{ tool: "create_task", input: { title: "Make it fast" } }] },
      calls(["create_task", { title: "Speed up search" }], ["create_task", { title: "Measure it" }]),
      say("Two tasks."),
    ],
    coder: () => ok(),
  });
  const { id } = await w.project.tasks.create({ title: "It is slow", kind: "feedback" });
  await w.project.tasks.run();
  expect(w.project.tasks.list()).toHaveLength(1);
  expect(w.project.tasks.get(id).status).toBe("blocked");
  const [question] = await w.project.questions.list();
  expect(question).toMatchObject({ source: "eval", sourceId: id });
  await w.project.questions.answer(idOf(question), { content: "The search.", by: "anna" });
  await settle();
  await w.project.tasks.run();
  const made = w.project.tasks.list({ kind: "task" });
  expect(made.map((task) => [task.title, task.from, task.status])).toEqual([
    ["Speed up search", id, "closed"],
    ["Measure it", id, "closed"],
  ]);
});

test("[TK9] while its question is open, create_task is refused in the same step and in side dialogs", async () => {
  const w = await open({
    analyst: [calls(["askHuman", { tellaskContent: "What is slow?" }], ["create_task", { title: "Guess" }]), say("ok")],
  });
  await w.project.tasks.create({ title: "It is slow", kind: "feedback" });
  await w.project.tasks.run();
  expect(w.project.tasks.list()).toHaveLength(1);
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { content: "x" });
  await settle();
  expect(shown(w)).toContain("a question about this is still open");
});

test("[OQ8] one confirmation in a feedback cycle; for a second one the agent is told to decide", async () => {
  const sure = (text: string) => ({ text, kind: "confirmation" });
  const w = await open({
    analyst: [asking(sure("Are you sure?")), asking(sure("Really sure?")), calls(["create_task", { title: "Do it" }]), say("Decided.")],
    coder: () => ok(),
  });
  const { id } = await w.project.tasks.create({ title: "Delete everything", kind: "feedback" });
  await w.project.tasks.run();
  const [question] = await w.project.questions.list();
  expect(question).toMatchObject({ kind: "confirmation", headline: "Are you sure?" });
  await w.project.questions.answer(idOf(question), { content: "Yes" });
  await w.project.tasks.run();
  expect(await w.project.questions.list()).toEqual([]);
  expect(JSON.stringify(w.requests.filter((one) => one.agent === "analyst")[2]?.messages)).toContain(
    "a second is not possible. Decide yourself.",
  );
  expect(w.project.tasks.get(id).status).toBe("closed");
  expect(w.project.tasks.list({ kind: "task" })).toHaveLength(1);
});

test("[OQ7] a task that repeats a question gets the first answer, in the same run", async () => {
  const w = await open({ coder: [failed("?", "Which?"), failed("?", "Which?"), ok("with A")] });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { content: "A", by: "anna" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "with A" });
  expect(shown(w)).toContain("You asked this before. anna answered: A");
});

test("[TK24] a task that asks while a message arrives is blocked, not closed, and continues with the answer", async () => {
  const gate = latch();
  const w = await open({ coder: [{ ...failed("unclear", "Which?"), hold: gate.opened }, say("Noted."), ok("with A")] });
  const { id } = await w.project.tasks.create({ title: "Build" });
  const run = w.project.tasks.run();
  await settle();
  const [dialog] = w.project.tasks.get(id).dialogs;
  await w.project.dialogs.send(dialog ?? ("" as never), { content: "In blue, please.", by: "anna" });
  gate.open();
  await settle();
  const [question] = await w.project.questions.list();
  expect(question).toMatchObject({ headline: "Which?" });
  expect(w.project.tasks.get(id)).toMatchObject({ status: "blocked" });
  await w.project.questions.answer(idOf(question), { content: "A", by: "anna" });
  await run;
  await w.project.tasks.run();
  expect(w.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "with A" });
  expect(shown(w, 1)).toContain("In blue, please.");
  expect(shown(w)).toContain("You did not say how it went");
});

test("[TK24] a stated failure counts until the agent states something else", async () => {
  const gate = latch();
  const w = await open({ coder: [{ ...failed("no key"), hold: gate.opened }, say("Noted."), say("As I said."), ok("got a key")] });
  const { id } = await w.project.tasks.create({ title: "Build" });
  const run = w.project.tasks.run();
  await settle();
  const [dialog] = w.project.tasks.get(id).dialogs;
  await w.project.dialogs.send(dialog ?? ("" as never), { content: "How is it going?", by: "anna" });
  gate.open();
  await run;
  await w.project.tasks.run();
  const { status, history } = w.project.tasks.get(id);
  expect([status, history.map(({ what }) => what)]).toEqual(["closed", ["created", "taken", "failed", "taken", "closed"]]);
});

test("[TK24] a failure closes nothing, whatever it marks, and wherever it appears", async () => {
  const nested = say('{"status":"success"} {"result":{"status":"failed","summary":"The tests fail."}}');
  const w = await open({ coder: [{ ...failed("no"), calls: [{ tool: "mark_done" }] }, nested, ok("Now.")] });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id).history.map(({ what }) => what)).toEqual(["created", "taken", "failed", "taken", "closed"]);
  expect(shown(w, 1)).toContain("mark_done was not run: your output says that the task has failed");
});

test("[TK24] mark_done stays refused in later steps, until the agent states another status", async () => {
  const done = call("mark_done", {});
  const w = await open({
    coder: [{ ...failed("no"), calls: [{ tool: "mark_done" }] }, done, { ...ok("Now."), calls: [{ tool: "mark_done" }] }],
  });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  expect(shown(w, 2)).toContain("mark_done was not run: your output says that the task has failed");
  expect(w.project.tasks.get(id)).toMatchObject({ status: "closed", failures: 0 });
  expect(w.requests).toHaveLength(3);
});

test("[TK9] a section with an open question is never written, not even in the step that asks", async () => {
  const files = new Map<string, string>();
  const write = (content: string, sectionKey = "search") => call("update_prd", { sectionKey, content });
  const w = await open(
    {
      dreamer: [
        calls(["askHuman", { tellaskContent: "For whom?" }], ["update_prd", { sectionKey: "search", content: "A guess." }]),
        write("For shops."),
        say("Written."),
      ],
      lead: [write("Mine."), write("Of another.", "other"), say("ok"), write("Now mine."), say("ok")],
    },
    { files },
  );
  await w.project.tasks.create({ title: "Search", kind: "prd", key: "search" });
  await w.project.tasks.run();
  expect(files.has("prd/search.md")).toBe(false);
  const dialog = await w.project.dialogs.create({ content: "go", agent: "lead" });
  await dialog.result();
  expect(shown(w)).toContain("update_prd was not run: a question about this is still open");
  expect(files.get("prd/other.md")).toBe("Of another.");
  expect(files.has("prd/search.md")).toBe(false);
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { content: "Shops." });
  await settle();
  expect(files.get("prd/search.md")).toBe("For shops.");
});

test("[TK9] a task of any kind writes no section while its own question is open", async () => {
  const files = new Map<string, string>();
  const w = await open(
    {
      coder: [
        calls(["askHuman", { tellaskContent: "Which?" }], ["update_prd", { sectionKey: "other", content: "A guess." }]),
        call("update_prd", { sectionKey: "other", content: "Known." }),
        ok("Done."),
      ],
    },
    { files },
  );
  await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  expect(files.has("prd/other.md")).toBe(false);
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { content: "This." });
  await settle();
  expect(files.get("prd/other.md")).toBe("Known.");
});

test("[OQ7] an answered question about a section is not asked again by another dialog", async () => {
  const asks = ({ messages }: ModelRequest) =>
    JSON.stringify(messages).includes("answered") ? say("Then so.") : asking({ text: "For whom?", options: ["Shops", "People"] });
  const w = await open({ dreamer: asks });
  await w.project.tasks.create({ title: "Search", kind: "prd", key: "search" });
  await w.project.tasks.run();
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { choice: ["Shops"], by: "anna" });
  await w.project.tasks.run();
  await w.project.close();
  const again = await open({ dreamer: asks }, { disk: w.disk });
  const second = await again.project.tasks.create({ title: "Search again", kind: "prd", key: "search" });
  await again.project.tasks.run();
  expect(await again.project.questions.list()).toEqual([]);
  expect(again.project.tasks.get(second.id)).toMatchObject({ status: "closed", summary: "Then so." });
  expect(shown(again)).toContain("You asked this before. anna answered: Shops");
  const other = await again.project.tasks.create({ title: "Other", kind: "prd", key: "other" });
  await again.project.tasks.run();
  expect(again.project.tasks.get(other.id).status).toBe("blocked");
});

test("[OQ13] two dialogs that ask the same about a section share one question, and both continue with its answer", async () => {
  const files = new Map<string, string>();
  const asks = ({ messages }: ModelRequest) =>
    JSON.stringify(messages).includes("answered") ? say("Then so.") : asking({ text: "For whom?", options: ["Shops", "People"] });
  const w = await open({ dreamer: asks }, { files });
  const tasks = await Promise.all(["One", "Two", "Three"].map((title) => w.project.tasks.create({ title, kind: "prd", key: "search" })));
  await w.project.tasks.run();
  const questions = await w.project.questions.list();
  expect(questions).toMatchObject([{ headline: "For whom?" }]);
  expect(w.project.questions.count()).toBe(1);
  expect((await w.project.notifications.list({ status: "open" })).items).toHaveLength(1);
  expect(tasks.map(({ id }) => w.project.tasks.get(id).status)).toEqual(["blocked", "blocked", "blocked"]);
  const shared = (await w.project.questions.list({ all: true })).filter(({ shares }) => shares !== undefined);
  expect(shared.map(({ shares }) => shares)).toEqual([questions[0]?.id, questions[0]?.id]);
  await expect(w.project.questions.answer(idOf(shared[0]), { content: "Me." })).rejects.toMatchObject({ code: "question_not_open" });
  await w.project.questions.answer(idOf(questions[0]), { choice: ["Shops"], by: "anna" });
  await w.project.tasks.run();
  expect(tasks.map(({ id }) => w.project.tasks.get(id))).toMatchObject(Array(3).fill({ status: "closed", summary: "Then so." }));
  expect((await w.project.questions.list({ all: true })).map(({ status, answer }) => [status, answer?.by])).toEqual(
    Array(3).fill(["answered", "anna"]),
  );
  expect(w.requests).toHaveLength(6);
});

test("[OQ13] askHuman shares it as well; if it is withdrawn, the other dialog is told and asks again", async () => {
  const w = await open({
    dreamer: ({ messages }) => {
      const said = JSON.stringify(messages);
      if (said.includes("dismissed the question")) return say("I decide.");
      return call("askHuman", { tellaskContent: "For whom?" });
    },
  });
  const [one, two] = await Promise.all(["One", "Two"].map((title) => w.project.tasks.create({ title, kind: "prd", key: "search" })));
  const run = w.project.tasks.run();
  await settle();
  const [first] = await w.project.questions.list();
  expect(await w.project.questions.list()).toHaveLength(1);
  // The dialog that asked it is closed.
  const [asker, other] = first?.dialog.rootId === w.project.tasks.get(one?.id ?? "").dialogs[0] ? [one, two] : [two, one];
  await w.project.tasks.close(asker?.id ?? "", { by: "anna" });
  await settle();
  const [second] = await w.project.questions.list();
  expect(second?.dialog.rootId).toBe(w.project.tasks.get(other?.id ?? "").dialogs[0]);
  expect(second).not.toHaveProperty("shares");
  await w.project.questions.dismiss(idOf(second), { by: "ben" });
  await run;
  await w.project.tasks.run();
  expect(w.project.tasks.get(other?.id ?? "")).toMatchObject({ status: "closed", summary: "I decide." });
});

test("[TK10] the dreamer writes sections by key, the planner makes tasks with dependencies, by plan", async () => {
  const files = new Map<string, string>();
  const w = await open(
    {
      dreamer: [call("update_prd", { sectionKey: "search", content: "Search must be fast." }), say("Written.")],
      planner: [
        calls([
          "create_plan",
          {
            tasks: [
              { key: "b", title: "Second", dependsOn: ["a"] },
              { key: "a", title: "First" },
            ],
          },
        ]),
        say("Planned."),
      ],
      coder: () => ok(),
    },
    { files },
  );
  await w.project.tasks.create({ title: "Search", kind: "prd", key: "search" });
  const plan = await w.project.tasks.create({ title: "Plan the search", kind: "plan" });
  await w.project.tasks.run();
  expect(files.get("prd/search.md")).toBe("Search must be fast.");
  const [first, second] = ["First", "Second"].map((title) => w.project.tasks.list().find((task) => task.title === title));
  expect(first).toMatchObject({ from: plan.id, key: "a", status: "closed" });
  expect(second).toMatchObject({ from: plan.id, dependsOn: [first?.id], status: "closed" });
  expect((first?.closedAt ?? "") <= (second?.closedAt ?? "")).toBe(true);
});

test("[TK10] a plan with a dependency cycle creates no tasks", async () => {
  const w = await open({
    planner: [
      call("create_plan", {
        tasks: [
          { key: "a", title: "A", dependsOn: ["b"] },
          { key: "b", title: "B", dependsOn: ["a"] },
        ],
      }),
      say("hm"),
    ],
  });
  await w.project.tasks.create({ title: "Plan", kind: "plan" });
  await w.project.tasks.run();
  expect(shown(w)).toContain("depend on each other: a, b");
  expect(w.project.tasks.list()).toHaveLength(1);
});

test("[TK11] update_task changes and closes; agents without the group have none of these tools", async () => {
  const w = await open({ lead: [call("create_task", { title: "Old" }), say("ok"), call("create_task", { title: "No" })] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  const [task] = w.project.tasks.list();
  expect(task).toMatchObject({ title: "Old", createdBy: "lead" });
  const other = await world({ telling: { lead: [call("create_task", { title: "x" }), say("ok")] } });
  const plain = await other.project.dialogs.create({ content: "go" });
  await plain.result();
  expect(other.project.tasks.list()).toEqual([]);
  expect(shown(other)).toContain('There is no tool \\"create_task\\"');
  await w.project.tasks.update(task?.id ?? "", { title: "New", description: "More." });
  expect(await w.project.tasks.close(task?.id ?? "", { why: "not needed", by: "anna" })).toMatchObject({
    title: "New",
    status: "closed",
    summary: "not needed",
  });
});

test("[TK12] a person who closes or gives up the dialog decides the task with it", async () => {
  const w = await open({ coder: ({ messages }) => (messages.length === 1 ? call("askHuman", { tellaskContent: "Which?" }) : ok()) });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  const [dialog] = w.project.tasks.get(id).dialogs;
  if (dialog) await w.project.dialogs.done(dialog, { by: "anna" });
  expect(w.project.tasks.get(id)).toMatchObject({ status: "closed", assignee: null });
  expect(w.project.tasks.get(id).history.at(-1)).toMatchObject({ what: "closed", by: "anna" });
});

test("[TK12] closing a task aborts its work, and its dialog is done", async () => {
  const gate = latch();
  const w = await open({ coder: [{ hold: gate.opened, say: "too late" }] });
  const { id } = await w.project.tasks.create({ title: "Build" });
  w.project.tasks.start();
  await settle();
  expect(w.project.tasks.get(id).status).toBe("in_progress");
  expect(await w.project.tasks.close(id, { why: "not needed", by: "anna" })).toMatchObject({ status: "closed", summary: "not needed" });
  expect(w.project.tasks.get(id).history.at(-1)).toMatchObject({ what: "closed", by: "anna", why: "not needed" });
  gate.open();
  await settle();
  expect(w.project.dialogs.list()).toMatchObject([{ status: "completed" }]);
  expect(w.requests).toHaveLength(1);
  await w.project.close();
});

test("[TK11] an agent closes a task that hasn't started; a started one is closed by a person, or by its owner's reply", async () => {
  const titled = (title: string) => w.project.tasks.list().find((task) => task.title === title)?.id ?? "";
  const w: World = await open({
    coder: ({ messages }) => {
      if (JSON.stringify(messages).includes("Busy")) return call("askHuman", { tellaskContent: "Which?" });
      const nth = messages.filter((message) => message.role === "assistant").length;
      return [
        call("update_task", { task: titled("Idle"), close: "not needed" }),
        call("update_task", { task: titled("Busy"), close: "not needed" }),
        call("update_task", { task: titled("Mine"), close: "not needed" }),
        ok(),
      ][nth] as Told;
    },
  });
  await w.project.tasks.create({ title: "Busy" });
  await w.project.tasks.run();
  const mine = await w.project.tasks.create({ title: "Mine" });
  await w.project.tasks.create({ title: "Idle", dependsOn: [mine.id] });
  await w.project.tasks.run();
  expect(w.project.tasks.list().map(({ title, status }) => `${title} ${status}`)).toEqual(["Busy blocked", "Mine closed", "Idle closed"]);
  expect(shown(w)).toContain("has been started by Coder: now only a person can close it");
  expect(shown(w)).toContain("This is the task that you work on");
});

test("[TK12] giving up a fault fails the task, and it is retried", async () => {
  const wrongKey = fail(new Fault("model_wrong_key", "never", "The key is wrong."));
  let isMended = false;
  const w = await open({ coder: () => (isMended ? ok() : wrongKey) });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id)).toMatchObject({ status: "blocked", assignee: "coder" });
  isMended = true;
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { choice: ["Give up"], by: "anna" });
  expect(w.project.tasks.get(id)).toMatchObject({ status: "open", assignee: null, failures: 1 });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id).status).toBe("closed");
});

test("[TK25] a task whose agent has left the team is taken by another that handles its kind, in the same dialog", async () => {
  const disk = memoryBacking();
  const before = await open({ coder: [failed("stuck", "Which date?")] }, { disk });
  const { id } = await before.project.tasks.create({ title: "Build" });
  await before.project.tasks.run();
  const [dialog] = before.project.tasks.get(id).dialogs;
  await before.project.close();
  const others = [
    ...team.filter((one) => one.id !== "coder"),
    { id: "smith", name: "Smith", role: "You code.", handles: ["task"] as const },
  ];
  const after = await open({ smith: [ok("Built.")] }, { disk, agents: others });
  await after.project.questions.answer(idOf((await after.project.questions.list())[0]), { content: "Monday", by: "anna" });
  await after.project.tasks.run();
  expect(after.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "Built.", dialogs: [dialog] });
  expect((await after.project.dialogs.view(dialog ?? "")).agentId).toBe("smith");
  expect(shown(after)).toContain("stuck");
  expect(shown(after)).toContain("Monday");
});

test("[TK25] a task given up because its agent is gone is taken by another", async () => {
  const gate = latch();
  const disk = memoryBacking();
  const before = await open({ coder: [{ hold: gate.opened, say: "never" }] }, { disk });
  const { id } = await before.project.tasks.create({ title: "Build" });
  void before.project.tasks.run();
  await settle();
  await before.project.close();
  const others = [
    ...team.filter((one) => one.id !== "coder"),
    { id: "smith", name: "Smith", role: "You code.", handles: ["task"] as const },
  ];
  const after = await open({ smith: [ok("Built.")] }, { disk, agents: others });
  await settle();
  const fault = (await after.project.questions.list())[0];
  expect(fault).toMatchObject({ kind: "fault", agentId: "coder" });
  await after.project.questions.answer(idOf(fault), { choice: ["Give up"], by: "anna" });
  await after.project.tasks.run();
  expect(after.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "Built." });
});

test("[TK1] mark_done in a task closes it with its summary", async () => {
  const w = await open({ coder: [{ say: "All there.", calls: [{ tool: "mark_done" }] }] });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "All there." });
});

test("[AU6] new tasks are scope changes: with requires_approval they wait", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tasks-"));
  writeFileSync(join(dir, "colloquy.yaml"), "autonomy: { scopeChanges: requires_approval }\n");
  const w = await open({ analyst: [calls(["create_task", { title: "Guess" }], ["create_task", { title: "More" }]), say("ok")] }, { dir });
  await w.project.tasks.create({ title: "Feedback", kind: "feedback" });
  await w.project.tasks.run();
  expect(w.project.tasks.list()).toHaveLength(1);
  const questions = await w.project.questions.list();
  expect(questions.map((one) => one.headline)).toEqual(["New task: Guess", "New task: More"]);
  for (const question of questions) await w.project.questions.approve(question.id);
  await settle(3);
  expect(w.project.tasks.list().map((task) => task.title)).toEqual(["Feedback", "Guess", "More"]);
});

test("[AU12] an unedited config.json follows the project; a person's edit overrides it", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tasks-"));
  const files = new Map<string, string>();
  const level = (value: string) => writeFileSync(join(dir, "colloquy.yaml"), `autonomy: { scopeChanges: ${value} }\n`);
  level("automated");
  const w = await open({ coder: [failed("?", "A?"), failed("?", "B?"), ok()] }, { dir, files });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  level("requires_approval");
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { content: "x" });
  await w.project.tasks.run();
  const said = (nth: number) => w.requests[nth]?.system.join("\n") ?? "";
  expect(said(0)).toContain("scopeChanges (scope change): Full autonomy");
  expect(said(1)).toContain("scopeChanges (scope change): Confirm all");
  const config = [...files.keys()].find((path) => path.endsWith("config.json")) ?? "";
  expect(files.get(config)).toContain('"scopeChanges": "requires_approval"');
  files.set(config, JSON.stringify({ taskId: id, hilConfig: { scopeChanges: "automated" } }));
  await w.project.questions.answer(idOf((await w.project.questions.list())[0]), { content: "x" });
  await w.project.tasks.run();
  expect(said(2)).toContain("scopeChanges (scope change): Full autonomy");
});

test("[TK19] effective autonomy: the project's, the task's, and with an unreadable file", async () => {
  const files = new Map<string, string>();
  const w = await open({ coder: [failed("?", "Which one?")] }, { files });
  const { id } = await w.project.tasks.create({ title: "Build" });
  const tells = "notify_and_proceed";
  const all = (level: string) => ({ scopeChanges: level, architectureDecisions: level, dependencyModifications: level });
  const path = `tasks/build-${id.slice(-6)}.tsk/config.json`;
  expect(await w.project.tasks.autonomy(id)).toEqual({ hilConfig: all(tells), from: "project", path, isReadable: true });
  await w.project.tasks.run();
  expect(files.has(path)).toBe(true);
  expect(await w.project.tasks.autonomy(id)).toMatchObject({ hilConfig: all(tells), from: "project" });
  files.set(path, JSON.stringify({ hilConfig: { scopeChanges: "automated" } }));
  expect(await w.project.tasks.autonomy(id)).toEqual({
    hilConfig: { ...all(tells), scopeChanges: "automated" },
    from: "task",
    path,
    isReadable: true,
  });
  files.set(path, "{ oops");
  expect(await w.project.tasks.autonomy(id)).toMatchObject({ hilConfig: all("requires_approval"), from: "task", isReadable: false });
});

test("[TK1] a taken task has its Taskdoc, even if no step happens", async () => {
  const files = new Map<string, string>();
  const w = await open({}, { files, drive: "none" });
  const task = await w.project.tasks.create({ title: "Fix the date" });
  w.project.tasks.start();
  await settle();
  expect(w.project.tasks.get(task.id)).toMatchObject({ status: "in_progress" });
  expect([...files.keys()].map((path) => path.split("/").at(-1))).toEqual(["goals.md", "config.json"]);
});

test("[TK21] a renamed task keeps its Taskdoc", async () => {
  const files = new Map<string, string>();
  const w = await open({ coder: [failed("?", "Which one?"), ok()] }, { files });
  const { id } = await w.project.tasks.create({ title: "Build" });
  await w.project.tasks.run();
  await w.project.tasks.update(id, { title: "Build it well" });
  const [question] = await w.project.questions.list();
  await w.project.questions.answer(idOf(question), { content: "This one." });
  await w.project.tasks.run();
  expect(w.project.tasks.get(id)).toMatchObject({ title: "Build it well", status: "closed" });
  expect([...new Set([...files.keys()].map((path) => path.split("/")[1]))]).toEqual([`build-${id.slice(-6)}.tsk`]);
});

test("[TK20] open tasks come first, then the latest closed; questions of one tree; paged", async () => {
  const w = await open({ coder: [failed("?", "Which one?", "And how?")] });
  const ids: string[] = [];
  for (const title of ["One", "Two", "Three", "Four"]) {
    ids.push((await w.project.tasks.create({ kind: title === "Four" ? "task" : "feedback", title })).id);
    w.clock.advance(1_000);
  }
  const [one = "", two = "", three = "", four = ""] = ids;
  await w.project.tasks.close(two);
  w.clock.advance(1_000);
  await w.project.tasks.close(one);
  const titles = (items: readonly { readonly title: string }[]) => items.map(({ title }) => title);
  expect(titles(w.project.tasks.list())).toEqual(["One", "Two", "Three", "Four"]);
  expect(titles(w.project.tasks.list({ order: "current" }))).toEqual(["Three", "Four", "One", "Two"]);
  const first = w.project.tasks.page({ order: "current", limit: 3 });
  expect([titles(first.items), first.next]).toEqual([["Three", "Four", "One"], one]);
  expect(titles(w.project.tasks.page({ order: "current", limit: 3, after: one }).items)).toEqual(["Two"]);
  await w.project.tasks.close(three);
  await w.project.tasks.run();
  const [dialog] = w.project.tasks.get(four).dialogs;
  const part = await w.project.questions.inTree(dialog ?? ("" as never), { limit: 1 });
  expect([titled(part.items), part.next !== undefined]).toEqual([["And how?"], true]);
  const rest = await w.project.questions.inTree(dialog ?? ("" as never), { limit: 1, ...(part.next && { after: part.next }) });
  expect([titled(rest.items), rest.next]).toEqual([["Which one?"], undefined]);
});

const titled = (questions: readonly QuestionView[]): readonly string[] => questions.map(({ headline }) => headline);

test("[OQ9] a question that two wait for stays open when one of them is given up", async () => {
  const ask = (targetAgentId: string) => ["tellaskSessionless", { targetAgentId, tellaskContent: "Look." }] as const;
  const w = await open({
    coder: [calls(ask("lead"), ["delegate", { delegations: [{ recipient: "planner", prompt: "Look." }], deadline: "1h" }]), ok()],
    lead: [asking("Which?"), say("Seen.")],
    planner: ({ messages }) => (messages.length === 1 ? { ...asking("Which?"), hold: later.opened } : say("Seen.")),
  });
  const later = latch();
  const task = await w.project.tasks.create({ title: "Fix it" });
  const run = w.project.tasks.run();
  await settle();
  later.open();
  await settle();
  expect(await w.project.questions.list()).toMatchObject([{ headline: "Which?", agentId: "lead" }]);
  w.clock.advance(3_600_000);
  await settle();
  const left = await w.project.questions.list();
  expect(left).toMatchObject([{ headline: "Which?", agentId: "lead" }]);
  await w.project.questions.answer(idOf(left[0]), { content: "A" });
  await w.project.tasks.run();
  await run;
  expect(w.project.tasks.get(task.id)).toMatchObject({ status: "closed" });
});

test("[TK23] a task is taken even if another writer was first", async () => {
  let conflicts = 0;
  const w = await open(
    { coder: [ok("Fixed.")] },
    {
      through: (store) => ({
        ...store,
        commit: (parts, at) => {
          const isTaking = parts.some(({ events }) => events.some(({ type }) => type === "task.taken"));
          if (isTaking && ++conflicts === 1) return Promise.reject(new Fault("log_conflict", "now", "Another writer was first."));
          return store.commit(parts, at);
        },
      }),
    },
  );
  const task = await w.project.tasks.create({ title: "Fix it" });
  await w.project.tasks.run();
  expect(w.project.tasks.get(task.id)).toMatchObject({ status: "closed", summary: "Fixed." });
  expect([conflicts, w.reports]).toEqual([2, []]);
});

test("[TK23] a task that a full disk delayed is taken once there is room", async () => {
  let isFull = false;
  const through: WorldOptions["through"] = (store) =>
    new Proxy(store, {
      get: (target, property, receiver) =>
        property === "commit"
          ? (...args: Parameters<typeof store.commit>) =>
              isFull ? Promise.reject(new Fault("log_full", "later", "No room on the disk.")) : target.commit(...args)
          : Reflect.get(target, property, receiver),
    });
  const w = await open({ coder: [ok("Fixed.")] }, { through });
  const task = await w.project.tasks.create({ title: "Fix it", by: "anna" });
  isFull = true;
  const run = w.project.tasks.run();
  await settle();
  expect(w.project.tasks.get(task.id)).toMatchObject({ status: "open" });
  isFull = false;
  w.clock.advance(1_000);
  await run;
  expect(w.project.tasks.get(task.id)).toMatchObject({ status: "closed", summary: "Fixed." });
  expect(w.requests).toHaveLength(1);
});
