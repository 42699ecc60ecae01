import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool, type QuestionView } from "@colloquy/library";
import { call, calls, crashEverywhere, type Open, say, type Telling, type TestProject, type Told } from "@colloquy/testing";
import { MemoryLayers } from "@colloquy/testing/internals";
import { OutcomeUnknown } from "@colloquy/runtime";
import { expect, test } from "vitest";
import { z } from "zod";

// Each flow of the question protocol alone: played once without a crash, then with a crash before and after each of its commits. A
// caller without a receipt retries with the same `msgId`. The flow's expectations hold every time.

const groups = { tools: ["tasks"] };
const roles = [
  { id: "analyst", name: "Analyst", role: "You sort feedback.", handles: ["feedback"] as const, ...groups, default: true },
  { id: "dreamer", name: "Dreamer", role: "You write requirements.", handles: ["prd"] as const, ...groups },
  { id: "planner", name: "Planner", role: "You plan.", handles: ["plan"] as const, ...groups },
];

const strict = ["scopeChanges", "architectureDecisions", "dependencyModifications"].map((one) => `${one}: requires_approval`).join(", ");
const settings = (yaml: string): string => {
  const dir = mkdtempSync(join(tmpdir(), "flows-"));
  writeFileSync(join(dir, "colloquy.yaml"), `${yaml}\n`);
  return dir;
};
const STRICT = settings(`autonomy: { ${strict} }`);
const NOTIFYING = settings("autonomy: { dependencyModifications: notify_and_proceed }");

/** A shell with counted effects. It recognizes a call by its id, so that a retry after a crash is safe. */
function shell() {
  const ran = new Map<string, string>();
  const tool = defineTool({
    name: "run_command",
    description: "Runs.",
    input: z.strictObject({ command: z.string() }),
    repeatable: true,
    run: ({ command }, { callId }) => (ran.set(callId, command), `ran ${command}`),
  });
  return { tool, ran: () => [...ran.values()] };
}

async function start(open: Open, script: Telling, dir?: string) {
  const { tool, ran } = shell();
  const coder = { id: "coder", name: "Coder", role: "You code.", handles: ["task"] as const, tools: [tool, "tasks"] };
  const t = await open({ agents: [...roles, coder], script, ...(dir !== undefined && { dir }) });
  return { t, ran };
}

const success = (summary = "done"): Told => say(JSON.stringify({ status: "success", summary }));
const failed = (summary: string): Told => say(JSON.stringify({ status: "failed", summary }));
const asks = (status: "failed" | "success", ...open_questions: readonly unknown[]): Told => say(JSON.stringify({ status, open_questions }));
const run = (command: string): Told => call("run_command", { command });

/** Every question ever asked, with its outcome. */
const asked = async (t: TestProject): Promise<readonly string[]> => {
  const all = await t.run((project) => project.questions.list({ all: true }));
  return all
    .filter((question) => question.reuses === undefined)
    .map(({ headline, status }) => `${headline} ${status}`)
    .toSorted();
};
const board = (t: TestProject): readonly string[] => t.project.tasks.list().map((task) => `${task.title}: ${task.status}`);
const takes = (t: TestProject, id: string): number => t.project.tasks.get(id).history.filter(({ what }) => what === "taken").length;
const shown = (t: TestProject, agent: string): string => JSON.stringify(t.requests.findLast((one) => one.agent === agent)?.messages);
const named = async (t: TestProject, headline: string): Promise<{ readonly question: QuestionView["id"] }> => {
  const found = (await t.questions()).find((one) => one.headline === headline);
  if (!found) throw new Error(`Nobody asks "${headline}".`);
  return { question: found.id };
};
/** The notifications as a program sees them: kind, subject, whether resolved. */
const notifications = async (t: TestProject): Promise<readonly string[]> =>
  (await t.run((project) => project.notifications.list())).items.map((one) => `${one.kind} ${one.source} ${one.status}`).toSorted();

const flow = (name: string, story: (open: Open) => Promise<void>): void => test(name, async () => void (await crashEverywhere(story)));

flow("[Q34] a program's question is asked once and closed once", async (open) => {
  const { t } = await start(open, {});
  const question = { headline: "Deploy?", options: ["Yes", "No"], program: "release.sh", msgId: "release-7" };
  const { questionId } = await t.run((project) => project.questions.ask(question));
  await t.run((project) => project.questions.answer(questionId, { choice: "Yes", msgId: "answer-7" }));
  expect(await asked(t)).toEqual(["Deploy? answered"]);
  expect(t.project.dialogs.list().map(({ status }) => status)).toEqual(["completed"]);
});

