import type { ModelRequest } from "@colloquy/models";
import type { ModelMessage } from "@colloquy/schema";
import { memoryBacking } from "@colloquy/store";
import { describe, expect, test } from "vitest";
import { call, calls, say, type Telling, world, type World, type WorldOptions } from "@colloquy/testing/internals";
import { latch, ledger, look, settle } from "./tools.ts";

const AWAY = "=== MESSAGES WHILE YOU WERE AWAY ===";
const NEW = "=== NEW INTERACTION ===";

const team = [
  { id: "lead", name: "Lead" },
  { id: "coder", name: "Coder" },
  { id: "reviewer", name: "Reviewer" },
].map((one) => ({ ...one, role: `You are the ${one.id}.`, tools: [look], default: one.id === "lead" }));
const play = (telling: Telling, over: Partial<WorldOptions> = {}) => world({ telling, agents: team, ...over });

/** What an agent was shown, one line per message. */
const lines = (request: ModelRequest | undefined): readonly string[] => (request?.messages ?? []).map(lineOf);
const lineOf = (message: ModelMessage): string => {
  if (message.role === "assistant")
    return `assistant: ${message.parts.map((part) => ("saying" in part ? part.saying : "call" in part ? `<${part.tool}>` : "")).join(" ")}`;
  return `${message.role}: ${message.role === "result" ? message.output : message.text}`;
};
const lastOf = (w: World, agent: string): ModelRequest | undefined => w.requests.findLast((request) => request.agent === agent);
const order = (w: World): readonly string[] => w.requests.map((request) => request.agent);
const toolsOf = (request: ModelRequest | undefined): readonly string[] => (request?.tools ?? []).map((tool) => tool.name);

async function start(telling: Telling, content = "Hello", over: Partial<WorldOptions> = {}) {
  const w = await play(telling, over);
  const dialog = await w.project.dialogs.create({ content });
  await w.project.dialogs.quiet(dialog.id);
  const send = async (message: string | Parameters<typeof dialog.send>[0]) => {
    const receipt = await dialog.send(message);
    await w.project.dialogs.quiet(dialog.id);
    return receipt;
  };
  return { w, dialog, send };
}

