import { defineTool } from "@colloquy/runtime";
import type { ModelMessage, QuestionId, QuestionView } from "@colloquy/schema";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, first, say, type Telling, world, type World, type WorldOptions } from "@colloquy/testing/internals";
import { look, settle } from "./tools.ts";

const paid: string[] = [];
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.strictObject({ to: z.string(), cents: z.number() }),
  approval: ({ cents }) => (cents > 100 ? "more than a euro" : false),
  run: ({ to, cents }) => (paid.push(`${to} ${cents}`), `paid ${to} ${cents}`),
});
const team = ["lead", "coder"].map((id) => ({ id, name: id, role: `You are the ${id}.`, tools: [look, pay], default: id === "lead" }));
const play = (telling: Telling, over: Partial<WorldOptions> = {}) => world({ telling, agents: team, ...over });
const ask = (content: string, more: object = {}) => call("askHuman", { tellaskContent: content, ...more });
const payment = (to: string, cents: number) => ["pay", { to, cents }] as const;

async function start(telling: Telling, over: Partial<WorldOptions> = {}) {
  paid.length = 0;
  const w = await play(telling, over);
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  return { w, dialog, questions: await w.project.questions.list() };
}
const idOf = (question: QuestionView | undefined): QuestionId => question?.id ?? ("" as QuestionId);
const lastResult = (w: World): ModelMessage | undefined => w.requests.at(-1)?.messages.findLast((message) => message.role === "result");

test("[Q1][Q2][Q3] a question waits for its answer, which becomes the call's result", async () => {
  const { w, dialog, questions } = await start({ lead: [ask("Which database?\nWe need one for orders."), say("Thanks.")] });
  expect(questions).toMatchObject([
    {
      headline: "Which database?",
      text: "We need one for orders.",
      kind: "question",
      status: "open",
      agentId: "lead",
      dialog: { rootId: dialog.id, selfId: dialog.id },
    },
  ]);
  expect((await dialog.view()).state).toBe("asking");
  await w.project.questions.answer(idOf(questions[0]), { content: "PostgreSQL", by: "anna" });
  expect(await dialog.result()).toBe("Thanks.");
  expect(lastResult(w)).toMatchObject({ output: "anna answered: PostgreSQL" });
  expect(await w.project.questions.get(idOf(questions[0]))).toMatchObject({
    status: "answered",
    answer: { content: "PostgreSQL", by: "anna" },
  });
});

test("[Q4] a plain message doesn't answer a question", async () => {
  const { w, dialog, questions } = await start({ lead: [ask("Which?"), say("ok")] });
  await dialog.send("PostgreSQL");
  await settle();
  expect(w.requests).toHaveLength(1);
  await w.project.questions.answer(idOf(questions[0]), { content: "SQLite" });
  await dialog.result();
  expect(w.requests[1]?.messages.at(-1)).toEqual({ role: "user", text: "PostgreSQL" });
});

test("[Q5][Q16] two questions of one step share a notification; the turn continues when none is open", async () => {
  const { w, dialog, questions } = await start({
    lead: [calls(["askHuman", { tellaskContent: "One?" }], ["ask", { tellaskContent: "Two?" }]), say("both")],
  });
  expect(new Set(questions.map((question) => question.notificationId)).size).toBe(1);
  await w.project.questions.answer(idOf(questions[0]), { content: "1" });
  await settle();
  expect(w.requests).toHaveLength(1);
  await w.project.questions.answer(idOf(questions[1]), { content: "2" });
  expect(await dialog.result()).toBe("both");
});

test("[Q6][Q7] the second person is told who was first; a repeated command gets its receipt", async () => {
  const { w, questions } = await start({ lead: [ask("Which?"), say("ok")] });
  const id = idOf(questions[0]);
  const first = await w.project.questions.answer(id, { content: "A", by: "anna", msgId: "m1" });
  expect(await w.project.questions.answer(id, { content: "A", by: "anna", msgId: "m1" })).toEqual(first);
  await expect(w.project.questions.answer(id, { content: "B", by: "ben" })).rejects.toMatchObject({
    code: "question_not_open",
    message: 'anna answered this already: "A".',
  });
  await expect(w.project.questions.answer("f".repeat(32) as QuestionId, { content: "B" })).rejects.toMatchObject({
    code: "question_not_found",
  });
});