flow("[CA1][CA4] a fork is made once, and answered once", async (open) => {
  const paint = call("askHuman", { tellaskContent: "Red or blue?", options: ["Red", "Blue"] });
  const { t, ran } = await start(open, { analyst: [paint, say("Painted.")] }, NOTIFYING);
  const { id } = await t.run((project) => project.dialogs.create({ content: "Paint", msgId: "paint" }));
  await t.quiet();
  await t.answer("Red");
  const [red] = await t.run((project) => project.questions.list({ all: true }));
  const question = red?.id ?? "";
  const fork = await t.run((project) => project.dialogs.fork(id, { answer: { question, choice: "Blue" }, msgId: "what-if" }));
  await t.quiet();
  expect(await t.run((project) => project.dialogs.lastReply(fork.id))).toBe("Painted.");
  const stopped = await t.run((project) => project.dialogs.fork(id, { msgId: "as it is" }));
  expect(
    t.project.dialogs
      .list()
      .map(({ rootId }) => rootId)
      .toSorted(),
  ).toEqual([id, fork.id, stopped.id].toSorted());
  const answers = await t.run((project) => project.questions.list({ all: true }));
  expect(new Set(answers.map(({ answer }) => answer?.choice?.[0] ?? answer?.content))).toEqual(new Set(["Blue", "Red"]));
  expect(answers).toHaveLength(3);
  expect(ran()).toEqual([]);
});

flow("[EF4][EF6] an unknown outcome is settled once", async (open) => {
  const bank = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({}),
    run: () => {
      throw new OutcomeUnknown("The line was cut.");
    },
  });
  const cashier = { id: "cashier", name: "Cashier", role: "You pay.", tools: [bank], default: true };
  const t = await open({ agents: [cashier], script: { cashier: [call("pay", {}), say("Who knows?"), say("I see.")] } });
  const { id } = await t.run((project) => project.dialogs.create({ content: "Pay", msgId: "pay" }));
  await t.quiet();
  const [unsettled] = t.project.effects.unsettled();
  await t.run((project) => project.effects.settle(unsettled?.call ?? "", "done", { by: "anna", msgId: "settle" }));
  expect(t.project.effects.unsettled()).toEqual([]);
  const events = (await t.run((project) => project.dialogs.events(id))).flatMap((line) => line.events);
  expect(events.filter(({ type }) => type === "call.settled")).toMatchObject([{ as: "done", by: "anna" }]);
});

flow("[PN3][PN5] a pinned agent that was changed asks once, and a copy is made once", async (open) => {
  let role = "You paint.";
  const dir = settings("language: en");
  const file = join(dir, "role.md");
  writeFileSync(file, role);
  const painter = { id: "painter", name: "Painter", role: { file: "role.md" }, pin: "strict" as const, default: true };
  const script = { painter: [call("askHuman", { tellaskContent: "Red or blue?", options: ["Red", "Blue"] }), say("Painted.")] };
  const t = await open({ agents: [painter], script, dir });
  const { id } = await t.run((project) => project.dialogs.create({ content: "Paint", msgId: "paint" }));
  await t.quiet();
  role = "You paint very well indeed.";
  writeFileSync(file, role);
  await t.answer("Red");
  await t.quiet();
  const asked = (await t.questions()).find(({ kind }) => kind === "fault");
  expect(asked?.text).toContain("was changed while it waited: its role");
  await t.run((project) => project.questions.answer(asked?.id ?? "", { choice: 2, msgId: "fork", by: "anna" }));
  expect(t.project.dialogs.list()).toHaveLength(2);
  const events = (await t.run((project) => project.dialogs.events(id))).flatMap((line) => line.events);
  expect(events.filter(({ type }) => type === "definition.changed")).toHaveLength(1);
});

