import { Fault, type ModelMessage, type RootId } from "@colloquy/schema";
import { defineTool } from "@colloquy/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, first, say, type Telling, type Told, world, type World, type WorldOptions } from "@colloquy/testing/internals";
import { latch, look, settle } from "./tools.ts";

const team = ["lead", "coder", "reviewer"].map((id) => ({
  id,
  name: id,
  role: `You are the ${id}.\nMore about it.`,
  tools: [look],
  default: id === "lead",
}));
const play = (telling: Telling, over: Partial<WorldOptions> = {}) => world({ telling, agents: team, ...over });

const once = (to: string, content: string) => call("tellaskSessionless", { targetAgentId: to, tellaskContent: content });
const session = (to: string, slug: string, content: string) =>
  call("tellask", { targetAgentId: to, sessionSlug: slug, tellaskContent: content });
const back = (content: string) => call("tellaskBack", { tellaskContent: content });
const askHuman = (content: string) => call("askHuman", { tellaskContent: content });

const lastOf = (w: World, agent: string): readonly ModelMessage[] =>
  w.requests.findLast((request) => request.agent === agent)?.messages ?? [];
const textsOf = (messages: readonly ModelMessage[]) =>
  messages.map((one) => (one.role === "assistant" ? "assistant" : "text" in one ? one.text : one.output));
const sideIds = async (w: World, rootId: RootId) =>
  (await w.events(rootId)).flatMap((event) => (event.type === "dialog.created" && event.side ? [event.dialog] : []));

test("[A1][A33] an agent asks another once, waits, and continues with the response", async () => {
  const w = await play({ lead: [once("coder", "Write it"), say("It is written.")], coder: [say("Here it is.")] });
  const dialog = await w.project.dialogs.create({ content: "Get it written" });
  expect(await dialog.result()).toBe("It is written.");
  expect(lastOf(w, "lead").at(-1)).toMatchObject({
    role: "result",
    tool: "tellaskSessionless",
    output: "【最终完成】\nHere it is.",
    failed: false,
  });
});