test("[Q9] choices by label or number", async () => {
  const { w, questions } = await start({
    lead: [
      ask("Which?", { options: ["A", { label: "B", pros: ["fast"], cons: ["new"], recommended: true }], allowOther: false }),
      say("ok"),
    ],
  });
  const id = idOf(questions[0]);
  await expect(w.project.questions.answer(id, { content: "C" })).rejects.toMatchObject({
    code: "bad_choice",
    message: "Choose one of: 1 A, 2 B.",
  });
  await expect(w.project.questions.answer(id, { choice: [7] })).rejects.toMatchObject({ code: "bad_choice" });
  await expect(w.project.questions.answer(id, { choice: [0, 1] })).rejects.toMatchObject({ code: "bad_choice" });
  await expect(w.project.questions.answer(id, {})).rejects.toMatchObject({ code: "empty_content" });
  await w.project.questions.answer(id, { choice: [1], content: "because", by: "anna" });
  await settle();
  expect(lastResult(w)).toMatchObject({ output: "anna answered: B — because" });
});

test("[Q10] dismissing tells the agent to decide", async () => {
  const { w, dialog, questions } = await start({ lead: [ask("Which?"), say("I take A.")] });
  await w.project.questions.dismiss(idOf(questions[0]), { why: "not now", by: "anna" });
  expect(await dialog.result()).toBe("I take A.");
  expect(lastResult(w)).toMatchObject({
    output: "anna dismissed the question; nobody will answer it. Reason: not now Decide yourself how to continue.",
  });
});

test("[Q11] a question expires, even while no process ran", async () => {
  const telling: Telling = { lead: [ask("Which?", { deadline: "3d", options: ["A", "B"], otherwise: "B" }), say("B then.")] };
  const { w, dialog } = await start(telling);
  await w.project.close();
  const later = await play(telling, { disk: w.disk });
  later.clock.advance(4 * 86_400_000);
  await settle();
  expect(await later.project.dialogs.result(dialog.id)).toBe("B then.");
  expect(lastResult(later)).toMatchObject({ output: "Nobody answered in time. You had announced that you would take: B." });
});

test("[A53][Q11] a deadline that fired just before the clock was set back is still met", async () => {
  const telling: Telling = { lead: [ask("Which?", { deadline: "3d" }), say("B then.")] };
  const { w, dialog } = await start(telling);
  await w.project.close();
  let setBack = () => {};
  const through: WorldOptions["through"] = (store) => ({
    ...store,
    open: (stream, reducer) => {
      if (stream === dialog.id) setBack();
      return store.open(stream, reducer);
    },
  });
  const later = await play(telling, { disk: w.disk, through });
  setBack = () => {
    later.clock.advance(-10_000);
    setBack = () => {};
  };
  later.clock.advance(3 * 86_400_000);
  await settle();
  expect(later.requests).toEqual([]);
  later.clock.advance(10_000);
  expect(await later.project.dialogs.result(dialog.id)).toBe("B then.");
});

test("[Q11] an announced default must be one of the choices", async () => {
  const { w } = await start({ lead: [ask("Which?", { deadline: "3d", options: ["A"], otherwise: "C" }), say("ok")] });
  expect(lastResult(w)).toMatchObject({ failed: true, output: expect.stringContaining('(A), not "C"') });
});

test("[Q12][Q13][Q8] a person asks back; the agent replies, revises, and the question stays open", async () => {
  const telling: Telling = {
    lead: ({ messages, tools }) => {
      const last = messages.at(-1);
      if (tools.length === 2) {
        expect(tools.map((tool) => tool.name)).toEqual(["revise_question", "withdraw_question"]);
        return last?.role === "result"
          ? say("I meant the orders.")
          : call("revise_question", { tellaskContent: "Which database for orders?\nMore words." });
      }
      return messages.length === 1 ? ask("Which database?") : say("ok");
    },
  };
  const { w, dialog, questions } = await start(telling);
  const id = idOf(questions[0]);
  await w.project.questions.askBack(id, "For what?", { by: "anna" });
  await w.project.dialogs.quiet(dialog.id);
  const revised = await w.project.questions.get(id);
  expect(revised).toMatchObject({
    status: "open",
    headline: "Which database for orders?",
    thread: [
      { by: "anna", content: "For what?" },
      { by: "lead", content: "I meant the orders." },
    ],
  });
  await expect(w.project.questions.answer(id, { content: "X", shown: questions[0]?.shown ?? "" })).rejects.toMatchObject({
    code: "question_changed",
  });
  await w.project.questions.answer(id, { content: "PostgreSQL", shown: revised.shown });
  expect(await dialog.result()).toBe("ok");
});