flow("[EF12] a tool's undo runs at most once; if nobody knows how it ended, a person says", async (open) => {
  let refunds = 0;
  const bank = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({}),
    repeatable: true,
    run: () => "paid",
    undo: () => `refunded ${++refunds}`,
  });
  const cashier = { id: "cashier", name: "Cashier", role: "You pay.", tools: [bank], default: true };
  const t = await open({ agents: [cashier], script: { cashier: [call("pay", {}), say("Paid.")] } });
  const { id } = await t.run((project) => project.dialogs.create({ content: "Pay", msgId: "pay" }));
  await t.quiet();
  const ended = (await t.run((project) => project.dialogs.events(id)))
    .flatMap((line) => line.events)
    .filter(({ type }) => type === "call.ended");
  const [{ call: paid } = { call: "" }] = ended as readonly { readonly call: string }[];
  const undo = () => t.run((project) => project.dialogs.undo(paid, { by: "anna", msgId: "undo" }));
  await undo().catch((error: unknown) => expect(String(error)).toContain("Nobody knows"));
  expect(refunds).toBeLessThanOrEqual(1);
  const [unsettled] = t.project.effects.unsettled();
  if (unsettled) await t.run((project) => project.effects.settle(unsettled.call, "done", { by: "anna", msgId: "settle" }));
  await expect(t.run((project) => project.dialogs.undo(paid, { by: "ben", msgId: "again" }))).rejects.toThrow("already undone");
  expect(refunds).toBeLessThanOrEqual(1);
});

flow("[TK13][TK9] the analyst asks about vague feedback, which waits; nothing is created before the answer", async (open) => {
  const { t } = await start(open, {
    analyst: [asks("failed", "What is slow?"), calls(["create_task", { title: "Speed up search" }]), say("One task.")],
    coder: [success()],
  });
  const { id } = await t.addTask({ kind: "feedback", title: "It is slow" });
  await t.runTasks();
  expect(board(t)).toEqual(["It is slow: blocked"]);
  expect(t.project.tasks.get(id)).toMatchObject({ assignee: null, blockReason: "Open Question" });
  expect(await t.questions()).toMatchObject([{ source: "eval", sourceId: id }]);
  expect(await notifications(t)).toEqual(["question eval open"]);
  await t.answer("The search.");
  expect(board(t)).toEqual(["It is slow: open"]);
  await t.runTasks();
  expect(board(t)).toEqual(["It is slow: closed", "Speed up search: closed"]);
  expect(t.project.tasks.list({ kind: "task" })).toMatchObject([{ from: id, createdBy: "analyst" }]);
  expect(await notifications(t)).toEqual(["notice eval open", "question eval resolved"]);
  expect(await asked(t)).toEqual(["What is slow? answered"]);
  expect(takes(t, id)).toBe(2);
});

flow("[TK13][TK9] an output with a question creates nothing, even if it also calls create_task", async (open) => {
  const { t } = await start(open, {
    analyst: [
      { ...asks("failed", "What is slow?"), calls: [{ tool: "create_task", input: { title: "Guess" } }] },
      calls(["create_task", { title: "Speed up search" }]),
      say("One task."),
    ],
    coder: [success()],
  });
  await t.addTask({ kind: "feedback", title: "It is slow" });
  await t.runTasks();
  expect(board(t)).toEqual(["It is slow: blocked"]);
  await t.answer("The search.");
  await t.runTasks();
  expect(board(t)).toEqual(["It is slow: closed", "Speed up search: closed"]);
  expect(await asked(t)).toEqual(["What is slow? answered"]);
});

flow("[TK13][OQ8] one confirmation in a feedback cycle", async (open) => {
  const sure = (text: string) => ({ text, kind: "confirmation" });
  const { t } = await start(open, {
    analyst: [asks("failed", sure("Are you sure?")), asks("failed", sure("Really?")), say("Nothing to do.")],
  });
  const { id } = await t.addTask({ kind: "feedback", title: "Delete all" });
  await t.runTasks();
  expect(await t.questions()).toMatchObject([{ kind: "confirmation" }]);
  await t.answer("Yes.");
  await t.runTasks();
  expect(await t.questions()).toEqual([]);
  expect(shown(t, "analyst")).toContain("Decide yourself.");
  expect(t.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "Nothing to do." });
  expect(await asked(t)).toEqual(["Are you sure? answered", "Really? withdrawn"]);
});

flow("[TK13][OQ7] the same question again gets the first answer", async (open) => {
  const { t } = await start(open, { analyst: [asks("failed", "Which page?"), asks("failed", "Which page?"), say("The first.")] });
  const { id } = await t.addTask({ kind: "feedback", title: "It is wrong" });
  await t.runTasks();
  await t.answer("The first.", { by: "anna" });
  await t.runTasks();
  expect(t.project.tasks.get(id).status).toBe("closed");
  expect(shown(t, "analyst")).toContain("You asked this before. anna answered: The first.");
  expect(await asked(t)).toEqual(["Which page? answered"]);
});