describe("the eight critical scenarios", () => {
  test("[J10] [J15] 1: one agent and several exchanges", async () => {
    const { w, send } = await start({ lead: [say("One."), say("Two."), say("Three.")] });
    await send("And?");
    await send("And then?");
    expect(lines(w.requests[2])).toEqual(["user: Hello", "assistant: One.", "user: And?", "assistant: Two.", "user: And then?"]);
    expect(w.requests[2]?.messages.slice(0, 3)).toEqual(w.requests[1]?.messages);
  });

  test("[J5] [J13] 2: an agent addressed first gets neither block nor marker", async () => {
    const { w, dialog } = await start({ coder: [say("Here.")] }, "@coder are you there?");
    expect((await dialog.view()).agentId).toBe("coder");
    expect(lines(w.requests[0])).toEqual(["user: @coder are you there?"]);
  });

  test("[J10] [J13] [J14] 2: an agent addressed later sees the whole conversation, without a block", async () => {
    const { w, dialog, send } = await start({ lead: [say("One."), say("Two.")], coder: [say("I see.")] });
    await send("Go on");
    await send("@coder what do you think?");
    expect(lines(lastOf(w, "coder"))).toEqual([
      "user: Hello",
      "system: [Lead]: One.",
      "user: Go on",
      "system: [Lead]: Two.",
      "user: @coder what do you think?",
    ]);
    expect((await dialog.view()).participants).toMatchObject({
      lead: { lastProcessedMessageIndex: 3, run: { status: "done" } },
      coder: { lastProcessedMessageIndex: 5, run: { status: "done" } },
    });
  });

  test("[J8] [J10] [J12] 3 and 7: others are attributed; an absent agent is told so, followed by the marker", async () => {
    const { w, send } = await start({ lead: [say("One."), say("Back.")], coder: [say("@lead I did it."), say("Again.")] });
    await send("@coder do it");
    expect(order(w)).toEqual(["lead", "coder"]);
    await send("Are you content?");
    expect(lines(lastOf(w, "lead"))).toEqual([
      "user: Hello",
      "assistant: One.",
      "user: @coder do it",
      "system: [Coder]: @lead I did it.",
      `system: ${AWAY}\n\n[owner]: @coder do it\n\n[Coder]: @lead I did it.`,
      `system: ${NEW}`,
      "user: Are you content?",
    ]);
  });

  test("[J58] several people are identified by name; the dialog's creator needs none", async () => {
    const { w, dialog, send } = await start({ lead: [say("One."), say("Two."), say("Three."), say("Four.")], coder: [say("Mine.")] });
    await dialog.send({ content: "I am for red", by: "ben" });
    await w.project.dialogs.quiet(dialog.id);
    expect(lines(lastOf(w, "lead"))).toEqual(["user: Hello", "assistant: One.", "user: [ben]: I am for red"]);
    await send("And I for blue");
    await dialog.send({ content: "@coder and you?", by: "ben" });
    await w.project.dialogs.quiet(dialog.id);
    expect(lines(lastOf(w, "coder")).filter((line) => line.startsWith("user"))).toEqual([
      "user: Hello",
      "user: [ben]: I am for red",
      "user: And I for blue",
      "user: [ben]: @coder and you?",
    ]);
    await send("So?");
    expect(lines(lastOf(w, "lead")).at(-3)).toBe(`system: ${AWAY}\n\n[ben]: @coder and you?\n\n[Coder]: Mine.`);
  });

  test("[J12] [J13] 7: neither block nor marker if nobody else has written", async () => {
    const { w, send } = await start({ lead: [say("One."), say("Two.")], coder: [call("look"), say("Done.")] }, "@coder look");
    await send("@lead and you?");
    await send("@lead and now?");
    for (const request of w.requests) {
      const text = lines(request).join("\n");
      expect(text.includes(NEW)).toBe(text.includes(AWAY));
    }
    expect(lines(lastOf(w, "lead")).join("\n")).not.toContain(AWAY);
  });

  test("[J19] 4: a session's id is stored, passed back, kept separate, and dropped with the course", async () => {
    const { w, dialog, send } = await start({
      lead: [{ say: "One.", session: "s1" }, say("Two."), say("Three."), say("Four.")],
      coder: [say("Mine.")],
    });
    await send("Second");
    await send({ content: "Third", sessionId: "s2" });
    await send("@coder you");
    expect(w.requests.map((request) => request.sessionId)).toEqual([undefined, "s1", "s2", undefined]);
    expect((await dialog.view()).participants.lead).toMatchObject({ sessionId: "s2" });
    await w.project.dialogs.clearMind(dialog.id);
    expect((await dialog.view()).participants.lead).not.toHaveProperty("sessionId");
  });

  test("[J20] [J24] [J25] 5: a phase is set in the commit of its step, and the conversation stays", async () => {
    const { w, dialog, send } = await start({
      lead: [call("set_phase", { phase: "plan", why: "it is clear now" }), say("Planned."), say("On.")],
      coder: [say("Yes.")],
    });
    const events = await w.events(dialog.id);
    expect(events.map((event) => event.type).slice(2, 5)).toEqual(["step.ended", "phase.set", "call.ended"]);
    expect((await dialog.view()).phase).toBe("plan");
    await send("@coder your turn");
    expect(lines(lastOf(w, "coder"))).toEqual([
      "user: Hello",
      "system: [System]: Lead set the phase to plan: it is clear now",
      "system: [Lead]: Planned.",
      "user: @coder your turn",
    ]);
    await w.project.dialogs.setPhase(dialog.id, "execute", { by: "anna" });
    expect(w.requests).toHaveLength(3);
    await send("Go on");
    expect(lines(lastOf(w, "lead")).slice(-5)).toEqual(
      [
        "user: @coder your turn",
        "system: [Coder]: Yes.",
        "system: [System]: anna set the phase to execute.",
        `system: ${AWAY}\n\n[owner]: @coder your turn\n\n[Coder]: Yes.`,
        `system: ${NEW}`,
        "user: Go on",
      ].slice(-5),
    );
  });

  test("[J22] [J23] 6: a hand-off's summary reaches each other agent once, before its trigger or inside the block", async () => {
    const { w, dialog, send } = await start({
      lead: [call("set_phase", { phase: "chat", summary: "A is chosen; B is out." }), say("Handed over."), say("Mine.")],
      coder: [say("Got it."), say("Again."), say("Once more.")],
    });
    expect((await dialog.view()).summary).toBe("A is chosen; B is out.");
    await send("@coder take over");
    expect(lines(lastOf(w, "coder")).slice(-2)).toEqual(["system: **Previous context**: A is chosen; B is out.", "user: @coder take over"]);
    await send("@coder and?");
    expect(lines(lastOf(w, "coder")).filter((line) => line.includes("Previous context"))).toHaveLength(1);
    await w.project.dialogs.setPhase(dialog.id, "chat", { summary: "Stop at noon.", by: "anna" });
    await send("What now?");
    expect(lines(lastOf(w, "lead")).slice(-3)).toEqual([
      expect.stringMatching(/^system: === MESSAGES WHILE YOU WERE AWAY ===[^]*\*\*Previous context\*\*: Stop at noon\.$/),
      `system: ${NEW}`,
      "user: What now?",
    ]);
    await send("@coder you too");
    const shown = lines(lastOf(w, "coder"));
    expect(shown.filter((line) => line.includes("Stop at noon."))).toHaveLength(1);
    expect(shown.at(-3)).toContain("**Previous context**: Stop at noon.");
  });

  test("[J10] [J11] [J15] 8: nothing is ever lost: each request has all messages once, in order", async () => {
    const { w, dialog, send } = await start({
      lead: (request) => say(`lead ${request.messages.length}`),
      coder: (request) => say(`coder ${request.messages.length}`),
    });
    for (const content of ["@coder a", "b", "@lead @coder c", "@coder d", "e"]) await send(content);
    const said = (await w.events(dialog.id)).flatMap((event) => {
      if (event.type === "message.added") return [event.content];
      return event.type === "step.ended" ? event.parts.flatMap((part) => ("saying" in part ? [part.saying] : [])) : [];
    });
    const history = (lastOf(w, "lead")?.messages ?? []).flatMap((message) => {
      const text = lineOf(message).replace(/^\w+: (?:\[\w+\]: )?/, "");
      return text.startsWith("===") ? [] : [text];
    });
    expect(history).toEqual(said.slice(0, -1));
  });
});