test("[Q12] in the thread nothing else is possible, except withdrawing the question", async () => {
  const steps = [call("pay", { to: "me", cents: 1 }), call("withdraw_question", { why: "Found it." }), say("Never mind.")];
  const { w, dialog, questions } = await start({
    lead: ({ messages, tools }) =>
      tools.length === 2 ? (steps.shift() ?? say("")) : messages.length === 1 ? ask("Which?") : say("Going on."),
  });
  await w.project.questions.askBack(idOf(questions[0]), "Hm?", { by: "anna" });
  expect(await dialog.result()).toBe("Going on.");
  expect(paid).toEqual([]);
  expect(await w.project.questions.get(idOf(questions[0]))).toMatchObject({ status: "withdrawn" });
});

test("[Q14] clearing the mind withdraws questions and approvals, and the turn continues", async () => {
  const { w, dialog, questions } = await start({
    lead: ({ course }) => (course === 1 ? calls(["askHuman", { tellaskContent: "Which?" }], payment("anna", 500)) : say("Fresh.")),
  });
  expect(questions).toHaveLength(2);
  await w.project.dialogs.clearMind(dialog.id, { by: "anna", reminder: "Ask Ben instead" });
  expect(await dialog.result()).toBe("Fresh.");
  expect(await w.project.questions.list()).toEqual([]);
  expect(paid).toEqual([]);
  await expect(w.project.questions.answer(idOf(questions[0]), { content: "A" })).rejects.toMatchObject({
    code: "question_not_open",
    message: expect.stringContaining("mind was cleared"),
  });
  expect(w.requests.at(-1)?.messages).toHaveLength(1);
});

test("[Q15][Q17] a side dialog's question is its own; blocked dialogs are counted", async () => {
  const { w, dialog, questions } = await start({
    lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write" }), say("ok")],
    coder: [ask("Tabs?"), say("done")],
  });
  expect(questions).toMatchObject([{ agentId: "coder", waitingBehind: 1 }]);
  expect(questions[0]?.dialog.selfId).not.toBe(dialog.id);
  expect((await dialog.view()).questions).toEqual([]);
  expect((await w.project.dialogs.tree(dialog.id)).children).toMatchObject([
    { agentId: "coder", state: "asking", waitsFor: ["person"], questions: [{ headline: "Tabs?" }] },
  ]);
  await w.project.questions.answer(idOf(questions[0]), { content: "yes" });
  expect(await dialog.result()).toBe("ok");
});

test("[Q18] a question outlives the process", async () => {
  const telling: Telling = { lead: [ask("Which?"), say("ok")] };
  const { w, dialog, questions } = await start(telling);
  const again = await play(telling, { disk: w.disk });
  await again.project.questions.answer(idOf(questions[0]), { content: "A", by: "anna" });
  expect(await again.project.dialogs.result(dialog.id)).toBe("ok");
});

