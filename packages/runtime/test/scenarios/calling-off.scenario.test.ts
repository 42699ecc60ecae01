import { Fault, type ModelMessage, Refused, type RootId } from "@colloquy/schema";
import { defineTool } from "@colloquy/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, fail, first, say, type Telling, world, type World } from "@colloquy/testing/internals";
import { settle } from "./tools.ts";

const play = (telling: Telling, paid: string[] = []) => {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({ to: z.string() }),
    approval: true,
    run: ({ to }) => (paid.push(to), `paid ${to}`),
  });
  const agents = ["lead", "coder", "reviewer"].map((id) => ({
    id,
    name: id,
    role: `You are the ${id}.`,
    tools: [pay],
    default: id === "lead",
  }));
  return world({ telling, agents });
};

const lastOf = (w: World, agent: string): readonly ModelMessage[] =>
  w.requests.findLast((request) => request.agent === agent)?.messages ?? [];
const shown = (w: World, agent: string): string => JSON.stringify(lastOf(w, agent));
const sideIds = async (w: World, rootId: RootId) =>
  (await w.events(rootId)).flatMap((event) => (event.type === "dialog.created" && event.side ? [event.dialog] : []));
const wrongKey = fail(new Fault("model_wrong_key", "never", "acme wants a key (401). Set ACME_KEY (or put it into .env)."));