flow("[TK13][OQ6] unreadable questions are reported to the agent, then shown to a person", async (open) => {
  const broken = say('{"status": "failed", "open_questions": [{"id": "q1", "tex');
  const { t } = await start(open, { analyst: [broken, broken, say("Nothing.")] });
  const { id } = await t.addTask({ kind: "feedback", title: "It is wrong" });
  await t.runTasks();
  expect(t.project.tasks.get(id).status).toBe("blocked");
  await t.answer("Leave it.");
  await t.runTasks();
  expect(t.project.tasks.get(id).status).toBe("closed");
  expect(await asked(t)).toEqual(["Analyst asks something that could not be read answered"]);
});

flow("[TK13][TK10] the dreamer asks about a section, and writes it by its key after the answer", async (open) => {
  const { t } = await start(open, {
    dreamer: [asks("failed", "For whom?"), call("update_prd", { sectionKey: "search", content: "For shops." }), say("Written.")],
  });
  await t.addTask({ kind: "prd", key: "search", title: "Search" });
  await t.runTasks();
  expect(await t.questions()).toMatchObject([{ source: "prd", sourceId: "search" }]);
  await t.answer("Shops.");
  await t.runTasks();
  expect(board(t)).toEqual(["Search: closed"]);
  expect(t.file("prd/search.md")).toBe("For shops.");
  expect(await asked(t)).toEqual(["For whom? answered"]);
});

flow("[TK13][OQ7] answers about a section are known to the next dialog that works on it", async (open) => {
  const { t } = await start(open, { dreamer: [asks("failed", "For whom?"), say("For shops, then."), say("Nothing else.")] });
  await t.addTask({ kind: "prd", key: "search", title: "Search" });
  await t.runTasks();
  await t.answer("Shops.", { by: "anna" });
  await t.runTasks();
  await t.addTask({ kind: "prd", key: "search", title: "Search again" });
  await t.runTasks();
  expect(await t.questions()).toEqual([]);
  expect(shown(t, "dreamer")).toContain("You asked this before. anna answered: Shops.");
  expect(board(t)).toEqual(["Search: closed", "Search again: closed"]);
  expect(await asked(t)).toEqual(["For whom? answered"]);
});

flow("[TK13][OQ11] a question beside calls is asked once, and the same askHuman gets the same answer", async (open) => {
  const twin = { tool: "askHuman", input: { tellaskContent: "what is slow" } };
  const { t } = await start(open, {
    analyst: [
      { ...asks("failed", "What is slow?"), calls: [{ tool: "add_reminder", input: { content: "Ask." } }, twin, twin] },
      say("The search, then."),
    ],
  });
  const { id } = await t.addTask({ kind: "feedback", title: "It is slow" });
  const run = t.runTasks();
  await run;
  expect(await t.questions()).toHaveLength(1);
  await t.answer("The search.", { by: "anna" });
  await t.runTasks();
  expect(t.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "The search, then." });
  expect(await asked(t)).toEqual(["what is slow answered"]);
});

flow("[TK13][OQ13] two dialogs that ask the same about a section at once share one question", async (open) => {
  const { t } = await start(open, {
    dreamer: ({ messages }) => (JSON.stringify(messages).includes("answered") ? say("For shops.") : asks("failed", "For whom?")),
  });
  await t.addTask({ kind: "prd", key: "search", title: "One" });
  await t.addTask({ kind: "prd", key: "search", title: "Two" });
  await t.runTasks();
  expect(await t.questions()).toMatchObject([{ headline: "For whom?" }]);
  expect(board(t)).toEqual(["One: blocked", "Two: blocked"]);
  await t.answer("Shops.", { by: "anna" });
  await t.runTasks();
  expect(board(t)).toEqual(["One: closed", "Two: closed"]);
  expect(await asked(t)).toEqual(["For whom? answered", "For whom? answered"]);
});

flow("[TK13][TK10] the planner asks first; then a plan becomes tasks that wait for each other", async (open) => {
  const { t } = await start(open, {
    planner: [
      asks("failed", "Which database?"),
      call("create_plan", {
        tasks: [
          { key: "b", title: "Second", dependsOn: ["a"] },
          { key: "a", title: "First" },
        ],
      }),
      say("Planned."),
    ],
    coder: [success()],
  });
  const plan = await t.addTask({ kind: "plan", title: "Plan it" });
  await t.runTasks();
  expect(await t.questions()).toMatchObject([{ source: "plan", sourceId: plan.id }]);
  await t.answer("SQLite.");
  await t.runTasks();
  const [first, second] = ["First", "Second"].map((title) => t.project.tasks.list().find((task) => task.title === title));
  expect(first).toMatchObject({ from: plan.id, key: "a", status: "closed", dependsOn: [] });
  expect(second).toMatchObject({ from: plan.id, key: "b", status: "closed", dependsOn: [first?.id] });
  expect(board(t)).toHaveLength(3);
  for (const task of [first, second]) expect(takes(t, task?.id ?? "")).toBe(1);
});

