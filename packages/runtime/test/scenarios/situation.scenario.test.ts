import type { ModelMessage } from "@colloquy/schema";
import { expect, test } from "vitest";
import { call, first, say, type Telling, world } from "@colloquy/testing/internals";
import { settle } from "./tools.ts";

const HOUR = 3_600_000;
const agents = ["lead", "coder", "tester"].map((id) => ({ id, name: id, role: `You are the ${id}.`, default: id === "lead" }));
const play = (telling: Telling) => world({ telling, agents });
const notes = (messages: readonly ModelMessage[]) =>
  messages.flatMap((one) => (one.role === "system" && one.text.includes("has changed meanwhile") ? [one.text] : []));
const delegate = (recipient: string) => call("delegate", { delegations: [{ recipient, prompt: "Build it" }] });

test("[N22] an ask-back turn is told who its agent waits for, for how long and why", async () => {
  const w = await play({
    lead: [delegate("coder"), call("tellaskSessionless", { targetAgentId: "tester", tellaskContent: "Test it" }), say("Yes."), say("ok")],
    coder: [call("askHuman", { tellaskContent: "Which colour?" }), say("built")],
    tester: [call("tellaskBack", { tellaskContent: "All of it?" }), say("tested")],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  w.clock.advance(3 * HOUR);
  await dialog.send("and test it");
  await w.project.dialogs.quiet(dialog.id);
  const asked = w.requests.find((request) => request.agent === "lead" && JSON.stringify(request.messages.at(-1)).includes("All of it?"));
  expect(asked?.system.at(-1)).toContain(
    "You are waiting for:\n- @coder (side dialog 3779b3), for 3 h: Build it (waits for a person)\n- @tester (side dialog 000004), for less than a minute: Test it",
  );
  expect(asked?.system.at(-1)).toContain("Open questions of your side dialogs to people:\n- @coder, for 3 h: Which colour?");
});

test("[N22] a stalled ask says so", async () => {
  const w = await play({ lead: [delegate("coder"), call("clear_mind"), say("ok")], coder: [call("askHuman", { tellaskContent: "?" })] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  const { pending } = await dialog.view();
  await w.project.dialogs.stop({ rootId: dialog.id, selfId: first(pending).dialogId }, { by: "ben" });
  await dialog.send("clear your mind");
  await w.project.dialogs.quiet(dialog.id);
  expect(w.requests.find((request) => request.course === 2)?.system.at(-1)).toContain("Build it (stopped: Stopped by ben.)");
});

test("[N23] others' changes are a note before the next step; the agent's own are not", async () => {
  const w = await play({
    lead: [delegate("coder"), call("add_reminder", { content: "my own" }), say("noted"), say("1"), say("2"), say("done")],
    coder: [call("askHuman", { tellaskContent: "Which colour?" }), call("askHuman", { tellaskContent: "Which size?" }), say("built")],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  await dialog.send("keep that in mind");
  await w.project.dialogs.quiet(dialog.id);
  const told = () => notes(w.requests.findLast((request) => request.agent === "lead")?.messages ?? []);
  // The question that came up while it waited; its own reminder is mentioned there and gets no separate note.
  expect(told()).toHaveLength(1);
  expect(told()[0]).toContain("- @coder, for less than a minute: Which colour?");

  await w.project.dialogs.addReminder(dialog.id, "Only red", { by: "ben" });
  await w.project.questions.answer(first(await w.project.questions.list()).id, { content: "Red", by: "ben" });
  await w.project.dialogs.quiet(dialog.id);
  await dialog.send("how is it?");
  await w.project.dialogs.quiet(dialog.id);
  expect(told()).toHaveLength(2);
  expect(told()[1]).toContain("- 1: my own\n- 2: Only red");
  expect(told()[1]).toContain('What people answered there:\n- @coder asked "Which colour?"; ben answered: Red');

  await dialog.send("and now?");
  await w.project.dialogs.quiet(dialog.id);
  expect(told()).toHaveLength(2);
});

test("[N23] after a restart the head is rebuilt, and nothing is reported twice", async () => {
  const telling: Telling = {
    lead: [delegate("coder"), say("1"), say("2")],
    coder: [call("askHuman", { tellaskContent: "Which colour?" }), say("built")],
  };
  const w = await play(telling);
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  await dialog.send("how is it?");
  await w.project.dialogs.quiet(dialog.id);
  const again = await world({ telling, agents, disk: w.disk });
  await again.project.dialogs.send(dialog.id, { content: "and now?" });
  await again.project.dialogs.quiet(dialog.id);
  expect(again.requests.at(-1)?.system.at(-1)).toContain("Which colour?");
  expect(notes(again.requests.at(-1)?.messages ?? [])).toHaveLength(1);
});

test("[N24] a course says who started it, and repeats people's messages to the turn", async () => {
  const w = await play({
    lead: ({ course }) => (course === 1 ? delegate("coder") : say("ok")),
    coder: [call("askHuman", { tellaskContent: "?" })],
  });
  const dialog = await w.project.dialogs.create({ content: "Build it", by: "anna" });
  await w.project.dialogs.quiet(dialog.id);
  await dialog.send({ content: "In red", by: "ben" });
  await settle();
  await w.project.dialogs.clearMind(dialog.id, { by: "carl" });
  await w.project.dialogs.quiet(dialog.id);
  const [opening] = w.requests.find((request) => request.course === 2)?.messages ?? [];
  expect(opening).toMatchObject({ role: "user", text: expect.stringMatching(/^carl cleared your mind: a new course starts/) });
  expect(opening).toMatchObject({
    text: expect.stringContaining("an answer to anna:\nBuild it\n\nPeople have said since then:\n- [ben]: In red"),
  });
});

test("[N36] [A64] a nested agent is told depth, main dialog, session and branch", async () => {
  const w = await play({
    lead: [
      call("delegate", { delegations: [{ recipient: "coder", prompt: "Build it", branch: "feature/dates" }], wait: "all" }),
      say("ok"),
    ],
    coder: [call("tellask", { targetAgentId: "tester", sessionSlug: "checks", tellaskContent: "Test it" }), say("built")],
    tester: [say("tested")],
  });
  const dialog = await w.project.dialogs.create({ content: "Ship it" });
  await dialog.result();
  const head = (agent: string) => w.requests.find((request) => request.agent === agent)?.system.at(-1);
  expect(head("coder")).toContain(
    'It is one ask below the main dialog of @lead, "Ship it". You are asked to work on the branch feature/dates.',
  );
  expect(head("tester")).toContain(
    'It is 2 asks below the main dialog of @lead, "Ship it". It is your session "checks": you keep what was said here for the next ask.',
  );
  expect(head("lead")).not.toContain("below the main dialog");
  const [coder] = (await w.project.dialogs.tree(dialog.id)).children;
  expect(coder?.branch).toBe("feature/dates");
  expect((await w.project.dialogs.view({ rootId: dialog.id, selfId: coder?.selfId ?? (dialog.id as never) })).branch).toBe("feature/dates");
});