describe("who is addressed", () => {
  test("[J6] [J57] agents addressed by one message take turns in that order, and each reads it before the others' replies", async () => {
    const { w } = await start({ lead: [say("L.")], coder: [call("look"), say("C.")], reviewer: [say("R.")] }, "@coder @reviewer @lead go");
    expect(order(w)).toEqual(["coder", "coder", "reviewer", "lead"]);
    expect(lines(lastOf(w, "lead"))).toEqual(["user: @coder @reviewer @lead go", "system: [Coder]: C.", "system: [Reviewer]: R."]);
  });

  test("[J6] [J7] the next one starts when the previous one waits, and isn't blocked by it", async () => {
    const { w, dialog } = await start(
      { lead: [say("L.")], coder: [call("askHuman", { tellaskContent: "Which?" }), say("C.")] },
      "@coder @lead go",
    );
    expect(order(w)).toEqual(["coder", "lead"]);
    expect((await dialog.view()).participants).toMatchObject({ coder: { run: { status: "paused" } }, lead: { run: { status: "done" } } });
    const [question] = await w.project.questions.list();
    await w.project.questions.answer(question?.id as never, { content: "A" });
    await w.project.dialogs.quiet(dialog.id);
    expect(order(w)).toEqual(["coder", "lead", "coder"]);
  });

  test("[J3] [J16] history only: nobody is driven; calls without text are omitted for others", async () => {
    const { w, send } = await start({ lead: [call("look"), say("One.")], coder: [say("Read.")] });
    const receipt = await send({ content: "For the record.", mentions: [] });
    expect(receipt).toEqual({ seq: expect.any(Number) });
    expect(w.requests).toHaveLength(2);
    await send({ content: "Now you", mentions: ["coder"] });
    expect(lines(lastOf(w, "coder"))).toEqual(["user: Hello", "system: [Lead]: One.", "user: For the record.", "user: Now you"]);
  });

  test("[J4] unknown names are refused, also in a new dialog, and nothing is created", async () => {
    const { w, dialog, send } = await start({ lead: [say("One.")] });
    const refusal = { code: "unknown_agent", message: 'There is no agent "tester". The team: lead, coder, reviewer.' };
    await expect(send("@tester hello")).rejects.toMatchObject(refusal);
    await expect(send({ content: "hello", mentions: ["tester"] })).rejects.toMatchObject(refusal);
    await expect(w.project.dialogs.create({ content: "@tester hello" })).rejects.toMatchObject(refusal);
    expect(w.project.dialogs.list()).toHaveLength(1);
    expect((await dialog.view()).messages).toBe(2);
  });

  test("[J5] a named agent goes before mentioned ones", async () => {
    const w = await play({ lead: [say("L.")], coder: [say("C.")], reviewer: [say("R.")] });
    const dialog = await w.project.dialogs.create({ content: "go", agent: "lead", mentions: ["reviewer"] });
    await w.project.dialogs.quiet(dialog.id);
    expect((await dialog.view()).agentId).toBe("lead");
    expect(order(w)).toEqual(["reviewer"]);
    const quiet = await w.project.dialogs.create({ content: "Only to keep", mentions: [] });
    expect(await quiet.view()).toMatchObject({ agentId: "lead", state: "idle", messages: 1 });
  });

  test("[J9] tools of the dialog's own agent are neither offered nor allowed to others", async () => {
    const own = ["change_mind", "mark_done", "clear_mind", "set_phase"];
    const { w, send } = await start({
      lead: [say("One.")],
      coder: [
        calls(["clear_mind", {}], ["set_phase", { phase: "plan" }], ["mark_done", {}], ["tellaskBack", { tellaskContent: "?" }]),
        say("No."),
      ],
    });
    await send("@coder try");
    expect(toolsOf(w.requests[0])).toEqual(expect.arrayContaining(own));
    for (const tool of [...own, "tellaskBack"]) expect(toolsOf(lastOf(w, "coder"))).not.toContain(tool);
    const results = (lastOf(w, "coder")?.messages ?? []).filter((message) => message.role === "result");
    expect(results.map((message) => message.failed)).toEqual([true, true, true, true]);
    expect(results.map(lineOf).join()).toContain("Only Lead, whose dialog this is");
  });

  test("[J18] in a side dialog a mentioned agent reads the assignment as a message from the asker", async () => {
    const w = await play({
      lead: [call("tellask", { targetAgentId: "coder", sessionSlug: "main", tellaskContent: "Write it." }), say("Thanks.")],
      coder: [call("askHuman", { tellaskContent: "Which?" }), say("Written.")],
      reviewer: [say("I look on.")],
    });
    const dialog = await w.project.dialogs.create({ content: "Go" });
    await w.project.dialogs.quiet(dialog.id);
    const [session] = (await dialog.view()).sessions;
    await w.project.dialogs.send({ rootId: dialog.id, selfId: session?.dialogId as never }, { content: "@reviewer look", by: "anna" });
    await w.project.dialogs.quiet(dialog.id);
    expect(lines(lastOf(w, "reviewer"))).toEqual(["system: [Lead]: Write it.", "user: [anna]: @reviewer look"]);
  });

  test("[J17] a mentioned agent with a small window sees the newest messages that fit, and keeps that start", async () => {
    const w = await play(
      { lead: (request) => say(`${request.messages.length} ${"long ".repeat(60)}`), coder: [call("look"), say("Seen.")] },
      { contextWindow: 2_000 },
    );
    const dialog = await w.project.dialogs.create({ content: "Hello" });
    for (let nth = 0; nth < 20; nth++) {
      await w.project.dialogs.quiet(dialog.id);
      await dialog.send(`message ${nth}`);
    }
    await w.project.dialogs.quiet(dialog.id);
    await dialog.send("@coder your view?");
    await w.project.dialogs.quiet(dialog.id);
    const [first, second] = w.requests.filter((request) => request.agent === "coder");
    expect(lines(first)[0]).toMatch(/^system: The beginning is not shown here: \d+ earlier messages do not fit into your context\.$/);
    expect(lines(first).length).toBeLessThan(20);
    expect(lines(first).at(-1)).toBe("user: @coder your view?");
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
  });
});