describe("approvals", () => {
  test("[Q19] a call waits for approval and then runs once", async () => {
    const { w, dialog, questions } = await start({ lead: [calls(payment("anna", 500)), say("paid")] });
    expect(questions).toMatchObject([
      { kind: "approval", headline: 'Run pay {"to":"anna","cents":500}', text: expect.stringContaining("more than a euro") },
    ]);
    expect(paid).toEqual([]);
    await w.project.questions.approve(idOf(questions[0]), { by: "boss", shown: questions[0]?.shown ?? "" });
    expect(await dialog.result()).toBe("paid");
    expect(paid).toEqual(["anna 500"]);
    await expect(w.project.questions.approve(idOf(questions[0]))).rejects.toMatchObject({ code: "question_not_open" });
  });

  test("[Q20][Q21] a held call blocks those after it; after a denial they don't run", async () => {
    const { w, dialog, questions } = await start({
      lead: [calls(["look", {}], payment("a", 1), payment("b", 500), payment("c", 1)), say("ok")],
    });
    expect(paid).toEqual(["a 1"]);
    await w.project.questions.deny(idOf(questions[0]), { why: "too much", by: "boss" });
    expect(await dialog.result()).toBe("ok");
    expect(paid).toEqual(["a 1"]);
    const results = w.requests
      .at(-1)
      ?.messages.filter((message) => message.role === "result")
      .map((message) => message.output);
    expect(results).toEqual([
      "saw here",
      "paid a 1",
      "Not run: boss denied it. Reason: too much Do not try the same again.",
      "Not run: a call before it in the same step was denied.",
    ]);
  });

  test("[Q22] approved with changes, it runs with them and says so", async () => {
    const { w, dialog, questions } = await start({ lead: [calls(payment("anna", 500)), say("ok")] });
    await w.project.questions.approve(idOf(questions[0]), { arguments: { to: "anna", cents: 50 }, by: "boss" });
    await dialog.result();
    expect(paid).toEqual(["anna 50"]);
    expect(lastResult(w)).toMatchObject({ output: expect.stringMatching(/A person changed this call.*"cents":50.*\npaid anna 50/s) });
  });

  test("[Q22] approving with invalid input changes nothing and says why", async () => {
    const { w, dialog, questions } = await start({ lead: [calls(payment("anna", 500)), say("ok")] });
    const events = await w.events(dialog.id);
    const unfit = w.project.questions.approve(idOf(questions[0]), { arguments: { to: "anna", cents: "much" } });
    await expect(unfit).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringMatching(/^Invalid input for pay;.*cents/s),
    });
    expect(await w.events(dialog.id)).toEqual(events);
    await w.project.questions.approve(idOf(questions[0]), { arguments: { to: "anna", cents: 5 }, msgId: "once" });
    await dialog.result();
    await w.project.questions.approve(idOf(questions[0]), { arguments: { to: "anna", cents: 5 }, msgId: "once" });
    expect(paid).toEqual(["anna 5"]);
  });

  test("[Q23] similar calls are approved for the project, listed, and revoked", async () => {
    const telling: Telling = {
      lead: [calls(payment("anna", 500)), say("1"), calls(payment("anna", 600)), say("2"), calls(payment("anna", 700)), say("3")],
    };
    const { w, dialog, questions } = await start(telling);
    await expect(w.project.questions.approve(idOf(questions[0]), { scope: "project" })).rejects.toMatchObject({ code: "bad_request" });
    await w.project.questions.approve(idOf(questions[0]), { scope: "project", pattern: 'pay({"to":"anna"*)', by: "boss" });
    await dialog.result();
    await dialog.send("again");
    expect(await dialog.result()).toBe("2");
    expect(paid).toEqual(["anna 500", "anna 600"]);
    const [grant] = w.project.grants.list();
    expect(grant).toMatchObject({ pattern: 'pay({"to":"anna"*)', by: "boss" });
    await w.project.grants.revoke(grant?.id ?? "");
    await dialog.send("again");
    await w.project.dialogs.quiet(dialog.id);
    expect(await w.project.questions.list()).toHaveLength(1);
  });

  test("[Q23] for the dialog only, and only until a time", async () => {
    const telling: Telling = {
      lead: [calls(payment("a", 500)), say("1"), calls(payment("b", 500)), say("2"), calls(payment("c", 500)), say("3")],
    };
    const { w, dialog, questions } = await start(telling);
    await w.project.questions.approve(idOf(questions[0]), { scope: "dialog", pattern: "pay", until: w.clock.now() + 1000 });
    await dialog.result();
    await dialog.send("again");
    expect(await dialog.result()).toBe("2");
    w.clock.advance(2000);
    await dialog.send("again");
    await w.project.dialogs.quiet(dialog.id);
    expect(await w.project.questions.list()).toHaveLength(1);
  });

  test("[Q23] for the dialog: not for another one of the same tree", async () => {
    const telling: Telling = {
      lead: [calls(payment("a", 500)), call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Pay, too." }), say("ok")],
      coder: [calls(payment("b", 500)), say("ok")],
    };
    const { w, dialog, questions } = await start(telling);
    await w.project.questions.approve(idOf(questions[0]), { scope: "dialog", pattern: "pay" });
    await w.project.dialogs.quiet(dialog.id);
    expect(paid).toEqual(["a 500"]);
    expect(await w.project.questions.list()).toMatchObject([{ kind: "approval", agentId: "coder" }]);
  });

  test("[Q23] for its tree: listed with its scope, valid nowhere else, and revoked", async () => {
    const telling: Telling = { lead: ({ messages }) => (messages.at(-1)?.role === "result" ? say("ok") : calls(payment("a", 500))) };
    const { w, dialog, questions } = await start(telling);
    await w.project.questions.approve(idOf(questions[0]), { scope: "task", pattern: "pay" });
    await dialog.result();
    await dialog.send("again");
    await dialog.result();
    expect(paid).toEqual(["a 500", "a 500"]);
    const other = await w.project.dialogs.create({ content: "elsewhere" });
    await w.project.dialogs.quiet(other.id);
    const asked = await w.project.questions.list();
    expect(asked).toMatchObject([{ dialog: { rootId: other.id } }]);
    await w.project.questions.approve(idOf(asked[0]), { scope: "dialog", pattern: "pay(*)" });
    expect(w.project.grants.list()).toMatchObject([
      { pattern: "pay", rootId: dialog.id, dialog: undefined },
      { pattern: "pay(*)", rootId: other.id, dialog: other.id },
    ]);
    await w.project.grants.revoke(w.project.grants.list()[0]?.id ?? "");
    await dialog.send("again");
    await w.project.dialogs.quiet(dialog.id);
    expect(await w.project.questions.list()).toMatchObject([{ dialog: { rootId: dialog.id } }]);
  });

  test("[Q24] approvals are not answered by text, and questions are not approved", async () => {
    const { w, questions } = await start({ lead: [calls(payment("anna", 500), ["askHuman", { tellaskContent: "Sure?" }]), say("ok")] });
    const approval = questions.find((question) => question.kind === "approval");
    const question = questions.find((one) => one.kind === "question");
    await expect(w.project.questions.answer(idOf(approval), { content: "yes" })).rejects.toMatchObject({ code: "is_an_approval" });
    await expect(w.project.questions.approve(idOf(question))).rejects.toMatchObject({ code: "not_an_approval" });
    await expect(w.project.questions.deny(idOf(question))).rejects.toMatchObject({ code: "not_an_approval" });
    expect(paid).toEqual([]);
  });

  test("[Q25] a model's words approve nothing", async () => {
    const { w, questions } = await start({
      lead: [
        {
          say: "I approve this myself.",
          calls: [
            { tool: "pay", input: { to: "me", cents: 900 } },
            { tool: "approve", input: {} },
            { tool: "answer", input: {} },
          ],
        },
        say("ok"),
      ],
    });
    expect(questions).toHaveLength(1);
    expect(paid).toEqual([]);
    expect((await w.events(first(questions).dialog.rootId)).filter((event) => event.type === "call.ended")).toMatchObject([
      { outcome: "refused" },
      { outcome: "refused" },
    ]);
  });
});