flow("[TK13][TK2] a circle is refused: of a plan nothing is created, of a task nothing is changed", async (open) => {
  const { t } = await start(open, {
    planner: [
      call("create_plan", {
        tasks: [
          { key: "a", title: "A", dependsOn: ["b"] },
          { key: "b", title: "B", dependsOn: ["a"] },
        ],
      }),
      say("It cannot be done."),
    ],
  });
  await t.addTask({ kind: "plan", title: "Plan it" });
  await t.runTasks();
  expect(shown(t, "planner")).toContain("depend on each other: a, b");
  expect(board(t)).toEqual(["Plan it: closed"]);
  const one = await t.addTask({ title: "One" });
  const two = await t.addTask({ title: "Two", dependsOn: [one.id] });
  await expect(t.run((project) => project.tasks.update(one.id, { dependsOn: [two.id] }))).rejects.toMatchObject({ code: "circle" });
  expect(t.project.tasks.ready().map((task) => task.title)).toEqual(["One"]);
});

flow("[TK13][TK1] the coder succeeds: taken once, closed with its summary", async (open) => {
  const { t } = await start(open, { coder: [success("Fixed.")] });
  const { id } = await t.addTask({ title: "Fix the date" });
  await t.runTasks();
  expect(t.project.tasks.get(id)).toMatchObject({ status: "closed", assignee: null, summary: "Fixed." });
  expect(takes(t, id)).toBe(1);
});

flow("[TK13][TK3] the coder fails with questions: blocked, answered, open, taken again with questions and answers", async (open) => {
  const { t } = await start(open, { coder: [asks("failed", { id: "q1", text: "Which database?" }, "Paginated?"), success("Built.")] });
  const { id } = await t.addTask({ title: "Build the API" });
  await t.runTasks();
  expect(t.project.tasks.get(id)).toMatchObject({ status: "blocked", assignee: null, blockReason: "Open Question" });
  expect(t.project.tasks.ready()).toEqual([]);
  expect(await notifications(t)).toEqual(["question execute open"]);
  await t.answer("SQLite", await named(t, "Which database?"));
  expect(t.project.tasks.get(id).status).toBe("blocked");
  await t.answer("No", await named(t, "Paginated?"));
  expect(t.project.tasks.get(id)).toMatchObject({ status: "open", blockReason: null, failures: 0 });
  await t.runTasks();
  for (const words of ["Which database?", "owner answered: SQLite", "Paginated?", "owner answered: No"]) {
    expect(shown(t, "coder")).toContain(words);
  }
  expect(t.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "Built." });
  expect(await notifications(t)).toEqual(["question execute resolved"]);
  expect(await asked(t)).toEqual(["Paginated? answered", "Which database? answered"]);
  expect(takes(t, id)).toBe(2);
});

flow("[TK13][TK3] a dismissed question also unblocks the task", async (open) => {
  const { t } = await start(open, { coder: [asks("failed", "Which?"), success()] });
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  await t.dismiss("No idea.");
  expect(t.project.tasks.get(id).status).toBe("open");
  await t.runTasks();
  expect(t.project.tasks.get(id).status).toBe("closed");
  expect(await asked(t)).toEqual(["Which? dismissed"]);
});

flow("[TK13][TK4] askHuman: the task stays taken, and its dialog continues by itself", async (open) => {
  const { t } = await start(open, { coder: [call("askHuman", { tellaskContent: "Which?" }), success()] });
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  expect(t.project.tasks.get(id)).toMatchObject({ status: "blocked", assignee: "coder" });
  await t.answer("A");
  expect(t.project.tasks.get(id).status).toBe("closed");
  expect(takes(t, id)).toBe(1);
  expect(await asked(t)).toEqual(["Which? answered"]);
});

flow("[TK13][TK5] success with a question closes when the question is closed", async (open) => {
  const { t } = await start(open, { coder: [asks("success", "Nice?")] });
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  expect(t.project.tasks.get(id)).toMatchObject({ status: "blocked", assignee: "coder" });
  await t.answer("Yes");
  expect(t.project.tasks.get(id)).toMatchObject({ status: "closed", assignee: null });
  expect(takes(t, id)).toBe(1);
});