describe("messages to busy agents", () => {
  const asking = call("askHuman", { tellaskContent: "Which?" });

  test("[J30] [J37] [J38] while a step is in flight: stored, acknowledged, and read at the next step, each as a separate message", async () => {
    const gate = latch();
    const w = await play({ lead: [{ hold: gate.opened, say: "First." }, say("Then.")] });
    const dialog = await w.project.dialogs.create({ content: "One" });
    await settle();
    w.clock.advance(5_000);
    expect(await dialog.send({ content: "Two,  verbatim ", msgId: "m2" })).toMatchObject({
      ack: "Lead is thinking (5 s). It reads your message at its next step.",
    });
    const receipt = await dialog.send({ content: "Three", msgId: "m3" });
    expect(await dialog.send({ content: "Three", msgId: "m3" })).toEqual(receipt);
    gate.open();
    expect(await dialog.result()).toBe("Then.");
    expect(lines(w.requests[1])).toEqual(["user: One", "assistant: First.", "user: Two,  verbatim ", "user: Three"]);
  });

  test("[J31] [J37] edge case 4: a message to a paused agent is kept, acknowledged, and read when it wakes", async () => {
    const { w, dialog } = await start({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("All done.")],
      coder: [asking, say("Written.")],
    });
    w.clock.advance(7_200_000);
    const { ack } = await dialog.send("How far are you?");
    expect(ack).toBe(
      'Lead waits for Coder: "Write it" (2 h). It reads your message when that is answered; sent with now, it would read it at once.',
    );
    await settle();
    expect(order(w)).toEqual(["lead", "coder"]);
    expect((await dialog.view()).participants.lead).toMatchObject({ run: { status: "paused", queuedInjections: 1 } });
    const [question] = await w.project.questions.list();
    await w.project.questions.answer(question?.id as never, { content: "A" });
    expect(await dialog.result()).toBe("All done.");
    expect(lines(lastOf(w, "lead")).slice(-2)).toEqual([expect.stringContaining("result: "), "user: How far are you?"]);
  });

  test("[J32] [J33] now: a waiting turn reads it at once, is told what is open, and keeps waiting", async () => {
    const { w, dialog, send } = await start({
      lead: [
        call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }),
        call("look"),
        say("Half way."),
        say("All done."),
      ],
      coder: [asking, say("Written.")],
    });
    const { ack } = await send({ content: "How far are you?", now: true });
    expect(ack).toContain("It reads your message now.");
    expect(order(w)).toEqual(["lead", "coder", "lead", "lead"]);
    const asked = w.requests[2];
    expect(lines(asked).slice(2, 5)).toEqual([
      "result: tellaskSessionless is in progress. The answer will come as a message.",
      "user: How far are you?",
      expect.stringMatching(
        /^system: \[System\]: A person wants this read now, while you still wait\. Open: Coder: "Write it" \(0 s, call [0-9a-f]{32}\)\./,
      ),
    ]);
    expect((await dialog.view()).state).toBe("waiting");
    const [question] = await w.project.questions.list();
    await w.project.questions.answer(question?.id as never, { content: "A" });
    expect(await dialog.result()).toBe("All done.");
    expect(lines(lastOf(w, "lead")).join("\n")).toContain('system: [System]: Coder, in answer to "Write it":\n【最终完成】\nWritten.');
  });

  test("[J34] now: open asks can be given up", async () => {
    const { w, dialog, send } = await start({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), call("cancel_asks"), say("Given up.")],
      coder: [asking, say("Written.")],
    });
    await send({ content: "Never mind", now: true });
    expect(await dialog.result()).toBe("Given up.");
    expect(await w.project.questions.list()).toEqual([]);
  });

  test("[J32] now, while a step that will ask is in flight: the message is read before the answer", async () => {
    const gate = latch();
    const w = await play({
      lead: [
        { hold: gate.opened, calls: [{ tool: "askHuman", input: { tellaskContent: "Which?" } }] },
        say("I asked already."),
        say("End."),
      ],
    });
    const dialog = await w.project.dialogs.create({ content: "One" });
    await settle();
    await dialog.send({ content: "Ask somebody!", now: true });
    gate.open();
    await w.project.dialogs.quiet(dialog.id);
    expect(lines(w.requests[1]).slice(-2)).toEqual(["user: Ask somebody!", expect.stringContaining('Open: a person: "Which?"')]);
    expect((await dialog.view()).state).toBe("asking");
    const [question] = await w.project.questions.list();
    await w.project.questions.answer(question?.id as never, { content: "A" });
    expect(await dialog.result()).toBe("End.");
  });

  test("[J32] now, while a call waits for approval: the turn speaks, the call stays, and runs when it is approved", async () => {
    const { entries, pay } = ledger();
    const asks = { ...pay, approval: () => true };
    const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: [asks], default: true }];
    const { w, dialog, send } = await start({ lead: [call("pay", { to: "anna" }), say("It waits for you."), say("Paid.")] }, "Pay", {
      agents,
    });
    await send({ content: "Well?", now: true });
    expect(w.requests).toHaveLength(2);
    expect(entries).toEqual([]);
    const [question] = await w.project.questions.list();
    await w.project.questions.approve(question?.id as never);
    expect(await dialog.result()).toBe("Paid.");
    expect(entries).toEqual(["anna"]);
  });

  test("[J35] [J37] interrupt aborts the model call; streamed text is kept for people", async () => {
    const gate = latch();
    const w = await play({ lead: (request) => (request.messages.length === 1 ? { hold: gate.opened, say: "Never." } : say("At once.")) });
    const dialog = await w.project.dialogs.create({ content: "One" });
    await settle();
    const { ack } = await dialog.send({ content: "Stop that", interrupt: true });
    expect(ack).toBe("Lead is thinking (0 s). It reads your message now.");
    expect(await dialog.result()).toBe("At once.");
    expect(lines(w.requests[1])).toEqual(["user: One", "user: Stop that"]);
  });

  test("[J35] interrupt aborts the running tool; the calls after it don't run", async () => {
    const { entries, pay } = ledger();
    const gate = latch();
    const slow = {
      ...pay,
      offer: { ...pay.offer, name: "slow" },
      run: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<string>((_done, fail) => signal.addEventListener("abort", () => fail(signal.reason))),
    };
    const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: [pay, slow], default: true }];
    const w = await play({ lead: [calls(["slow", { to: "a" }], ["pay", { to: "b" }]), say("Stopped.")] }, { agents });
    const dialog = await w.project.dialogs.create({ content: "Pay" });
    await settle();
    w.clock.advance(40_000);
    const { ack } = await dialog.send({ content: "Stop!", interrupt: true });
    expect(ack).toBe("Lead is running slow (40 s). It reads your message now.");
    expect(await dialog.result()).toBe("Stopped.");
    expect(entries).toEqual([]);
    expect(lines(lastOf(w, "lead")).slice(-3)).toEqual([
      "result: slow was stopped while it ran. Whether it took effect is unknown.",
      "result: pay was interrupted by a person's message before it was done.",
      "user: Stop!",
    ]);
    gate.open();
  });

  test("[J38] [J30] after a restart the acknowledgement is still in no agent's history", async () => {
    const { w, dialog } = await start({ lead: [asking, say("End.")] });
    await dialog.send("Hello?");
    await w.project.close();
    const again = await play({ lead: [asking, say("End.")] }, { disk: w.disk });
    const [question] = await again.project.questions.list();
    await again.project.questions.answer(question?.id as never, { content: "A" });
    expect(await again.project.dialogs.result(dialog.id)).toBe("End.");
    expect(lines(again.requests[0]).slice(-1)).toEqual(["user: Hello?"]);
    expect(lines(again.requests[0]).join()).not.toContain("reads your message");
  });
});