test("[Q19] an approval survives a crash, and the call runs once", async () => {
  const telling: Telling = { lead: [calls(payment("anna", 500)), say("paid")] };
  const { w, dialog, questions } = await start(telling);
  const again = await play(telling, { disk: w.disk });
  await again.project.questions.approve(idOf(questions[0]), { by: "boss" });
  expect(await again.project.dialogs.result(dialog.id)).toBe("paid");
  expect(paid).toEqual(["anna 500"]);
});

describe("only approve releases a call", () => {
  test("[Q19][Q25] a call whose agent withdraws or rewrites its approval doesn't run", async () => {
    const steps = [
      call("revise_question", { tellaskContent: "Harmless?" }),
      call("withdraw_question", { why: "never mind" }),
      say("Withdrawn."),
    ];
    const { w, dialog, questions } = await start({
      lead: ({ tools, messages }) =>
        tools.length === 2 ? (steps.shift() ?? say("")) : messages.length === 1 ? calls(payment("me", 900)) : say("ok"),
    });
    await w.project.questions.askBack(idOf(questions[0]), "Why?", { by: "boss" });
    expect(await dialog.result()).toBe("ok");
    expect(paid).toEqual([]);
    expect(await w.project.questions.get(idOf(questions[0]))).toMatchObject({
      status: "withdrawn",
      headline: 'Run pay {"to":"me","cents":900}',
    });
  });

  test("[Q20] a denied call that only reads doesn't run either", async () => {
    const peeked: string[] = [];
    const peek = defineTool({
      name: "peek",
      description: "",
      input: z.strictObject({}),
      reads: true,
      approval: true,
      run: () => (peeked.push("x"), "secret"),
    });
    const w = await world({ telling: { lead: [call("peek"), say("ok")] }, agents: [{ id: "lead", role: "You lead.", tools: [peek] }] });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    await w.project.questions.deny(first(await w.project.questions.list()).id);
    expect(await dialog.result()).toBe("ok");
    expect(peeked).toEqual([]);
  });

  test("[Q20][A41] after a denial the mind is cleared as requested, and the turn continues", async () => {
    const { w, dialog, questions } = await start({
      lead: ({ course }) => (course === 1 ? calls(payment("a", 500), ["clear_mind", {}]) : say("fresh")),
    });
    await w.project.questions.deny(idOf(questions[0]));
    expect(await dialog.result()).toBe("fresh");
  });

  test("[Q19] an approval rule that throws asks a person", async () => {
    const broken = defineTool({
      name: "broken",
      description: "",
      input: z.strictObject({}),
      approval: () => {
        throw new Error("oops");
      },
      run: () => "ran",
    });
    const w = await world({ telling: { lead: [call("broken"), say("ok")] }, agents: [{ id: "lead", role: "You lead.", tools: [broken] }] });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    expect(await w.project.questions.list()).toMatchObject([{ kind: "approval", text: expect.stringContaining("oops") }]);
  });
});