flow("[TK13][TK6] no status: the agent is reminded once, then its text counts as success", async (open) => {
  const { t } = await start(open, { coder: [say("I did it."), say("Really.")] });
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  expect(t.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "Really." });
});

flow("[TK13][TK7] after three failures a person is asked; with advice the task is retried", async (open) => {
  const { t } = await start(open, { coder: [failed("one"), failed("two"), failed("three"), success("at last")] });
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  expect(t.project.tasks.get(id)).toMatchObject({ status: "blocked", failures: 3, assignee: null });
  await t.answer("Use the other library.");
  expect(t.project.tasks.get(id)).toMatchObject({ status: "open", failures: 0 });
  await t.runTasks();
  expect(shown(t, "coder")).toContain("Use the other library.");
  expect(t.project.tasks.get(id)).toMatchObject({ status: "closed", summary: "at last" });
  expect(takes(t, id)).toBe(4);
  expect(await asked(t)).toEqual(['"Build" has failed 3 times. Try again? answered']);
});

flow("[TK13][TK7] or it is closed then", async (open) => {
  const { t } = await start(open, { coder: [failed("one"), failed("two"), failed("three")] });
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  await t.answer({ choice: "Close it" });
  expect(t.project.tasks.get(id)).toMatchObject({ status: "closed", failures: 3 });
  expect(takes(t, id)).toBe(3);
});

flow("[TK13][TK12] a person's done closes the task and withdraws what it asked", async (open) => {
  const { t } = await start(open, { coder: [asks("failed", "Which?")] });
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  const [dialog] = t.project.tasks.get(id).dialogs;
  if (!dialog) throw new Error("It has no dialog.");
  await t.run((project) => project.dialogs.done(dialog, { msgId: "done" }));
  expect(t.project.tasks.get(id).status).toBe("closed");
  expect(await asked(t)).toEqual(["Which? withdrawn"]);
});

flow("[TK13][TK12] closing a waiting task closes its dialog and everything that depends on it", async (open) => {
  const { t } = await start(open, {
    coder: [
      calls(["tellaskSessionless", { targetAgentId: "analyst", tellaskContent: "Look." }], ["askHuman", { tellaskContent: "Which?" }]),
    ],
    analyst: [call("askHuman", { tellaskContent: "Where?" })],
  });
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  expect(await t.questions()).toHaveLength(2);
  await t.run((project) => project.tasks.update(id, { title: "Build it", close: "not needed", by: "anna", msgId: "close" }));
  expect(t.project.tasks.get(id)).toMatchObject({ title: "Build it", status: "closed", summary: "not needed", questions: [] });
  expect(t.project.dialogs.list()).toMatchObject([{ status: "completed" }]);
  expect(await asked(t)).toEqual(["Where? withdrawn", "Which? withdrawn"]);
  expect(t.project.tasks.get(id).history.map(({ what }) => what)).toEqual(["created", "taken", "changed", "closed"]);
});

flow("[Q32] approving similar calls for the project decides matching approvals of other trees, once each", async (open) => {
  const { t, ran } = await start(
    open,
    { coder: (request) => (request.messages.at(-1)?.role === "result" ? success() : run("npm i left-pad")) },
    STRICT,
  );
  for (const title of ["One", "Two"]) await t.addTask({ title });
  await t.runTasks();
  expect(await t.questions()).toHaveLength(2);
  const [first, second] = await t.questions();
  if (!first || !second) throw new Error("Nobody asks.");
  await t.approve({ question: first.id, scope: "project", pattern: "run_command(npm i*)", by: "anna" });
  await t.quiet();
  expect(await t.questions()).toEqual([]);
  expect(ran()).toEqual(["npm i left-pad", "npm i left-pad"]);
  const closed = await t.run((project) => project.questions.get(second.id));
  expect(closed).toMatchObject({ answer: { verdict: "approved", by: "anna", grant: first.id } });
});

