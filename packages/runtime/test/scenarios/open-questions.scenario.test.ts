import type { QuestionId, QuestionView } from "@colloquy/schema";
import { expect, test } from "vitest";
import { call, calls, say, type Telling, world, type WorldOptions } from "@colloquy/testing/internals";
import { latch, settle } from "./tools.ts";

const team = ["lead", "coder"].map((id) => ({ id, name: id, role: `You are the ${id}.`, default: id === "lead" }));
const ask = (...questions: readonly unknown[]) => say(JSON.stringify({ open_questions: questions }));
const idOf = (question: QuestionView | undefined): QuestionId => question?.id ?? ("" as QuestionId);

async function start(telling: Telling, over: Partial<WorldOptions> = {}) {
  const w = await world({ telling, agents: team, ...over });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  return { w, dialog, questions: await w.project.questions.list() };
}

test("[OQ4][OQ5] questions in the final text block the turn's end, and come back as a message with question and answer", async () => {
  const { w, dialog, questions } = await start({
    lead: [ask({ id: "q1", text: "Which database?", options: ["A", "B"] }, "Paginated?"), say("Thanks.")],
  });
  expect(questions).toMatchObject([
    { headline: "Which database?", kind: "question", source: "dialog", sourceId: dialog.id, options: [{ label: "A" }, { label: "B" }] },
    { headline: "Paginated?" },
  ]);
  expect(new Set(questions.map((one) => one.notificationId)).size).toBe(1);
  expect((await dialog.view()).state).toBe("asking");
  await w.project.questions.answer(idOf(questions[0]), { choice: ["A"], by: "anna" });
  await settle();
  expect(w.requests).toHaveLength(1);
  await w.project.questions.answer(idOf(questions[1]), { content: "Yes", by: "ben" });
  expect(await dialog.result()).toBe("Thanks.");
  expect(w.requests[1]?.messages.slice(-2)).toEqual([
    { role: "system", text: '[System]: Your question "Which database?":\nanna answered: A' },
    { role: "system", text: '[System]: Your question "Paginated?":\nben answered: Yes' },
  ]);
});

test("[OQ5] the whole question comes back with its answer, however long it is", async () => {
  const long = `${"Which of the many ways to do this ".repeat(5)}should we take?`;
  const { w, questions } = await start({ lead: [ask(long), say("ok")] });
  await w.project.questions.answer(idOf(questions[0]), { content: "the first" });
  await settle();
  expect(JSON.stringify(w.requests[1]?.messages.at(-1))).toContain(long.trim());
});

test("[OQ6] an unreadable output is reported to the agent once", async () => {
  const { w, dialog, questions } = await start({ lead: [say('{"open_questions": [{"id": "q1"}]}'), ask("Which?"), say("ok")] });
  expect(JSON.stringify(w.requests[1]?.messages.at(-1))).toContain("could not be read");
  expect(questions).toMatchObject([{ headline: "Which?" }]);
  await w.project.questions.answer(idOf(questions[0]), { content: "A" });
  expect(await dialog.result()).toBe("ok");
});

test("[OQ6] and then to a person", async () => {
  const broken = say('{"open_questions": [{"id": "q1", "tex');
  const { w, dialog, questions } = await start({ lead: [broken, broken, say("ok")] });
  expect(questions).toMatchObject([
    { headline: "lead asks something that could not be read", text: '{"open_questions": [{"id": "q1", "tex' },
  ]);
  await w.project.questions.answer(idOf(questions[0]), { content: "Just begin." });
  expect(await dialog.result()).toBe("ok");
});

test("[OQ7] the same words about the same subject get the first answer, also through askHuman", async () => {
  const telling: Telling = {
    lead: [ask("Which?"), say("one"), ask("Which?"), ask("Which?"), call("askHuman", { tellaskContent: "Which?" }), say("three")],
  };
  const { w, dialog, questions } = await start(telling);
  await w.project.questions.answer(idOf(questions[0]), { content: "A", by: "anna" });
  expect(await dialog.result()).toBe("one");
  await dialog.send("again");
  await w.project.dialogs.quiet(dialog.id);
  expect(await w.project.questions.list()).toEqual([]);
  expect(w.requests[3]?.messages.at(-1)).toEqual({
    role: "system",
    text: '[System]: Your question "Which?":\nYou asked this before. anna answered: A',
  });
  const all = await w.project.questions.list({ all: true });
  expect(all.find((one) => one.reuses !== undefined)).toMatchObject({
    reuses: questions[0]?.id,
    status: "answered",
    answer: { by: "anna" },
  });
  // The fourth output repeats it once more, and counts as the end.
  expect((await dialog.view()).state).toBe("idle");
  await dialog.send("and again");
  await w.project.dialogs.quiet(dialog.id);
  expect(await w.project.questions.list()).toEqual([]);
  expect(JSON.stringify(w.requests.at(-1)?.messages.at(-1))).toContain("You asked this before. anna answered: A If you need a new answer");
  expect((await dialog.view()).state).toBe("idle");
});