test("[J26] edge case 7: delegating to oneself needs a phase, and starts there", async () => {
  const { w, dialog } = await start({
    lead: (request) => {
      const said = request.messages.filter((message) => message.role === "assistant").length;
      if (request.messages[0]?.role === "user" && lineOf(request.messages[0]).includes("tellasker")) return say("Planned.");
      return [
        call("delegate", { delegations: [{ recipient: "lead", prompt: "plan it" }] }),
        call("delegate", { delegations: [{ recipient: "lead", prompt: "plan it", phase: "plan" }], wait: "all" }),
        say("Done."),
      ][said] as ReturnType<typeof say>;
    },
  });
  expect(await dialog.result()).toBe("Done.");
  const created = (await w.events(dialog.id)).filter((event) => event.type === "dialog.created");
  expect(created).toHaveLength(2);
  const side = created[1]?.dialog;
  expect(await w.project.dialogs.view({ rootId: dialog.id, selfId: side as never })).toMatchObject({ phase: "plan" });
});

test("[J36] now doesn't bypass an open limit question", async () => {
  const { w, dialog, send } = await start(
    { lead: (request) => (request.messages.length < 900 ? calls(["look", { at: String(request.messages.length) }]) : say("End.")) },
    "Hello",
  );
  expect((await w.project.questions.list()).map((question) => question.kind)).toEqual(["limit"]);
  const before = w.requests.length;
  await send({ content: "Well?", now: true });
  expect(w.requests).toHaveLength(before);
  expect((await dialog.view()).state).toBe("asking");
});