describe("[Q32] approving similar calls decides open approvals", () => {
  const like = { scope: "dialog", pattern: "pay(*bob*)", by: "anna" } as const;

  test("in the grant's tree, in the same commit; the rest keep waiting", async () => {
    const { w, dialog, questions } = await start({
      lead: [calls(payment("bob", 200), payment("bob", 300), payment("eve", 400)), say("ok")],
    });
    const [one, two, three] = questions.toSorted((a, b) => (a.seq < b.seq ? -1 : 1));
    await w.project.questions.approve(idOf(one), { ...like, shown: one?.shown });
    expect(await w.project.questions.get(idOf(two))).toMatchObject({
      status: "answered",
      answer: { verdict: "approved", by: "anna", grant: one?.id, content: "Approved with similar calls: pay(*bob*)" },
    });
    const closing = (await w.project.dialogs.events(dialog.id)).filter(({ events }) =>
      events.some(({ type }) => type === "question.closed"),
    );
    expect(closing.map(({ events }) => events.filter(({ type }) => type === "question.closed").length)).toEqual([2]);
    expect(await w.project.questions.list()).toMatchObject([{ id: three?.id }]);
    await w.project.questions.deny(idOf(three), { shown: three?.shown });
    expect(await dialog.result()).toBe("ok");
    expect(paid).toEqual(["bob 200", "bob 300"]);
    await expect(w.project.questions.deny(idOf(two), { by: "ben" })).rejects.toMatchObject({
      message: 'anna approved this already: "Approved with similar calls: pay(*bob*)".',
    });
  });

  test("in other trees of the project, each once, and only within the grant's scope", async () => {
    const { w, dialog } = await start({
      lead: (request) => (request.messages.at(-1)?.role === "result" ? say("ok") : calls(payment("bob", 200))),
    });
    const others = [await w.project.dialogs.create({ content: "go too" }), await w.project.dialogs.create({ content: "and you" })];
    for (const { id } of others) await w.project.dialogs.quiet(id);
    const [own, ...rest] = (await w.project.questions.list()).toSorted((a) => (a.dialog.rootId === dialog.id ? -1 : 1));
    await w.project.questions.approve(idOf(own), { ...like, scope: "task", shown: own?.shown });
    await dialog.result();
    await settle();
    expect(await w.project.questions.list()).toHaveLength(2);
    await w.project.questions.approve(idOf(rest[0]), { ...like, scope: "project", shown: rest[0]?.shown, by: "ben" });
    for (const one of others) expect(await one.result()).toBe("ok");
    expect(paid).toEqual(["bob 200", "bob 200", "bob 200"]);
    expect(await w.project.questions.get(idOf(rest[1]))).toMatchObject({ answer: { verdict: "approved", by: "ben", grant: rest[0]?.id } });
  });
});

test("[Q3] the result waits for the person, however long", async () => {
  const { w, dialog, questions } = await start({ lead: [ask("Which?"), say("Thanks.")] });
  const result = dialog.result();
  await settle();
  await w.project.questions.answer(idOf(questions[0]), { content: "A" });
  expect(await result).toBe("Thanks.");
});

test("[S7] a step that ends its turn counts, and Stop stops the tree", async () => {
  const w = await world({
    telling: { lead: ({ messages }) => ({ ...say(`answer ${messages.length}`), usage: { input: 3_000_000, output: 0 } }) },
    agents: team,
    contextWindow: 1_000_000_000,
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  await dialog.send("more");
  await w.project.dialogs.quiet(dialog.id);
  await dialog.send("and more");
  await w.project.dialogs.quiet(dialog.id);
  const question = first(await w.project.questions.list());
  expect(question).toMatchObject({ kind: "limit", headline: expect.stringContaining("limits.tokensPerTree") });
  expect(w.requests).toHaveLength(2);
  await w.project.questions.answer(question.id, { choice: ["Stop"], by: "anna" });
  await w.project.dialogs.quiet(dialog.id);
  expect((await dialog.view()).state).toBe("stopped");
});