test("[OQ7] words are compared as people read them, and a dismissed question is remembered", async () => {
  const telling: Telling = {
    lead: [ask("Which database?"), ask("which  DATABASE？"), call("askHuman", { tellaskContent: "Which database" }), say("I decide: A.")],
  };
  const { w, dialog, questions } = await start(telling);
  await w.project.questions.dismiss(idOf(questions[0]), { by: "anna", why: "Your choice." });
  expect(await dialog.result()).toBe("I decide: A.");
  expect(await w.project.questions.list()).toEqual([]);
  for (const nth of [2, 3]) {
    const told = JSON.stringify(w.requests[nth]?.messages.at(-1));
    expect(told).toContain("You asked this before. anna dismissed the question; nobody will answer it. Reason: Your choice.");
  }
});

test("[OQ9] askHuman with the words of an open question waits for the same answer, and returns it", async () => {
  const asks = { tool: "askHuman", input: { tellaskContent: "Which?" } };
  const { w, dialog, questions } = await start({
    lead: [{ say: '{"open_questions":["which"]}', calls: [asks, asks] }, say("A it is.")],
  });
  expect(questions).toMatchObject([{ headline: "Which?" }]);
  await w.project.questions.answer(idOf(questions[0]), { content: "A", by: "anna" });
  expect(await dialog.result()).toBe("A it is.");
  const results = w.requests[1]?.messages.filter((one) => one.role === "result").map((one) => JSON.stringify(one)) ?? [];
  expect(results).toHaveLength(2);
  expect(results[0]).toContain("anna answered: A");
  expect(results[1]).toContain("You asked this before. anna answered: A");
  expect(await w.project.questions.list({ all: true })).toHaveLength(1);
});

test("[OQ9] askHuman with a deadline of its own does not wait for a question without one", async () => {
  const { w, dialog, questions } = await start({
    lead: [calls(["askHuman", { tellaskContent: "Which?" }], ["askHuman", { tellaskContent: "Which?", deadline: "1h" }]), say("So be it.")],
  });
  expect(questions).toHaveLength(2);
  w.clock.advance(3_600_000);
  await settle();
  const left = await w.project.questions.list();
  expect(left).toHaveLength(1);
  await w.project.questions.answer(idOf(left[0]), { content: "A" });
  expect(await dialog.result()).toBe("So be it.");
});

test("[OQ9] a withdrawn question is asked again by the call that waited for it", async () => {
  const w = await world({
    telling: {
      lead: ({ messages }) => (messages.length === 1 ? call("askHuman", { tellaskContent: "Which?" }) : call("cancel_asks", {})),
      coder: ({ messages }) =>
        JSON.stringify(messages).includes("answered") ? say("Coder: A.") : call("askHuman", { tellaskContent: "Which?" }),
    },
    agents: team,
  });
  const dialog = await w.project.dialogs.create({ content: "@lead @coder go" });
  await w.project.dialogs.quiet(dialog.id);
  const [first] = await w.project.questions.list();
  expect(await w.project.questions.list()).toMatchObject([{ headline: "Which?", agentId: "lead" }]);
  await dialog.send({ content: "@lead never mind", now: true });
  await settle();
  await w.project.dialogs.stop(dialog.id, { by: "anna" });
  await w.project.dialogs.resume(dialog.id, { by: "anna" });
  await settle();
  const [second] = (await w.project.questions.list()).filter(({ agentId }) => agentId === "coder");
  expect(second).toMatchObject({ headline: "Which?" });
  expect(second?.id).not.toBe(first?.id);
});

test("[OQ11] questions beside a call of any tool are asked, and hold the turn", async () => {
  const { w, dialog, questions } = await start({
    lead: [{ say: 'Hm. {"result":{"openQuestions":["Which?"]}}', calls: [{ tool: "add_reminder", input: { content: "x" } }] }, say("A.")],
  });
  expect(questions).toMatchObject([{ headline: "Which?" }]);
  expect(w.requests).toHaveLength(1);
  await w.project.questions.answer(idOf(questions[0]), { content: "A", by: "anna" });
  expect(await dialog.result()).toBe("A.");
  expect(JSON.stringify(w.requests[1]?.messages.at(-1))).toContain("anna answered: A");
});