describe("a model that replies for busy agents", () => {
  const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: [look], default: true, busyModel: "told/busy" }];
  const isAside = (request: ModelRequest) => request.step === 0;
  const fields = (stop: boolean) =>
    JSON.stringify({ message_for_user: "On it, soon.", system_message_for_active_ral: "They want speed.", stop_current_step: stop });

  /** Holds the first step; a message arrives; then the step may end. */
  async function interrupted(busy: () => ReturnType<typeof say>, letGo: boolean) {
    const gate = latch();
    let isFirst = true;
    const w = await play(
      {
        lead: (request) => {
          if (isAside(request)) return busy();
          const told = isFirst ? { hold: gate.opened, say: "First." } : say("Then.");
          isFirst = false;
          return told;
        },
      },
      { agents },
    );
    const dialog = await w.project.dialogs.create({ content: "One" });
    await settle();
    const receipt = await dialog.send("Hurry,  please");
    await settle();
    if (letGo) gate.open();
    await w.project.dialogs.quiet(dialog.id);
    const told = (await w.events(dialog.id)).flatMap((event) => (event.type === "message.acknowledged" ? [event] : []));
    return { w, dialog, receipt, told, last: lines(w.requests.filter((request) => !isAside(request)).at(-1)) };
  }

  test("[J40] [J45] its text is the acknowledgement; its note precedes the message, which stays unchanged", async () => {
    const { w, dialog, receipt, told, last } = await interrupted(() => say(`Here: ${fields(false)}`), true);
    expect(receipt).toEqual({ seq: expect.any(Number) });
    expect(told).toMatchObject([{ agent: "lead", message: receipt.seq, text: "On it, soon.", model: "told/model" }]);
    expect(last).toEqual(["user: One", "assistant: First.", "system: [System]: They want speed.", "user: Hurry,  please"]);
    const aside = w.requests.find(isAside);
    expect(aside).toMatchObject({
      tools: [],
      messages: [{ text: expect.stringMatching(/^Lead is thinking \(0 s\)[^]*\[owner\]: Hurry, {2}please$/) }],
    });
    expect((await dialog.view()).usage.tokens).toBe(3 * 110);
  });

  test("[J41] it can interrupt the step", async () => {
    const { last } = await interrupted(() => say(fields(true)), false);
    expect(last).toEqual(["user: One", "system: [System]: They want speed.", "user: Hurry,  please"]);
  });

  test.each([
    ["something else", () => say("I would rather not.")],
    ["JSON without the words", () => say('{"stop_current_step": true}')],
    ["nothing", () => ({ calls: [{ tool: "look" }] })],
  ])("[J42] with %s the template is told, and nothing is broken off", async (_, busy) => {
    const { told, last } = await interrupted(busy as () => ReturnType<typeof say>, true);
    expect(told).toMatchObject([{ text: "Lead is thinking (0 s). It reads your message at its next step." }]);
    expect(last).toEqual(["user: One", "assistant: First.", "user: Hurry,  please"]);
  });

  test("[J42] a slow one is not awaited", async () => {
    const never = latch();
    const { w, told } = await (async () => {
      const started = await play(
        { lead: (request) => (isAside(request) ? { hold: never.opened, say: "late" } : call("askHuman", { tellaskContent: "Which?" })) },
        { agents },
      );
      const dialog = await started.project.dialogs.create({ content: "One" });
      await started.project.dialogs.quiet(dialog.id);
      await dialog.send("Hello?");
      await settle();
      started.clock.advance(20_000);
      await started.project.dialogs.quiet(dialog.id);
      const events = await started.events(dialog.id);
      return { w: started, told: events.filter((event) => event.type === "message.acknowledged") };
    })();
    expect(told).toMatchObject([{ text: expect.stringContaining('Lead waits for a person: "Which?"') }]);
    expect(w.reports.join()).toContain("took too long");
  });

  test("[J43] a late note is dropped", async () => {
    const slow = latch();
    let isFirst = true;
    const gate = latch();
    const w = await play(
      {
        lead: (request) => {
          if (isAside(request)) return { hold: slow.opened, say: fields(false) };
          const told = isFirst ? { hold: gate.opened, say: "First." } : say("Then.");
          isFirst = false;
          return told;
        },
      },
      { agents },
    );
    const dialog = await w.project.dialogs.create({ content: "One" });
    await settle();
    await dialog.send("Two");
    gate.open();
    await settle();
    slow.open();
    await w.project.dialogs.quiet(dialog.id);
    await dialog.send("Three");
    await w.project.dialogs.quiet(dialog.id);
    expect((await w.events(dialog.id)).map((event) => event.type)).not.toContain("note.added");
    expect(lines(w.requests.at(-1)).join()).not.toContain("They want speed.");
  });
});

/** The prompts to the titling model: for a title, or a summary. */
const isTitle = ({ step, system }: ModelRequest): boolean => step === 0 && system.join("").startsWith("Write a title");