describe("cancel_asks", () => {
  test("[A54] cancels an approval: the call doesn't run, and approving it afterwards is refused", async () => {
    const paid: string[] = [];
    const w = await play({ lead: [call("pay", { to: "anna" }), call("cancel_asks", {}), say("Not paid.")] }, paid);
    const dialog = await w.project.dialogs.create({ content: "Pay anna" });
    await w.project.dialogs.quiet(dialog.id);
    const approval = first(await w.project.questions.list());
    await dialog.send({ content: "Never mind", now: true });
    expect(await dialog.result()).toBe("Not paid.");
    expect(shown(w, "lead")).toContain("Cancelled by the one who asked.");
    const approving = w.project.questions.approve(approval.id, { by: "anna" });
    await expect(approving).rejects.toThrow(Refused);
    await expect(approving).rejects.toMatchObject({ code: "question_not_open" });
    await settle();
    expect(paid).toEqual([]);
  });

  test("[A54] cancels a confirmation", async () => {
    const w = await play({
      lead: [say('{"open_questions": [{"text": "Sure?", "kind": "confirmation"}]}'), call("cancel_asks", {}), say("I go on without it.")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    expect(await w.project.questions.list()).toMatchObject([{ kind: "confirmation" }]);
    await dialog.send({ content: "Decide yourself", now: true });
    expect(await dialog.result()).toBe("I go on without it.");
    expect(await w.project.questions.list()).toEqual([]);
  });

  test("[A54] the list of open items names the approval's call, and cancel_asks accepts that name", async () => {
    const paid: string[] = [];
    const w = await play(
      {
        lead: ({ messages }) => {
          const all = JSON.stringify(messages);
          const [, open] = /call ([0-9a-f]{32})/.exec(all) ?? [];
          if (all.includes("paid ben")) return say("Ben is paid.");
          if (all.includes("Cancelled: ")) return say("Waiting for the other one.");
          return open === undefined ? calls(["pay", { to: "anna" }], ["pay", { to: "ben" }]) : call("cancel_asks", { callIds: [open] });
        },
      },
      paid,
    );
    const dialog = await w.project.dialogs.create({ content: "Pay both" });
    await w.project.dialogs.quiet(dialog.id);
    await dialog.send({ content: "Not anna", now: true });
    await w.project.dialogs.quiet(dialog.id);
    const left = first(await w.project.questions.list());
    await w.project.questions.approve(left.id, { by: "anna" });
    expect(await dialog.result()).toBe("Ben is paid.");
    expect(paid).toEqual(["ben"]);
  });

  test("[A55] in an ask-back: the waiting turn's asks end, the ask-back with them, and that turn continues", async () => {
    const w = await play({
      lead: [
        calls(
          ["tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }],
          ["tellaskSessionless", { targetAgentId: "reviewer", tellaskContent: "Review it" }],
        ),
        calls(["cancel_asks", {}], ["add_reminder", { content: "not decided any more" }]),
        say("Never mind, then."),
      ],
      coder: [call("tellaskBack", { tellaskContent: "Tabs or spaces?" }), say("never said")],
      reviewer: [call("askHuman", { tellaskContent: "Is it good?" }), say("never said")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("Never mind, then.");
    expect(await w.project.questions.list()).toEqual([]);
    const answers = (await w.events(dialog.id)).flatMap((event) =>
      event.type === "ask.answered" ? [`${event.agent} ${event.outcome}`] : [],
    );
    expect(answers.toSorted()).toEqual(["coder cancelled", "lead cancelled", "lead cancelled"]);
    expect(w.requests.filter(({ agent }) => agent === "coder")).toHaveLength(1);
    expect((await dialog.view()).reminders).toEqual([]);
  });
});

describe("end_session", () => {
  const tell = (content: string, to = "coder", slug = "db"): [string, unknown] => [
    "tellask",
    { targetAgentId: to, sessionSlug: slug, tellaskContent: content },
  ];
  const end = (to = "coder", slug = "db"): [string, unknown] => ["end_session", { targetAgentId: to, sessionSlug: slug }];
  const endings = async (w: World, rootId: RootId) => (await w.events(rootId)).filter((event) => event.type === "dialog.ended");

  test("[A59] an idle session: completed, its name starts a new one, and a message to it is refused", async () => {
    const w = await play({
      lead: [calls(tell("Design it")), calls(end()), calls(tell("Again")), say("Done.")],
      coder: [say("Draft 1."), say("Draft 2.")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("Done.");
    const [ended, fresh] = await sideIds(w, dialog.id);
    expect(fresh).toBeDefined();
    expect(JSON.stringify(lastOf(w, "coder"))).not.toContain("Draft 1.");
    const at = { rootId: dialog.id, selfId: ended ?? fresh ?? ("" as never) };
    expect((await w.project.dialogs.view(at)).state).toBe("done");
    const before = w.disk.pos;
    await expect(w.project.dialogs.send(at, { content: "Still there?" })).rejects.toMatchObject({ code: "not_running" });
    expect(w.disk.pos).toBe(before);
    expect((await dialog.view()).sessions.map(({ dialogId }) => dialogId)).toEqual([fresh]);
  });

  test("[A59] a busy session: its question is withdrawn, its asks end, its asker continues", async () => {
    const w = await play({
      lead: [
        calls(["delegate", { delegations: [{ recipient: "reviewer", prompt: "Review it" }] }], tell("Design it")),
        calls(end()),
        say("Never mind, then."),
        say("All is in."),
      ],
      coder: [calls(tell("Look at it", "reviewer", "look"))],
      reviewer: ({ messages }) =>
        JSON.stringify(messages).includes("Look at it") ? call("askHuman", { tellaskContent: "Which one?" }) : say("Reviewed."),
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    expect(await w.project.questions.list()).toHaveLength(1);
    await dialog.send({ content: "Stop that", now: true });
    await w.project.dialogs.quiet(dialog.id);
    expect(await w.project.questions.list()).toEqual([]);
    expect(await dialog.result()).toBe("Never mind, then.");
    expect(await endings(w, dialog.id)).toHaveLength(1);
    const cancelled = (await w.events(dialog.id)).filter((event) => event.type === "ask.answered" && event.outcome === "cancelled");
    expect(cancelled).toHaveLength(2);
  });

  test("[A60] refused while another asker waits, with the name; its work continues", async () => {
    const w = await play({
      lead: ({ messages }) => {
        const all = JSON.stringify(messages);
        if (all.includes("Refined.")) return say("All is done.");
        if (all.includes("Not ended")) return say("I wait.");
        if (all.includes("End the session")) return calls(end());
        if (all.includes("Delegated to")) return say("I wait.");
        return all.includes("Draft 1.")
          ? call("delegate", { delegations: [{ recipient: "reviewer", prompt: "Ask the session" }] })
          : calls(tell("Design it"));
      },
      coder: [say("Draft 1."), call("askHuman", { tellaskContent: "Which one?" }), say("Draft 2.")],
      reviewer: [calls(tell("Refine it")), say("Refined.")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    await dialog.send({ content: "End the session", now: true });
    await w.project.dialogs.quiet(dialog.id);
    expect(shown(w, "lead")).toContain("Not ended: reviewer still waits for it.");
    expect(await endings(w, dialog.id)).toEqual([]);
    await w.project.questions.answer(first(await w.project.questions.list()).id, { content: "The red one", by: "anna" });
    expect(await dialog.result()).toBe("All is done.");
  });

  test("[A60] refused while a person who wrote to it has no answer", async () => {
    const w = await play({
      lead: [calls(tell("Design it")), say("Designed."), calls(end()), say("Not yet.")],
      coder: [say("Draft 1."), call("askHuman", { tellaskContent: "Which one?" }), say("That one.")],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await dialog.result();
    await w.project.dialogs.send({ rootId: dialog.id, selfId: first(await sideIds(w, dialog.id)) }, { content: "Another draft?" });
    await w.project.dialogs.quiet(dialog.id);
    await dialog.send("End the session");
    expect(await dialog.result()).toBe("Not yet.");
    expect(shown(w, "lead")).toContain("Not ended: a person still waits for it.");
  });

  test("[A61] in an ask-back, the session that asks back: the ask-back ends with it, and the waiting turn continues", async () => {
    const w = await play({
      lead: [calls(tell("Design it")), calls(end()), say("Without it, then.")],
      coder: [call("tellaskBack", { tellaskContent: "For whom?" })],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("Without it, then.");
    expect(await endings(w, dialog.id)).toHaveLength(1);
  });

  test("[A59] a side dialog, by the digits in the list of open asks", async () => {
    const w = await play({
      lead: ({ messages, system }) => {
        const [, digits] = /@coder \(side dialog ([0-9a-f]{6})\)/.exec(JSON.stringify(system)) ?? [];
        const all = JSON.stringify(messages);
        if (all.includes("is ended.")) return say("Ended.");
        if (digits !== undefined) return call("end_session", { dialogId: digits });
        return all.includes("Delegated to")
          ? say("I wait.")
          : call("delegate", { delegations: [{ recipient: "coder", prompt: "Write it" }] });
      },
      coder: [call("askHuman", { tellaskContent: "Which one?" })],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    await w.project.dialogs.clearMind(dialog.id, { by: "anna" });
    expect(await dialog.result()).toBe("Ended.");
    expect(await w.project.questions.list()).toEqual([]);
  });

  test.each([
    [{ targetAgentId: "nobody", sessionSlug: "db" }, 'There is no agent "nobody"'],
    [{ targetAgentId: "coder", sessionSlug: "dp" }, 'coder has no session "dp". Sessions of coder: db.'],
    [{ dialogId: "ffffffff" }, 'There is no side dialog "ffffffff"'],
    [{ targetAgentId: "coder" }, "give targetAgentId and sessionSlug, or dialogId alone"],
    [{ targetAgentId: "coder", sessionSlug: "db", dialogId: "ffffffff" }, "give targetAgentId and sessionSlug, or dialogId alone"],
  ])("[A62] %j is refused with what is valid, and changes nothing", async (input, told) => {
    const w = await play({ lead: [calls(tell("Design it")), call("end_session", input), say("Well.")], coder: [say("Draft.")] });
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("Well.");
    expect(lastOf(w, "lead").at(-1)).toMatchObject({ failed: true, output: expect.stringContaining(told) });
    expect(await endings(w, dialog.id)).toEqual([]);
  });

  test("[A62] another agent's session, one's own dialog and an ended session can't be ended", async () => {
    const w = await play({
      lead: [calls(tell("Design it")), call("tellaskSessionless", { targetAgentId: "reviewer", tellaskContent: "End it" }), say("Well.")],
      coder: [say("Draft.")],
      reviewer: ({ messages, dialog }) => {
        const all = JSON.stringify(messages);
        return all.includes("You work in this dialog") ? say("I cannot.") : calls(end(), ["end_session", { dialogId: dialog ?? "" }]);
      },
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    expect(await dialog.result()).toBe("Well.");
    expect(shown(w, "reviewer")).toContain("has never worked for yours");
  });
});

describe("giving up a fault", () => {
  test("[A56] of a mentioned agent ends only its turn: the host's work and asks continue", async () => {
    const w = await play({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("It is written.")],
      coder: [call("askHuman", { tellaskContent: "Which one?" }), say("Written.")],
      reviewer: [wrongKey],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    await dialog.send({ content: "What do you think?", mentions: ["reviewer"] });
    await w.project.dialogs.quiet(dialog.id);
    const fault = (await w.project.questions.list()).find(({ kind }) => kind === "fault");
    expect(fault).toMatchObject({ agentId: "reviewer" });
    await w.project.questions.answer(fault?.id ?? "", { choice: ["Give up"], by: "anna" });
    await w.project.dialogs.quiet(dialog.id);
    const [question] = await w.project.questions.list();
    expect(question).toMatchObject({ kind: "question", agentId: "coder" });
    await w.project.questions.answer(question?.id ?? "", { content: "The red one", by: "anna" });
    expect(await dialog.result()).toBe("It is written.");
  });

  test("[A56] in a side dialog: the host's assignment continues", async () => {
    const w = await play({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("It is written.")],
      coder: [call("askHuman", { tellaskContent: "Which one?" }), say("Written.")],
      reviewer: [wrongKey],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    const side = { rootId: dialog.id, selfId: first(await sideIds(w, dialog.id)) };
    await w.project.dialogs.send(side, { content: "What do you think?", mentions: ["reviewer"] });
    await w.project.dialogs.quiet(dialog.id);
    const fault = (await w.project.questions.list()).find(({ kind }) => kind === "fault");
    await w.project.questions.answer(fault?.id ?? "", { choice: ["Give up"], by: "anna" });
    const [question] = await w.project.questions.list();
    await w.project.questions.answer(question?.id ?? "", { content: "The red one", by: "anna" });
    expect(await dialog.result()).toBe("It is written.");
  });

  test("[A57] in a question's thread: an accepted answer is read", async () => {
    let isBroken = false;
    const w = await play({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("It is written.")],
      coder: ({ messages }) => {
        if (isBroken) return wrongKey;
        return JSON.stringify(messages).includes("The red one")
          ? say("Written in red.")
          : call("askHuman", { tellaskContent: "Which one?" });
      },
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    const question = first(await w.project.questions.list());
    isBroken = true;
    await w.project.questions.askBack(question.id, "Which are there?", { by: "anna" });
    await w.project.dialogs.quiet(dialog.id);
    const fault = (await w.project.questions.list()).find(({ kind }) => kind === "fault");
    isBroken = false;
    await w.project.questions.answer(question.id, { content: "The red one", by: "anna" });
    await w.project.questions.answer(fault?.id ?? "", { choice: ["Give up"], by: "anna" });
    expect(await dialog.result()).toBe("It is written.");
    expect(shown(w, "lead")).toContain("Written in red.");
  });

  test("[A58] the asker is told why and by whom, not what a person should do about it", async () => {
    const w = await play({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("A pity.")],
      coder: [wrongKey],
    });
    const dialog = await w.project.dialogs.create({ content: "go" });
    await w.project.dialogs.quiet(dialog.id);
    await w.project.questions.answer(first(await w.project.questions.list()).id, { choice: ["Give up"], by: "anna" });
    expect(await dialog.result()).toBe("A pity.");
    const told = lastOf(w, "lead").at(-1);
    expect(told).toMatchObject({ failed: true, output: "anna gave this up: The provider refused the key of its model." });
  });
});