test("[OQ11] questions of a step are asked even if a message arrived during it; the message is read with the answer", async () => {
  const gate = latch();
  const w = await world({ telling: { lead: [{ ...ask("Which?"), hold: gate.opened }, say("A, in blue.")] }, agents: team });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  await dialog.send("In blue.");
  gate.open();
  await w.project.dialogs.quiet(dialog.id);
  const questions = await w.project.questions.list();
  expect(questions).toMatchObject([{ headline: "Which?" }]);
  await w.project.questions.answer(idOf(questions[0]), { content: "A", by: "anna" });
  expect(await dialog.result()).toBe("A, in blue.");
  expect(w.requests).toHaveLength(2);
  const shown = JSON.stringify(w.requests[1]?.messages);
  expect(shown).toContain("In blue.");
  expect(shown).toContain("anna answered: A");
});

test("[OQ11] questions on a partial wake-up of a delegation are asked; the rest is read with the answer", async () => {
  const later = latch();
  const part = (recipient: string) => ({ recipient, prompt: "Your part." });
  const w = await world({
    telling: {
      lead: [call("delegate", { delegations: [part("coder"), part("other")] }), ask("Which?"), say("All done.")],
      coder: [say("First.")],
      other: [{ say: "Second.", hold: later.opened }],
    },
    agents: [...team, { id: "other", name: "other", role: "You are the other." }],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  const questions = await w.project.questions.list();
  expect(questions).toMatchObject([{ headline: "Which?", agentId: "lead" }]);
  later.open();
  await settle();
  await w.project.questions.answer(idOf(questions[0]), { content: "A" });
  expect(await dialog.result()).toBe("All done.");
  expect(w.requests.filter((one) => one.agent === "lead")).toHaveLength(3);
});

test("[OQ11] no mind is cleared in the step that asks", async () => {
  const { w, dialog, questions } = await start({
    lead: [{ ...ask("Which?"), calls: [{ tool: "clear_mind" }] }, say("A.")],
  });
  expect(questions).toMatchObject([{ headline: "Which?" }]);
  await w.project.questions.answer(idOf(questions[0]), { content: "A" });
  expect(await dialog.result()).toBe("A.");
  expect(JSON.stringify(w.requests[1]?.messages)).toContain("it would withdraw the questions in the same output");
});

test("[OQ12] words that only mention open_questions ask nothing", async () => {
  const { w, dialog } = await start({ lead: [say("I have no open_questions: everything is clear.")] });
  expect(await dialog.result()).toBe("I have no open_questions: everything is clear.");
  expect(await w.project.questions.list({ all: true })).toEqual([]);
  expect(w.requests).toHaveLength(1);
});

test("[OQ9] the same words while the question is open: nobody is asked twice, both wait, both get the answer", async () => {
  const seen: string[] = [];
  const telling: Telling = {
    lead: ({ messages }) => (messages.length === 1 ? ask("Which?") : (seen.push(JSON.stringify(messages.at(-1))), say("Lead: A."))),
    coder: ({ messages }) =>
      JSON.stringify(messages).includes("answered") ? (seen.push(JSON.stringify(messages.at(-1))), say("Coder: A.")) : ask("Which?"),
  };
  const w = await world({ telling, agents: team });
  const dialog = await w.project.dialogs.create({ content: "@lead @coder go" });
  await w.project.dialogs.quiet(dialog.id);
  const questions = await w.project.questions.list();
  expect(questions).toMatchObject([{ headline: "Which?", agentId: "lead" }]);
  expect((await w.story(dialog.id)).filter((line) => line.includes("open_questions"))).toHaveLength(2);
  await w.project.questions.answer(idOf(questions[0]), { content: "A", by: "anna" });
  await w.project.dialogs.quiet(dialog.id);
  expect((await w.story(dialog.id)).slice(-2).toSorted()).toEqual(["coder: Coder: A.", "lead: Lead: A."]);
  for (const words of seen) expect(words).toContain("anna answered: A");
  expect(seen).toHaveLength(2);
});

test("[OQ9] a waiter that gives up doesn't withdraw the shared question", async () => {
  const telling: Telling = {
    lead: ({ messages }) => (messages.length === 1 ? ask("Which?") : say("Lead goes on.")),
    coder: ({ messages }) => {
      const said = JSON.stringify(messages);
      if (!said.includes("never mind")) return ask("Which?");
      return said.includes("Nothing was open") ? say("I wait on.") : call("cancel_asks");
    },
  };
  const w = await world({ telling, agents: team });
  const dialog = await w.project.dialogs.create({ content: "@lead @coder go" });
  await w.project.dialogs.quiet(dialog.id);
  await dialog.send({ content: "@coder never mind", now: true });
  await w.project.dialogs.quiet(dialog.id);
  const questions = await w.project.questions.list();
  expect(questions).toMatchObject([{ headline: "Which?", agentId: "lead" }]);
  await w.project.questions.answer(idOf(questions[0]), { content: "A", by: "anna" });
  await w.project.dialogs.quiet(dialog.id);
  expect((await w.story(dialog.id)).slice(-2).toSorted()).toEqual(["coder: I wait on.", "lead: Lead goes on."]);
});

test("[OQ4] a side dialog's questions keep its asker waiting", async () => {
  const { w, dialog, questions } = await start({
    lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "do it" }), say("All done.")],
    coder: [ask("How?"), say("Done.")],
  });
  expect(questions).toMatchObject([{ agentId: "coder", waitingBehind: 1 }]);
  await w.project.questions.answer(idOf(questions[0]), { content: "well" });
  expect(await dialog.result()).toBe("All done.");
});