describe("metadata of a dialog", () => {
  test("[J44] [J45] a title model names new unnamed dialogs; without one no model is called", async () => {
    const telling: Telling = {
      lead: (request) => (request.step === 0 ? say(isTitle(request) ? '"Dates in reports"\n' : "About dates.") : say("Hi.")),
    };
    const w = await play(telling, { titleModel: "told/title" });
    const dialog = await w.project.dialogs.create({ content: "Please fix the dates that stand in the reports" });
    await w.project.dialogs.quiet(dialog.id);
    expect(await dialog.view()).toMatchObject({ title: "Dates in reports", usage: { tokens: 330 } });
    const named = await w.project.dialogs.create({ content: "Hello", title: "Mine" });
    await w.project.dialogs.quiet(named.id);
    expect((await named.view()).title).toBe("Mine");
    expect(w.requests.filter(isTitle)).toHaveLength(1);
    const plain = await start({ lead: [say("Hi.")] }, "First line\nand more");
    expect((await plain.dialog.view()).title).toBe("First line");
    expect(plain.w.requests).toHaveLength(1);
  });

  test("[J44] if it fails the first line stays, and so does a person's title set meanwhile", async () => {
    const gate = latch();
    const w = await play(
      { lead: (request) => (request.step === 0 ? { hold: gate.opened, say: "Theirs" } : say("Hi.")) },
      { titleModel: "told/title" },
    );
    const dialog = await w.project.dialogs.create({ content: "Hello" });
    await settle();
    await w.project.dialogs.rename(dialog.id, "Mine");
    gate.open();
    await w.project.dialogs.quiet(dialog.id);
    expect((await dialog.view()).title).toBe("Mine");
    const failing = await play({ lead: (request) => (request.step === 0 ? call("look") : say("Hi.")) }, { titleModel: "told/title" });
    const other = await failing.project.dialogs.create({ content: "Hello" });
    await failing.project.dialogs.quiet(other.id);
    expect((await other.view()).title).toBe("Hello");
  });

  test("[J59] a summary: the first request and last answer in short, then the hand-off's summary", async () => {
    const { w, dialog, send } = await start({ lead: [say("One.\nAnd more of it."), say(`${"Two ".repeat(200)}`)] }, "Please\ncount");
    expect((await dialog.view()).summary).toBe("Please count → One. And more of it.");
    await send("Go on");
    const { summary = "" } = await dialog.view();
    expect(summary).toMatch(/^Please count → Two Two .*…$/);
    expect(summary.length).toBeLessThan(270);
    await w.project.dialogs.setPhase(dialog.id, "plan", { summary: "We count in twos.", by: "anna" });
    expect((await dialog.view()).summary).toBe("We count in twos.");
  });

  test("[J59] [J45] a title model writes it, after the first answer and when the dialog has grown", async () => {
    const disk = memoryBacking();
    let written = 0;
    const telling: Telling = {
      lead: (request) => (request.step > 0 ? say("Hi.") : isTitle(request) ? say("Title") : say(`Summary ${++written}.`)),
    };
    const w = await play(telling, { titleModel: "told/title", disk });
    const dialog = await w.project.dialogs.create({ content: "Hello" });
    await w.project.dialogs.quiet(dialog.id);
    expect((await dialog.view()).summary).toBe("Summary 1.");
    for (const content of ["1", "2", "3"]) {
      await dialog.send(content);
      await w.project.dialogs.quiet(dialog.id);
    }
    expect(written).toBe(2);
    await w.project.close();
    const again = await play(telling, { titleModel: "told/title", disk });
    expect((await again.project.dialogs.view(dialog.id)).summary).toBe("Summary 2.");
    expect(w.requests.findLast((request) => request.step === 0)?.messages).toMatchObject([
      { text: expect.stringMatching(/^Summary 1\.\n\n---\n\nHello\n\n---\n\nHi\.$/) },
    ]);
  });

  test("[J59] [J55] if that model fails, the conversation's own words are its summary", async () => {
    const w = await play({ lead: (request) => (request.step === 0 ? call("look") : say("Hi.")) }, { titleModel: "told/title" });
    const dialog = await w.project.dialogs.create({ content: "Hello" });
    await w.project.dialogs.quiet(dialog.id);
    expect((await dialog.view()).summary).toBe("Hello → Hi.");
  });

  test("[J46] files, summary, and each agent's working time", async () => {
    const read = {
      ...look,
      offer: { ...look.offer, name: "read_file" },
      run: () => "text",
      parse: (input: unknown) => Promise.resolve({ ok: true as const, value: input }),
    };
    const agents = team.map((one) => ({ ...one, tools: [read] }));
    const w = await play(
      {
        lead: (request) => {
          w.clock.advance(2_000);
          return request.step === 1
            ? calls(["read_file", { path: "a.ts" }], ["read_file", { path: "b.ts" }], ["read_file", { path: "a.ts" }])
            : say("Read.");
        },
        coder: () => (w.clock.advance(500), say("Mine.")),
      },
      { agents },
    );
    const dialog = await w.project.dialogs.create({ content: "@lead @coder read" });
    await w.project.dialogs.quiet(dialog.id);
    expect(await dialog.view()).toMatchObject({
      references: ["b.ts", "a.ts"],
      workedMs: 4_500,
      participants: { lead: { workedMs: 4_000 }, coder: { workedMs: 500 } },
    });
  });

  test("[J56] a running step counts, and so does one stopped before its first word", async () => {
    const gate = latch();
    const w = await play({ lead: [{ hold: gate.opened, say: "Never said." }] });
    const dialog = await w.project.dialogs.create({ content: "Think" });
    await settle();
    w.clock.advance(5_000);
    expect(await dialog.view()).toMatchObject({ workedMs: 5_000, participants: { lead: { workedMs: 5_000 } } });
    await w.project.dialogs.stop(dialog.id, { by: "anna" });
    expect(await dialog.view()).toMatchObject({ workedMs: 5_000, participants: { lead: { workedMs: 5_000 } } });
    gate.open();
  });

  test("[J56] a running call counts once, before and after its end", async () => {
    const gate = latch();
    const slow = { ...look, run: async () => (await gate.opened, "text") };
    const w = await play({ lead: [call("look"), say("Done.")] }, { agents: team.map((one) => ({ ...one, tools: [slow] })) });
    const dialog = await w.project.dialogs.create({ content: "Look" });
    await settle();
    w.clock.advance(3_000);
    expect(await dialog.view()).toMatchObject({ workedMs: 3_000 });
    gate.open();
    await w.project.dialogs.quiet(dialog.id);
    expect(await dialog.view()).toMatchObject({ workedMs: 3_000 });
  });

  test("[J54] setting the clock back during a step or a call doesn't reduce the working time", async () => {
    const back = { ...look, run: () => (w.clock.advance(-3_600_000), "text") };
    const agents = team.map((one) => ({ ...one, tools: [back] }));
    const w = await play(
      {
        lead: (request) => {
          w.clock.advance(request.step === 1 ? -3_600_000 : 700);
          return request.step === 1 ? call("look") : say("Done.");
        },
      },
      { agents },
    );
    const dialog = await w.project.dialogs.create({ content: "Look" });
    await w.project.dialogs.quiet(dialog.id);
    expect(await dialog.view()).toMatchObject({ workedMs: 700, participants: { lead: { workedMs: 700 } } });
  });
});