test("[A1] six commits for a lead who asks a coder who asks a person", async () => {
  const w = await play({ lead: [once("coder", "Write it"), say("Done.")], coder: [askHuman("Which one?"), say("That one.")] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  const question = first(await w.project.questions.list());
  await w.project.questions.answer(question.id, { content: "The red one", by: "anna" });
  expect(await dialog.result()).toBe("Done.");
  expect(w.disk.pos).toBe(6);
});

test("[A2] a session is continued with all it knows", async () => {
  const w = await play({
    lead: [session("coder", "schema", "Design it"), session("coder", "schema", "Now refine it"), say("Good.")],
    coder: [say("Draft 1."), say("Draft 2.")],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  expect(await sideIds(w, dialog.id)).toHaveLength(1);
  expect(textsOf(lastOf(w, "coder"))).toMatchObject([
    expect.stringContaining("Design it"),
    "assistant",
    expect.stringContaining("Now refine it"),
  ]);
  expect((await dialog.view()).sessions).toMatchObject([{ agentId: "coder", slug: "schema", locked: false }]);
});

test("[A3][A19][A21][A36] an asked-back agent answers in a separate turn, and keeps waiting", async () => {
  const w = await play({
    lead: [once("coder", "Write it"), say("Use tabs."), say("All done.")],
    coder: [back("Tabs or spaces?"), say("Written with tabs.")],
  });
  const dialog = await w.project.dialogs.create({ content: "Get it written" });
  expect(await dialog.result()).toBe("All done.");
  expect(lastOf(w, "coder").at(-1)).toMatchObject({ role: "result", tool: "tellaskBack", output: "Use tabs." });
  const lead = textsOf(lastOf(w, "lead"));
  expect(lead[2]).toMatch(/in progress/);
  expect(lead[3]).toMatch(/\[coder\]: asks back about "Write it".*Tabs or spaces\?/s);
  expect(lead.at(-2)).toMatch(/You continue with owner/);
  expect(lead.at(-1)).toMatch(/coder, in answer to "Write it":\n【最终完成】\nWritten with tabs\./);
});

test("[A17] ask-backs nest over three dialogs", async () => {
  const w = await play({
    lead: [once("coder", "Build it"), say("Blue."), say("Built.")],
    coder: [once("reviewer", "Check it"), back("Which colour, lead?"), say("Blue it is."), say("Checked.")],
    reviewer: [back("Which colour?"), say("Fine, blue.")],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("Built.");
  expect(lastOf(w, "reviewer").at(-1)).toMatchObject({ output: "Blue it is." });
});

test("[A18] a message for the waiting turn is not shown to the ask-back turn", async () => {
  const w = await play({
    lead: [once("coder", "Write it"), say("Use tabs."), say("All done.")],
    coder: ({ messages }) => (messages.length === 1 ? { hold: gate.opened, ...back("Tabs?") } : say("ok")),
  });
  const gate = latch();
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  await dialog.send("By the way …");
  gate.open();
  await dialog.result();
  const [, askBack, end] = w.requests.filter((request) => request.agent === "lead").map((request) => textsOf(request.messages));
  expect(askBack?.join()).not.toContain("By the way");
  expect(end?.join()).toContain("By the way");
});

test("[A22] a person is asked before an ask-back is answered", async () => {
  const w = await play({
    lead: [once("coder", "Write it"), askHuman("Tabs or spaces?"), say("Anna says tabs."), say("Done.")],
    coder: [back("Tabs?"), say("ok")],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await w.project.dialogs.quiet(dialog.id);
  const question = first(await w.project.questions.list());
  expect(question).toMatchObject({ headline: "Tabs or spaces?", waitingBehind: 1 });
  await w.project.questions.answer(question.id, { content: "tabs", by: "anna" });
  expect(await dialog.result()).toBe("Done.");
  expect(lastOf(w, "coder").at(-1)).toMatchObject({ output: "Anna says tabs." });
});

describe("fresh boots", () => {
  test("[A4][A9][N38] no tools, no history, only the role, the markers and the ask", async () => {
    const w = await play({ lead: (request) => (request.tools.length === 0 ? say("Fresh thought.") : (leadSteps.shift() ?? say("?"))) });
    const leadSteps: Told[] = [call("freshBootsReasoning", { tellaskContent: "Is 7 prime?" }), say("Yes.")];
    const dialog = await w.project.dialogs.create({ content: "Secret history" });
    expect(await dialog.result()).toBe("Yes.");
    const fresh = w.requests.find((request) => request.tools.length === 0);
    expect(fresh?.system).toEqual([expect.stringContaining("You are the lead.")]);
    expect(fresh?.messages).toEqual([
      {
        role: "user",
        text: expect.stringMatching(
          /^This is an FBR sideline dialog; the tellasker dialog is @lead.*no tools.*【FBR-直接回复】.*【FBR-仅推理】.*Is 7 prime\?$/s,
        ),
      },
    ]);
    expect(lastOf(w, "lead").at(-1)).toMatchObject({ role: "result", output: "【FBR-直接回复】\nFresh thought." });
  });

  test("[A5] several samples give one result; one failure doesn't matter; all failing is an error", async () => {
    let sample = 0;
    const effort = (fbrEffort: number) => [{ ...first(team), fbrEffort }];
    const telling: Telling = {
      lead: (request) => {
        if (request.tools.length > 0)
          return request.messages.length === 1 ? call("freshBootsReasoning", { tellaskContent: "Think" }) : say("ok");
        sample += 1;
        return say(`thought ${sample}`);
      },
    };
    const w = await world({ telling, agents: effort(3) });
    await (await w.project.dialogs.create({ content: "go" })).result();
    expect(lastOf(w, "lead").at(-1)).toMatchObject({
      output: "【FBR-直接回复】\nthought 1\n\n【FBR-直接回复】\nthought 2\n\n【FBR-直接回复】\nthought 3",
      failed: false,
    });
    const off = await world({ telling: { lead: [call("freshBootsReasoning", { tellaskContent: "x" }), say("ok")] }, agents: effort(0) });
    await (await off.project.dialogs.create({ content: "go" })).result();
    expect(lastOf(off, "lead").at(-1)).toMatchObject({ failed: true, output: expect.stringContaining("fbrEffort: 0") });
  });
});

describe("delegation", () => {
  const delegate = (wait?: "each" | "all") =>
    call("delegate", {
      delegations: [
        { recipient: "coder", prompt: "A" },
        { recipient: "reviewer", prompt: "B" },
      ],
      ...(wait && { wait }),
    });

  test("[A6][A27][A30] each: woken at each completion, with the cumulative status", async () => {
    const gate = latch();
    const w = await play({
      lead: [delegate(), say("One is in."), say("Both are in.")],
      coder: [say("a")],
      reviewer: [{ hold: gate.opened, say: "b" }],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    expect(textsOf(lastOf(w, "lead")).at(-1)).toBe(
      "Delegation responses received (1/2):\n- coder: a\n\nStill waiting for responses from:\n- reviewer",
    );
    expect((await dialog.view()).state).toBe("waiting");
    gate.open();
    expect(await dialog.result()).toBe("Both are in.");
    expect(textsOf(lastOf(w, "lead")).at(-1)).toBe("Delegation responses received (2/2):\n- coder: a\n- reviewer: b");
  });

  test("[A6] all: woken once", async () => {
    const w = await play({ lead: [delegate("all"), say("Both.")], coder: [say("a")], reviewer: [say("b")] });
    expect(await (await w.project.dialogs.create({ content: "go" })).result()).toBe("Both.");
    expect(w.requests.filter((request) => request.agent === "lead")).toHaveLength(2);
    expect(textsOf(lastOf(w, "lead")).at(-1)).toBe("Delegation responses received (2/2):\n- coder: a\n- reviewer: b");
  });

  test("[A6] all or none: one unknown recipient and nothing is opened", async () => {
    const w = await play({
      lead: [
        call("delegate", {
          delegations: [
            { recipient: "coder", prompt: "A" },
            { recipient: "bob", prompt: "B" },
          ],
        }),
        say("ok"),
      ],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await dialog.result();
    expect(await sideIds(w, dialog.id)).toHaveLength(0);
    expect(lastOf(w, "lead").at(-1)).toMatchObject({
      failed: true,
      output: 'There is no agent "bob" in the team. There are: lead, coder, reviewer.',
    });
  });

  test("[A28] a recipient listed twice gets numbers, and a failure says so", async () => {
    const w = await play({
      lead: [
        call("delegate", {
          delegations: [
            { recipient: "coder", prompt: "A" },
            { recipient: "coder", prompt: "B" },
          ],
          wait: "all",
        }),
        say("ok"),
      ],
      coder: ({ messages }) => (textsOf(messages)[0]?.endsWith("A") ? say("a") : say("")),
    });
    await (await w.project.dialogs.create({ content: "go" })).result();
    expect(textsOf(lastOf(w, "lead")).at(-1)).toBe(
      "Delegation responses received (2/2):\n- coder#1: a\n- coder#2: (failed) It ended without a reply.",
    );
  });

  test("[A29] completions during a step are reported together at the next", async () => {
    const gate = latch();
    const w = await play({
      lead: ({ messages }) => (messages.length === 1 ? delegate() : messages.length === 4 ? { hold: gate.opened, say: "hm" } : say("end")),
      coder: [say("a")],
      reviewer: ({ messages }) => (messages.length === 1 ? { hold: later.opened, say: "b" } : say("?")),
    });
    const later = latch();
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    later.open();
    await settle();
    gate.open();
    await dialog.result();
    expect(w.requests.filter((request) => request.agent === "lead")).toHaveLength(3);
  });

  test("[A13] delegating to oneself needs a phase", async () => {
    const own = (phase?: string) =>
      call("delegate", { delegations: [{ recipient: "lead", prompt: "Plan", ...(phase && { phase }) }], wait: "all" });
    const w = await play({
      lead: ({ messages }) =>
        textsOf(messages)[0]?.includes("Plan")
          ? say("planned")
          : ([own(), own("plan"), say("ok")][messages.filter((m) => m.role === "assistant").length] ?? say("?")),
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("ok");
    expect(await sideIds(w, dialog.id)).toHaveLength(1);
  });
});

test("[A7][A8] several asks run in parallel, and a refused one doesn't block the others", async () => {
  const w = await play({
    lead: [
      calls(
        ["tellaskSessionless", { targetAgentId: "coder", tellaskContent: "A" }],
        ["tellaskSessionless", { targetAgentId: "bob", tellaskContent: "B" }],
        ["tellaskSessionless", { targetAgentId: "reviewer", tellaskContent: "C" }],
      ),
      say("All."),
    ],
    coder: [say("a")],
    reviewer: [say("c")],
  });
  expect(await (await w.project.dialogs.create({ content: "go" })).result()).toBe("All.");
  expect(lastOf(w, "lead").slice(-3)).toMatchObject([{ output: "【最终完成】\na" }, { failed: true }, { output: "【最终完成】\nc" }]);
});

test.each([
  [
    "[A11] an unknown agent",
    "tellask",
    { targetAgentId: "bob", sessionSlug: "x", tellaskContent: "hi" },
    /no agent "bob".*lead, coder, reviewer/,
  ],
  ["[A12] empty content", "tellaskSessionless", { targetAgentId: "coder", tellaskContent: "  " }, /must not be empty/],
  ["[A12] an unknown field", "tellaskSessionless", { targetAgentId: "coder", tellaskContent: "x", urgent: true }, /urgent/],
  ["[A13] oneself", "tellaskSessionless", { targetAgentId: "lead", tellaskContent: "x" }, /freshBootsReasoning.*tellask.*delegate/],
  ["[A15] a slug that does not fit", "tellask", { targetAgentId: "coder", sessionSlug: "1 x", tellaskContent: "x" }, /a session's name/],
  ["[A15] a session for fresh boots", "freshBootsReasoning", { tellaskContent: "x", sessionSlug: "s" }, /sessionSlug/],
  ["[A15] a session for asking back", "tellaskBack", { tellaskContent: "x", sessionSlug: "s" }, /sessionSlug/],
  ["[A16] nobody to ask back", "tellaskBack", { tellaskContent: "x" }, /Use askHuman/],
  ["[A45] what is for threads only", "withdraw_question", { why: "x" }, /asked back about your question/],
  ["[A44] a reminder that is not there", "delete_reminder", { reminder_id: 7 }, /no reminder 7/],
])("%s is reported to the model", async (_what, tool, input, message) => {
  const w = await play({ lead: [call(tool, input), say("ok")] });
  await (await w.project.dialogs.create({ content: "go" })).result();
  expect(lastOf(w, "lead").at(-1)).toMatchObject({ role: "result", failed: true, output: expect.stringMatching(message) });
});

test.each(["Coder Bot", "@coder", "CODER", "coder bot"])("[A63] an agent is asked by id or by name: %s", async (name) => {
  const agents = [
    { id: "lead", name: "Lead", role: "You lead.", tools: [], default: true },
    { id: "coder", name: "Coder Bot", role: "You code.", tools: [] },
  ];
  const telling: Telling = {
    lead: [
      call("tellask", { targetAgentId: name, sessionSlug: "db", tellaskContent: "Design it" }),
      call("tellaskSessionless", { targetAgentId: name, tellaskContent: "Write it" }),
      call("delegate", { delegations: [{ recipient: name, prompt: "Test it" }], wait: "all" }),
      say("Done."),
    ],
    coder: () => say("Yes."),
  };
  const w = await world({ telling, agents });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("Done.");
  const asked = (await w.events(dialog.id)).flatMap((event) => (event.type === "ask.opened" ? [event.recipient] : []));
  expect(asked).toEqual(["coder", "coder", "coder"]);
});

test("[A14] naming one's own asker is an ask-back", async () => {
  const w = await play({ lead: [once("coder", "Write it"), say("Tabs."), say("Done.")], coder: [once("lead", "Tabs?"), say("ok")] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("Done.");
  expect(await sideIds(w, dialog.id)).toHaveLength(1);
});

test("[A20] a text with the ask-back marker is an ask-back", async () => {
  const w = await play({
    lead: [once("coder", "Write it"), say("Tabs."), say("Done.")],
    coder: [say("【tellaskBack】\nTabs or spaces?"), say("【最终完成】\nWith tabs.")],
  });
  const dialog = await w.project.dialogs.create({ content: "go" });
  expect(await dialog.result()).toBe("Done.");
  expect(textsOf(lastOf(w, "coder")).at(-1)).toMatch(/Tabs\.$/);
  expect(textsOf(lastOf(w, "lead")).at(-1)).toMatch(/【最终完成】\nWith tabs\.$/);
});

test("[A10] side dialogs are flat under the main one, with its Taskdoc", async () => {
  const w = await play({ lead: [once("coder", "A"), say("ok")], coder: [once("reviewer", "B"), say("a")], reviewer: [say("b")] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await dialog.result();
  const created = (await w.events(dialog.id)).filter((event) => event.type === "dialog.created");
  expect(new Set(created.map((event) => event.taskDocPath)).size).toBe(1);
  expect(created.map((event) => event.side?.asker)).toEqual([undefined, dialog.id, created[1]?.dialog]);
});

describe("sessions", () => {
  test("[A23] a busy session serves its askers one by one, and each gets its own answer", async () => {
    const w = await play({
      lead: [
        calls(
          ["tellaskSessionless", { targetAgentId: "reviewer", tellaskContent: "use the coder" }],
          ["tellask", { targetAgentId: "coder", sessionSlug: "db", tellaskContent: "from lead" }],
        ),
        say("ok"),
      ],
      reviewer: [session("coder", "db", "from reviewer"), say("reviewed")],
      coder: ({ messages }) => say(`answer to ${textsOf(messages).at(-1)?.split(" ").at(-1)}`),
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("ok");
    expect(lastOf(w, "reviewer").at(-1)).toMatchObject({ output: "【最终完成】\nanswer to reviewer" });
    expect(lastOf(w, "lead").at(-1)).toMatchObject({ output: "【最终完成】\nanswer to lead" });
  });

  test("[A24] the same new session twice in one step", async () => {
    const w = await play({
      lead: [
        calls(
          ["tellask", { targetAgentId: "coder", sessionSlug: "db", tellaskContent: "one" }],
          ["tellask", { targetAgentId: "coder", sessionSlug: "db", tellaskContent: "two" }],
        ),
        say("ok"),
      ],
      coder: ({ messages }) => say(`did ${textsOf(messages).at(-1)?.split("\n").at(-1)}`),
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await dialog.result();
    expect(await sideIds(w, dialog.id)).toHaveLength(1);
    expect(lastOf(w, "lead").slice(-2)).toMatchObject([{ output: "【最终完成】\ndid one" }, { output: "【最终完成】\ndid two" }]);
  });

  test("[A25] a circle is refused and named", async () => {
    const w = await play({
      lead: [session("coder", "x", "go"), say("ok")],
      coder: [once("reviewer", "check"), say("done")],
      reviewer: [session("coder", "x", "but first"), say("then not")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("ok");
    expect(lastOf(w, "reviewer").at(-1)).toMatchObject({
      failed: true,
      output: "coder already waits for you: reviewer → coder → reviewer. Use tellaskBack instead.",
    });
  });

  test("[A26][A39] a dead session is dropped, its askers are told, and its name is free", async () => {
    const w = await play({
      lead: [session("coder", "db", "first"), session("coder", "db", "second"), say("ok")],
      coder: ({ messages }) => (textsOf(messages)[0]?.includes("first") ? askHuman("stuck?") : say("fresh start")),
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    const side = first(await sideIds(w, dialog.id));
    await w.project.dialogs.dead({ rootId: dialog.id, selfId: side }, { by: "anna" });
    expect(await dialog.result()).toBe("ok");
    expect(await sideIds(w, dialog.id)).toHaveLength(2);
    expect(await w.project.questions.list()).toEqual([]);
    await expect(w.project.dialogs.send({ rootId: dialog.id, selfId: side }, { content: "hello?" })).rejects.toMatchObject({
      code: "dead",
    });
    await expect(w.project.dialogs.dead(dialog.id)).rejects.toMatchObject({ code: "not_a_side_dialog" });
    expect(w.requests.find((request) => request.agent === "lead" && request.messages.length === 3)?.messages.at(-1)).toMatchObject({
      failed: true,
      output: expect.stringContaining("anna declared this dialog of coder dead"),
    });
  });
});

describe("responses", () => {
  test("[A31][A34] earlier results and people's messages are part of the response", async () => {
    const gate = latch();
    const w = await play({
      lead: [once("coder", "Write"), say("ok")],
      coder: [{ hold: gate.opened, say: "First part." }, say("Second part.")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    const side = first(await sideIds(w, dialog.id));
    await w.project.dialogs.send({ rootId: dialog.id, selfId: side }, { content: "and a footer", by: "anna" });
    gate.open();
    await dialog.result();
    expect(lastOf(w, "lead").at(-1)).toMatchObject({
      output: '【最终完成】\nFirst part.\n\nSecond part.\n\n(Meanwhile, people told this dialog: "[anna]: and a footer")',
    });
  });

  test("[A32] an empty reply is reported once; then the last text counts", async () => {
    const w = await play({
      lead: [once("coder", "Write"), say("ok")],
      coder: [{ say: "Working on it.", calls: [{ tool: "look" }] }, say(""), say("")],
    });
    await (await w.project.dialogs.create({ content: "go" })).result();
    expect(lastOf(w, "coder").at(-1)).toMatchObject({ role: "system", text: expect.stringContaining("reply was empty") });
    expect(lastOf(w, "lead").at(-1)).toMatchObject({ output: "【最终完成】\nWorking on it." });
  });

  test("[A35] a one-time ask completes its dialog; a session stays", async () => {
    const w = await play({
      lead: [
        calls(
          ["tellaskSessionless", { targetAgentId: "coder", tellaskContent: "A" }],
          ["tellask", { targetAgentId: "reviewer", sessionSlug: "s", tellaskContent: "B" }],
        ),
        say("ok"),
      ],
      coder: [say("a")],
      reviewer: [say("b")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await dialog.result();
    const states = await Promise.all(
      (await sideIds(w, dialog.id)).map(async (selfId) => (await w.project.dialogs.view({ rootId: dialog.id, selfId })).status),
    );
    expect(states).toEqual(["completed", "running"]);
  });
});

describe("cancelling", () => {
  test("[A37] cancel_asks ends the serving dialogs, all the way down", async () => {
    const w = await play({
      lead: [call("delegate", { delegations: [{ recipient: "coder", prompt: "long" }] }), call("cancel_asks", {}), say("never mind")],
      coder: [once("reviewer", "longer")],
      reviewer: [askHuman("really?")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    await dialog.send("stop that");
    expect(await dialog.result()).toBe("never mind");
    expect(await w.project.questions.list()).toEqual([]);
    expect((await w.events(dialog.id)).filter((event) => event.type === "ask.answered").map((event) => event.outcome)).toEqual([
      "cancelled",
      "cancelled",
    ]);
  });

  test("[T14] the result of a tool whose turn was given up is recorded, and read at the agent's next step", async () => {
    const gate = latch();
    const slow = defineTool({
      name: "pay",
      description: "Pays, and cannot be held up.",
      input: z.strictObject({}),
      run: async () => (await gate.opened, "paid"),
    });
    const w = await play(
      {
        lead: [call("delegate", { delegations: [{ recipient: "coder", prompt: "Pay" }] }), call("cancel_asks", {}), say("never mind")],
        coder: [call("pay"), say("I see.")],
      },
      { agents: team.map((agent) => ({ ...agent, tools: [look, slow] })) },
    );
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    await dialog.send("stop that");
    await settle();
    expect((await w.events(dialog.id)).filter((event) => event.type === "call.ended").at(-1)).toMatchObject({ outcome: "unknown" });
    gate.open();
    await settle();
    expect((await w.events(dialog.id)).findLast((event) => event.type === "call.ended")).toMatchObject({ output: "paid", late: true });
    const side = { rootId: dialog.id, selfId: first(await sideIds(w, dialog.id)) };
    await w.project.dialogs.send(side, { content: "Was it paid?" });
    await settle();
    const [, , result, late, asked] = lastOf(w, "coder");
    expect(result).toMatchObject({ role: "result", failed: true });
    expect(late).toMatchObject({ role: "system", text: expect.stringMatching(/pay.*:\npaid$/s) });
    expect(asked).toMatchObject({ text: "Was it paid?" });
  });

  test("[A38] a deadline cancels, and the asker is told", async () => {
    const w = await play({
      lead: [call("delegate", { delegations: [{ recipient: "coder", prompt: "x" }], deadline: "2h", wait: "all" }), say("too late")],
      coder: [askHuman("hm?")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    w.clock.advance(2 * 3_600_000);
    await settle();
    expect(await dialog.result()).toBe("too late");
    expect(textsOf(lastOf(w, "lead")).at(-1)).toMatch(/coder: \(expired\)/);
    expect(await w.project.questions.list()).toEqual([]);
  });

  test("[A40] done cancels everything in one commit", async () => {
    const w = await play({ lead: [once("coder", "x")], coder: [askHuman("hm?")] });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    const before = w.disk.pos;
    await dialog.done({ by: "anna" });
    expect(w.disk.pos).toBe(before + 1);
    expect(await w.project.questions.list()).toEqual([]);
    expect((await dialog.view()).state).toBe("done");
  });
});

describe("clear minds", () => {
  test("[A41][A42] a new course keeps asks and reminders; a response quotes its ask", async () => {
    const w = await play({
      lead: ({ messages }) => {
        const text = textsOf(messages).join("\n");
        if (text.includes("in answer to")) return say("Thanks.");
        if (text.includes("A new course begins")) return say("?");
        return calls(
          ["delegate", { delegations: [{ recipient: "coder", prompt: "Build" }], wait: "all" }],
          ["tellaskSessionless", { targetAgentId: "reviewer", tellaskContent: "Check" }],
          ["clear_mind", { reminder_content: "Build is under way" }],
        );
      },
      coder: [say("built")],
      reviewer: [say("checked")],
    });
    const dialog = await w.project.dialogs.create({ content: "Secret plan" });
    expect(await dialog.result()).toBe("Thanks.");
    const last = w.requests.findLast((request) => request.agent === "lead");
    const texts = textsOf(last?.messages ?? []);
    expect(texts.join("\n")).toContain("You still owe an answer to owner:\nSecret plan");
    expect(texts.join("\n")).toMatch(/reviewer, in answer to "Check":\n【最终完成】\nchecked/);
    expect(texts.join("\n")).toContain("Delegation responses received (1/1):\n- coder: built");
    expect(last?.system.at(-1)).toContain("1: Build is under way");
    expect(last?.course).toBe(2);
    expect(last?.messages.some((message) => message.role === "assistant")).toBe(false);
  });

  test("[A44] reminders by number", async () => {
    const w = await play({
      lead: [
        call("add_reminder", { content: "one" }),
        call("add_reminder", { content: "two" }),
        call("update_reminder", { reminder_id: 1, content: "uno" }),
        call("delete_reminder", { reminder_id: 2 }),
        say("ok"),
      ],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await dialog.result();
    expect((await dialog.view()).reminders).toEqual([{ id: 1, content: "uno" }]);
  });

  test("[A43] mark_done is refused while anything is open, and completes the tree otherwise", async () => {
    const w = await play({
      lead: [
        {
          say: "Asking.",
          calls: [
            { tool: "delegate", input: { delegations: [{ recipient: "coder", prompt: "Build" }], wait: "all" } },
            { tool: "mark_done" },
          ],
        },
        { say: "All is done.", calls: [{ tool: "mark_done" }] },
      ],
      coder: [say("built")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("All is done.");
    expect((await dialog.view()).status).toBe("completed");
    expect((await w.events(dialog.id)).find((event) => event.type === "call.ended" && event.outcome === "refused")).toMatchObject({
      output: expect.stringContaining("coder: Build"),
    });
  });
});

describe("stopping", () => {
  test("[A46] the asker of a stopped dialog keeps waiting", async () => {
    const gate = latch();
    const w = await play({ lead: [once("coder", "x"), say("ok")], coder: [{ hold: gate.opened, say: "late" }] });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    const side = { rootId: dialog.id, selfId: first(await sideIds(w, dialog.id)) };
    await w.project.dialogs.stop(side, { by: "anna" });
    await settle();
    expect((await dialog.view()).state).toBe("waiting");
    gate.open();
    await w.project.dialogs.resume(side);
    expect(await dialog.result()).toBe("ok");
  });

  test("[A51] an asker reads at its next step that a dialog it waits for is stalled, and isn't woken for that", async () => {
    const gate = latch();
    const w = await play({
      lead: [
        call("delegate", {
          delegations: [
            { recipient: "coder", prompt: "Build" },
            { recipient: "reviewer", prompt: "Review" },
          ],
        }),
        say("hm"),
        say("end"),
      ],
      coder: [{ hold: gate.opened, say: "built" }],
      reviewer: [{ hold: gate.opened, say: "fine" }],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    const sides = (await sideIds(w, dialog.id)).map((selfId) => ({ rootId: dialog.id, selfId }));
    for (const side of sides) await w.project.dialogs.stop(side, { by: "anna" });
    await settle();
    expect(w.requests.filter(({ agent }) => agent === "lead")).toHaveLength(1);
    await w.project.dialogs.resume(first(sides));
    await dialog.send("How is it going?");
    await settle();
    // The coder had stalled and has resumed: not worth a note. The reviewer is stalled.
    const told = textsOf(lastOf(w, "lead"));
    expect(told.filter((text) => text.includes("[System]"))).toEqual([
      expect.stringMatching(/^\[System\]: reviewer, whom you asked "Review", is stopped: .*anna.* your ask stays open/),
    ]);
    await w.project.dialogs.resume(sides[1] as never);
    gate.open();
    expect(await dialog.result()).toBe("end");
    expect(textsOf(lastOf(w, "lead")).filter((text) => text.includes("working again"))).toEqual([]);
  });

  test("[A47] stopping a tree also stops its assignments, and resuming undoes that", async () => {
    const gate = latch();
    const w = await play({
      lead: [once("coder", "x"), say("ok")],
      coder: [once("reviewer", "y"), say("a")],
      reviewer: [{ hold: gate.opened, say: "b" }],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    await w.project.dialogs.stop(dialog.id, { by: "anna", tree: true });
    const stops = (await w.events(dialog.id)).filter((event) => event.type === "dialog.stopped");
    expect(stops).toHaveLength(3);
    gate.open();
    await w.project.dialogs.resume(dialog.id);
    expect(await dialog.result()).toBe("ok");
  });

  test.each([
    ["when its asker's tree was stopped", []],
    ["when its asker, who stood still already, was stopped with its tree", [{ by: "ben" }]],
  ])("[A47] an assignment that waited in a queue %s begins stopped, and continues with its asker", async (_when, before) => {
    const gate = latch();
    const w = await play({
      lead: [
        call("delegate", {
          delegations: [
            { recipient: "coder", prompt: "one" },
            { recipient: "coder", prompt: "two" },
          ],
          wait: "all",
        }),
        say("ok"),
      ],
      coder: [session("reviewer", "s", "look"), say("a")],
      reviewer: [{ hold: gate.opened, say: "first" }, say("second")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    const [, two, reviewer] = await sideIds(w, dialog.id);
    for (const how of before) await w.project.dialogs.stop({ rootId: dialog.id, selfId: two as never }, how);
    await w.project.dialogs.stop({ rootId: dialog.id, selfId: two as never }, { by: "anna", tree: true });
    const told = (await w.events(dialog.id)).filter((event) => event.type === "note.added" && event.code === "side_stopped");
    expect(told).toHaveLength(1);
    gate.open();
    await settle();
    expect(w.requests.filter(({ agent }) => agent === "reviewer")).toHaveLength(1);
    expect((await w.project.dialogs.view({ rootId: dialog.id, selfId: reviewer as never })).state).toBe("stopped");
    await w.project.dialogs.resume({ rootId: dialog.id, selfId: two as never });
    expect(await dialog.result()).toBe("ok");
  });

  test("[A52] a session stopped with one asker's tree continues with the next asker once that tree ends", async () => {
    const gate = latch();
    const w = await play({
      lead: [
        call("delegate", {
          delegations: [
            { recipient: "coder", prompt: "one" },
            { recipient: "coder", prompt: "two" },
          ],
          wait: "all",
        }),
        say("ok"),
      ],
      coder: [session("reviewer", "s", "look"), say("a")],
      reviewer: ({ messages }) => (messages.length === 1 ? { hold: gate.opened, say: "first" } : say("second")),
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    const [one, , reviewer] = (await sideIds(w, dialog.id)).map((selfId) => ({ rootId: dialog.id, selfId }));
    if (!one || !reviewer) throw new Error("Nobody was asked.");
    await w.project.dialogs.stop(one, { by: "anna", tree: true });
    expect((await w.project.dialogs.view(reviewer)).state).toBe("stopped");
    await w.project.dialogs.dead(one, { by: "anna" });
    expect(await dialog.result()).toBe("ok");
    expect((await w.project.dialogs.view(reviewer)).stopped).toBeUndefined();
    expect(textsOf(lastOf(w, "lead")).join("\n")).toContain("coder#2: a");
  });

  test("[A51] a stalled asker reads it when it resumes", async () => {
    const gate = latch();
    const w = await play({
      lead: [call("delegate", { delegations: [{ recipient: "coder", prompt: "Build" }] }), say("hm"), say("end")],
      coder: [{ hold: gate.opened, fault: new Fault("model_wrong_key", "never", "The key is wrong.") }],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    await w.project.dialogs.stop(dialog.id, { by: "anna" });
    gate.open();
    await settle();
    await w.project.dialogs.resume(dialog.id);
    await dialog.send("How is it going?");
    await settle();
    expect(textsOf(lastOf(w, "lead")).join("\n")).toMatch(/coder, whom you asked "Build", is stopped: The key is wrong/);
  });

  test("[C11] a repeatable call in flight when its turn is cancelled has an unknown outcome", async () => {
    const begun = latch();
    const slow = defineTool({
      name: "slow",
      description: "",
      input: z.strictObject({}),
      repeatable: true,
      run: (_, { signal }) => {
        begun.open();
        return new Promise<string>((_done, fail) => signal.addEventListener("abort", () => fail(new Error("aborted"))));
      },
    });
    const w = await world({
      telling: {
        lead: [call("delegate", { delegations: [{ recipient: "coder", prompt: "x" }], deadline: "2h", wait: "all" }), say("too late")],
        coder: [calls(["slow", {}], ["slow", {}])],
      },
      agents: ["lead", "coder"].map((id) => ({ id, name: id, role: `You are the ${id}.`, default: id === "lead", tools: [slow] })),
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await begun.opened;
    w.clock.advance(2 * 3_600_000);
    expect(await dialog.result()).toBe("too late");
    const ended = (await w.events(dialog.id)).flatMap((event) =>
      event.type === "call.ended" && event.agent === "coder" ? [event.outcome] : [],
    );
    // The second had not started.
    expect(ended).toEqual(["unknown", "refused"]);
  });

  test("[A48] a fault is a question; giving up answers the asker with the failure", async () => {
    const w = await play({ lead: [once("coder", "x"), say("A pity.")], coder: [] });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    const question = first(await w.project.questions.list());
    expect(question).toMatchObject({ kind: "fault", agentId: "coder", options: [{ label: "Resume" }, { label: "Give up" }] });
    await w.project.questions.answer(question.id, { choice: ["Give up"], by: "anna" });
    expect(await dialog.result()).toBe("A pity.");
    expect(lastOf(w, "lead").at(-1)).toMatchObject({ failed: true, output: "anna gave this up: Its script has ended." });
  });

  test("[A48] resuming in any way answers it", async () => {
    let isMended = false;
    const w = await play({ lead: [once("coder", "x"), say("ok")], coder: () => (isMended ? say("mended") : (undefined as never)) });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    isMended = true;
    const side = { rootId: dialog.id, selfId: first(await sideIds(w, dialog.id)) };
    await w.project.dialogs.resume(side, { by: "anna" });
    expect(await w.project.questions.list()).toEqual([]);
    expect(await dialog.result()).toBe("ok");
  });
});

test("[A49] the limit of open asks holds the call until a person agrees", async () => {
  const many = calls(
    ...Array.from({ length: 34 }, (_, nth) => ["tellaskSessionless", { targetAgentId: "coder", tellaskContent: `part ${nth}` }] as const),
  );
  const gate = latch();
  const w = await play({ lead: [many, say("all")], coder: () => ({ hold: gate.opened, say: "done" }) });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  const questions = await w.project.questions.list();
  expect(questions).toMatchObject([{ kind: "limit", headline: expect.stringContaining("limits.openAsks: 32 of 32") }]);
  await w.project.questions.answer(first(questions).id, { choice: ["+16"], by: "anna" });
  await settle();
  expect(await sideIds(w, dialog.id)).toHaveLength(34);
  gate.open();
  expect(await dialog.result()).toBe("all");
});

test("[A43] mark_done is refused while a message is unread", async () => {
  const gate = latch();
  const w = await play({ lead: [{ hold: gate.opened, say: "Done.", calls: [{ tool: "mark_done" }] }, say("I heard you.")] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  await dialog.send("wait!");
  gate.open();
  expect(await dialog.result()).toBe("I heard you.");
  expect((await dialog.view()).status).toBe("running");
});

test("[A39] a refused command stops nothing", async () => {
  const gate = latch();
  const w = await play({ lead: [{ hold: gate.opened, say: "ok" }] });
  const dialog = await w.project.dialogs.create({ content: "go" });
  await settle();
  await expect(w.project.dialogs.dead(dialog.id)).rejects.toMatchObject({ code: "not_a_side_dialog" });
  gate.open();
  expect(await dialog.result()).toBe("ok");
});

test("[A4] fresh boots can't ask back, whatever they write", async () => {
  const steps: Told[] = [call("freshBootsReasoning", { tellaskContent: "Is 7 prime?" }), say("Yes.")];
  const w = await play({ lead: (request) => (request.tools.length === 0 ? say("【tellaskBack】\nwhat?") : (steps.shift() ?? say("?"))) });
  expect(await (await w.project.dialogs.create({ content: "go" })).result()).toBe("Yes.");
});