test("[OQ4] a dialog that asks is not done, whatever it marks", async () => {
  const { w, dialog, questions } = await start({
    lead: [
      { say: '{"open_questions":["Really?"]}', calls: [{ tool: "mark_done" }] },
      { say: "Bye.", calls: [{ tool: "mark_done" }] },
    ],
  });
  expect(questions).toMatchObject([{ headline: "Really?" }]);
  await w.project.questions.dismiss(idOf(questions[0]));
  await w.project.dialogs.quiet(dialog.id);
  expect((await dialog.view()).status).toBe("completed");
});

test("[OQ4] dismissed, withdrawn and expired questions also unblock the turn", async () => {
  const { w, dialog, questions } = await start({
    lead: ({ course, messages }) => (course === 2 ? say("ok") : messages.length === 1 ? ask("A?") : ask("B?")),
  });
  await w.project.questions.dismiss(idOf(questions[0]), { by: "anna" });
  await w.project.dialogs.quiet(dialog.id);
  await w.project.dialogs.clearMind(dialog.id);
  await w.project.dialogs.quiet(dialog.id);
  expect((await w.project.questions.list({ all: true })).map((one) => one.status).toSorted()).toEqual(["dismissed", "withdrawn"]);
});

test("[OQ4] fresh boots ask nobody", async () => {
  const { w, dialog } = await start({
    lead: ({ tools, messages }) =>
      tools.length === 0 ? ask("Who am I?") : messages.length === 1 ? call("freshBootsReasoning", { tellaskContent: "think" }) : say("ok"),
  });
  expect(await dialog.result()).toBe("ok");
  expect(await w.project.questions.list({ all: true })).toEqual([]);
});

test("[Q31] an agent's own name and time for its question are kept, and answers find it by them", async () => {
  const q = (id: string, text: string) => ({ id, text, createdAt: "2026-01-01T00:00:00Z" });
  const { w, dialog, questions } = await start({
    lead: [ask(q("q1", "Which?"), q("q2", "How?")), say("Thanks.")],
    coder: [ask(q("q1", "Who?"))],
  });
  expect(questions.map(({ given }) => given)).toEqual(["q1", "q2"].map((id) => ({ id, createdAt: "2026-01-01T00:00:00Z" })));
  const { items } = await w.project.notifications.list();
  expect(items[0]?.questions.map(({ given }) => given?.id)).toEqual(["q1", "q2"]);
  expect(await w.project.questions.get("q2")).toMatchObject({ headline: "How?" });
  await w.project.questions.answer("q2", { content: "Well.", by: "anna" });
  const other = await w.project.dialogs.create({ content: "go", agent: "coder" });
  await w.project.dialogs.quiet(other.id);
  const refused = w.project.questions.answer("q1", { content: "A" });
  await expect(refused).rejects.toMatchObject({ code: "ambiguous", message: expect.stringContaining('"q1" names 2 open questions') });
  await expect(refused).rejects.toThrow(idOf(questions[0]));
  await w.project.questions.dismiss(idOf((await w.project.questions.list()).find(({ headline }) => headline === "Who?")), { by: "anna" });
  await w.project.questions.answer("q1", { content: "A", by: "anna" });
  expect(await dialog.result()).toBe("Thanks.");
  await expect(w.project.questions.answer("q1", { content: "B" })).rejects.toMatchObject({ code: "question_not_found" });
});