describe("images", () => {
  const png = Uint8Array.from(Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));

  test("[J47] an image is stored before its message, and every reader sees it, also after a restart", async () => {
    const { w, dialog, send } = await start({ lead: [say("One."), say("A cat."), say("Fine.")], coder: [say("A dog.")] });
    const receipt = await dialog.send({ content: "What is this?", images: [png], msgId: "m1" });
    expect(await dialog.send({ content: "What is this?", images: [png], msgId: "m1" })).toEqual(receipt);
    await w.project.dialogs.quiet(dialog.id);
    const shown = lastOf(w, "lead");
    const [image] = shown?.messages.flatMap((message) => (message.role === "user" ? (message.images ?? []) : [])) ?? [];
    expect(image).toMatchObject({ mediaType: "image/png", bytes: 16 });
    expect(shown?.images?.get(image?.name ?? "")).toEqual(png);
    await send("No more pictures");
    await w.project.close();
    const again = await play({ coder: [say("A dog.")] }, { disk: w.disk });
    await again.project.dialogs.send(dialog.id, { content: "@coder and you?" });
    await again.project.dialogs.quiet(dialog.id);
    expect(again.requests[0]?.images?.get(image?.name ?? "")).toEqual(png);
  });

  test("[J47] a dialog may start with an image; repeating it gives one dialog, and another image is refused", async () => {
    const w = await play({ lead: [say("A cat.")] });
    const first = { content: "What is this?", images: [png], msgId: "m1" };
    const dialog = await w.project.dialogs.create(first);
    expect((await w.project.dialogs.create(first)).id).toBe(dialog.id);
    const other = Uint8Array.from([...png, 1]);
    await expect(w.project.dialogs.create({ ...first, images: [other] })).rejects.toMatchObject({ code: "msg_id_reused" });
    await expect(w.project.dialogs.create({ content: "x", images: [Uint8Array.of(1)] })).rejects.toMatchObject({ code: "bad_request" });
    await w.project.dialogs.quiet(dialog.id);
    expect([...(w.requests[0]?.images?.values() ?? [])]).toEqual([png]);
    const [name = ""] = w.requests[0]?.images?.keys() ?? [];
    expect(await w.project.dialogs.image(dialog.id, name)).toEqual({ data: png, mediaType: "image/png" });
    expect(await w.project.dialogs.image(dialog.id, "../colloquy.yaml")).toBeUndefined();
    expect(w.project.dialogs.list()).toHaveLength(1);
  });

  test("[J47] a file that isn't an image is refused, and nothing is sent", async () => {
    const { w, dialog } = await start({ lead: [say("One.")] });
    await expect(dialog.send({ content: "Look", images: [Uint8Array.from([1, 2, 3])] })).rejects.toMatchObject({
      code: "bad_request",
      message: "That is not an image. Valid types: image/png, image/jpeg, image/gif, image/webp.",
    });
    await expect(dialog.send({ content: "Look", images: Array.from({ length: 21 }, () => png) })).rejects.toMatchObject({
      code: "bad_request",
    });
    expect(w.requests).toHaveLength(1);
  });
});