/** Repeats a command that didn't complete, as a sensible agent would. */
async function playOnLayers(open: Open, commands: readonly string[], decide: (t: TestProject) => Promise<void>) {
  const layers = new MemoryLayers({ "work.txt": "mine" });
  const script: Telling = {
    coder: ({ messages }) => {
      const results = messages.flatMap((message) => (message.role === "result" ? [message.output] : []));
      const done = results.filter((output) => !output.includes("was interrupted by a crash")).length;
      const next = commands[done];
      return next === undefined ? say("Done.") : run(next);
    },
  };
  const agents = [{ id: "coder", name: "Coder", role: "You code.", tools: [layers.tool()], default: true }];
  const t = await open({ agents, script, staging: layers });
  const dialog = await t.send("go");
  await t.quiet();
  // If a crash lost the approved call, the agent tries again, and asks again.
  for (let asked = await t.questions(); asked.length > 0; asked = await t.questions()) {
    await decide(t);
    await t.quiet();
  }
  expect(layers.waiting).toEqual([]);
  expect([...layers.applied.values()].every((times) => times === 1)).toBe(true);
  return { layers, events: await dialog.events() };
}

flow("[AU18][AU22] a command's effects are applied once, and not before they are logged", async (open) => {
  const { layers, events } = await playOnLayers(open, ["write a.txt 1", "write b.txt 2"], async () => undefined);
  expect(Object.fromEntries(layers.files)).toEqual({ "work.txt": "mine", "a.txt": "1", "b.txt": "2" });
  expect(events.filter(({ type }) => type === "call.ran")).toHaveLength(2);
});

flow("[AU19][AU22] a command waiting on its layer is approved once and applied once", async (open) => {
  const { layers, events } = await playOnLayers(open, ["rm work.txt"], (t) => t.approve({ by: "anna" }));
  expect(layers.files.size).toBe(0);
  expect(events.filter(({ type }) => type === "question.asked")).toHaveLength(1);
  expect(layers.applied.size).toBe(1);
});

flow("[AU19][AU22] a denied command leaves nothing behind", async (open) => {
  const { layers, events } = await playOnLayers(open, ["rm work.txt"], (t) => t.deny("no"));
  expect(Object.fromEntries(layers.files)).toEqual({ "work.txt": "mine" });
  expect(events.filter((event) => event.type === "call.ended" && event.outcome === "refused")).toHaveLength(1);
});

flow("[AU19][AU22] if another command is approved instead, the first has no effect and the other has its effect once", async (open) => {
  const { layers } = await playOnLayers(open, ["rm work.txt"], (t) => t.approve({ by: "anna", arguments: { command: "write b.txt 2" } }));
  expect(Object.fromEntries(layers.files)).toEqual({ "work.txt": "mine", "b.txt": "2" });
});

flow("[LY26][LY30] a command is undone once, and the log says so", async (open) => {
  const layers = new MemoryLayers({ "a.txt": "old" });
  const script: Telling = {
    coder: ({ messages }) => {
      const results = messages.flatMap((message) => (message.role === "result" ? [message.output] : []));
      return results.some((output) => !output.includes("was interrupted by a crash")) ? say("Done.") : run("write a.txt new");
    },
  };
  const agents = [{ id: "coder", name: "Coder", role: "You code.", tools: [layers.tool()], default: true }];
  const t = await open({ agents, script, staging: layers });
  const dialog = await t.send("go");
  await t.quiet();
  const ran = (await dialog.events()).findLast((event) => event.type === "call.ran");
  if (ran?.type !== "call.ran") throw new Error("Nothing ran.");
  await t.run((project) => project.dialogs.undo(ran.call, { by: "anna", msgId: "undo" }));
  await t.quiet();
  expect(Object.fromEntries(layers.files)).toEqual({ "a.txt": "old" });
  expect(layers.undone.get(ran.call)).toBe(1);
  const undos = (await dialog.events()).filter(({ type }) => type === "call.undo_asked" || type === "call.undone");
  expect(undos.map(({ type }) => type)).toEqual(["call.undo_asked", "call.undone"]);
});

const LOOK_AT = { targetAgentId: "coder", tellaskContent: "Look." };

flow("[S18] asks held by openAsks continue with the answers, once each, and nobody is asked twice", async (open) => {
  const { t } = await start(
    open,
    {
      analyst: [calls(...Array.from({ length: 3 }, () => ["tellaskSessionless", LOOK_AT] as const)), say("Seen.")],
      coder: () => say("Looked."),
    },
    settings("limits: { openAsks: 1 }"),
  );
  const dialog = await t.send("Go");
  expect(await dialog.result()).toBe("Seen.");
  expect(t.requests.filter(({ agent }) => agent === "coder").length).toBeGreaterThanOrEqual(3);
  expect((await asked(t)).map((one) => one.split(" ").at(-1))).toEqual(["withdrawn"]);
});

flow("[S17] a limit raised in the settings releases once, whenever the process dies", async (open) => {
  const dir = settings("limits: { openAsks: 1 }");
  const two = ["delegate", { delegations: ["One", "Two"].map((prompt) => ({ recipient: "coder", prompt, phase: "plan" })) }] as const;
  const { t } = await start(open, { analyst: [calls(two), say("Seen."), say("Seen.")], coder: () => say("Looked.") }, dir);
  const dialog = await t.send("Go");
  expect((await asked(t)).map((one) => one.split(" ").at(-1))).toEqual(["open"]);
  writeFileSync(join(dir, "colloquy.yaml"), "limits: { openAsks: 2 } # raised\n");
  await t.advance("10s");
  await t.quiet();
  expect(await dialog.result()).toBe("Seen.");
  expect((await asked(t)).map((one) => one.split(" ").at(-1))).toEqual(["withdrawn"]);
});

flow("[TK13][AU9] notify_and_proceed: it runs once, and there is one notice of it", async (open) => {
  const { t, ran } = await start(open, { coder: [run("npm i left-pad"), success()] }, NOTIFYING);
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  expect(ran()).toEqual(["npm i left-pad"]);
  expect(t.project.tasks.get(id).status).toBe("closed");
  expect(t.project.notices.list()).toMatchObject([{ headline: "Run: npm i left-pad", source: "execute", sourceId: id }]);
  expect(await notifications(t)).toEqual(["notice execute open"]);
});

flow("[TK13][AU7] requires_approval: approved, it runs once", async (open) => {
  const { t, ran } = await start(open, { coder: [run("npm i a"), success()] }, STRICT);
  const { id } = await t.addTask({ title: "Build" });
  await t.runTasks();
  expect(ran()).toEqual([]);
  expect(t.project.tasks.get(id)).toMatchObject({ status: "blocked", assignee: "coder" });
  expect(await notifications(t)).toEqual(["approval execute open"]);
  await t.approve();
  expect(ran()).toEqual(["npm i a"]);
  expect(t.project.tasks.get(id).status).toBe("closed");
  expect(await asked(t)).toEqual(["Run: npm i a answered"]);
});

flow("[TK13][AU7] requires_approval: denied, it never runs, and the agent reads why", async (open) => {
  const { t, ran } = await start(open, { coder: [run("npm i a"), failed("not allowed"), success()] }, STRICT);
  await t.addTask({ title: "Build" });
  await t.runTasks();
  await t.deny("no new packages", { by: "anna" });
  expect(shown(t, "coder")).toContain("anna denied it. Reason: no new packages");
  expect(ran()).toEqual([]);
});

flow("[TK13][AU7] requires_approval: approved with changes, the change runs and the agent is told", async (open) => {
  const { t, ran } = await start(open, { coder: [run("npm i a"), success()] }, STRICT);
  await t.addTask({ title: "Build" });
  await t.runTasks();
  await t.approve({ arguments: { command: "npm i b" } });
  expect(ran()).toEqual(["npm i b"]);
  expect(shown(t, "coder")).toContain("A person changed this call before approving it");
});

flow("[TK13][AU7] requires_approval: after approving similar calls the next one does not ask; once revoked, it does", async (open) => {
  const { t, ran } = await start(open, { coder: [run("npm i a"), run("npm i b"), failed("x"), run("npm i c"), success()] }, STRICT);
  await t.addTask({ title: "Build" });
  await t.runTasks();
  await t.approve({ pattern: "run_command(npm i *)", scope: "task" });
  expect(ran()).toEqual(["npm i a", "npm i b"]);
  expect(t.project.grants.list()).toHaveLength(1);
  const [grant] = t.project.grants.list();
  await t.run((project) => project.grants.revoke(grant?.id ?? "", { msgId: "revoke" }));
  await t.runTasks();
  expect(ran()).toEqual(["npm i a", "npm i b"]);
  expect(await t.questions()).toMatchObject([{ headline: "Run: npm i c" }]);
  await t.approve();
  expect(ran()).toEqual(["npm i a", "npm i b", "npm i c"]);
});

flow("[TK13][AU10] a new task that needs approval is created once, when it is approved", async (open) => {
  const { t } = await start(open, { analyst: [calls(["create_task", { title: "Speed up" }]), say("One task.")] }, STRICT);
  const { id } = await t.addTask({ kind: "feedback", title: "It is slow" });
  await t.runTasks();
  expect(board(t)).toEqual(["It is slow: blocked"]);
  await t.approve();
  expect(board(t)).toEqual(["It is slow: closed", "Speed up: open"]);
  expect(t.project.tasks.list({ kind: "task" })).toMatchObject([{ from: id }]);
});
