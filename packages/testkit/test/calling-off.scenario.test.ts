import { Fault, type ModelMessage, Refused, type RootId } from "@colloquy/schema";
import { defineTool } from "@colloquy/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, fail, first, say, type Telling, world, type World } from "../src/index.ts";
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
  test("[A54] cancels an approval: the call is not run, and approving it afterwards is refused", async () => {
    const paid: string[] = [];
    const w = await play({ lead: [call("pay", { to: "anna" }), call("cancel_asks", {}), say("Not paid.")] }, paid);
    const dialog = await w.project.createDialog({ content: "Pay anna" });
    await w.project.quiet(dialog.id);
    const approval = first(await w.project.questions());
    await dialog.send({ content: "Never mind", now: true });
    expect(await dialog.result()).toBe("Not paid.");
    expect(shown(w, "lead")).toContain("Cancelled by the one who asked.");
    const approving = w.project.approve(approval.id, { by: "anna" });
    await expect(approving).rejects.toThrow(Refused);
    await expect(approving).rejects.toMatchObject({ code: "question_not_open" });
    await settle();
    expect(paid).toEqual([]);
  });

  test("[A54] cancels a confirmation", async () => {
    const w = await play({
      lead: [say('{"open_questions": [{"text": "Sure?", "kind": "confirmation"}]}'), call("cancel_asks", {}), say("I go on without it.")],
    });
    const dialog = await w.project.createDialog({ content: "go" });
    await w.project.quiet(dialog.id);
    expect(await w.project.questions()).toMatchObject([{ kind: "confirmation" }]);
    await dialog.send({ content: "Decide yourself", now: true });
    expect(await dialog.result()).toBe("I go on without it.");
    expect(await w.project.questions()).toEqual([]);
  });

  test("[A54] the list of what is open names the approval's call, and cancel_asks takes that name", async () => {
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
    const dialog = await w.project.createDialog({ content: "Pay both" });
    await w.project.quiet(dialog.id);
    await dialog.send({ content: "Not anna", now: true });
    await w.project.quiet(dialog.id);
    const left = first(await w.project.questions());
    await w.project.approve(left.id, { by: "anna" });
    expect(await dialog.result()).toBe("Ben is paid.");
    expect(paid).toEqual(["ben"]);
  });

  test("[A55] in an ask-back: what the waiting turn waits for ends, the ask-back with it, and that turn goes on", async () => {
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
    const dialog = await w.project.createDialog({ content: "go" });
    expect(await dialog.result()).toBe("Never mind, then.");
    expect(await w.project.questions()).toEqual([]);
    const answers = (await w.events(dialog.id)).flatMap((event) =>
      event.type === "ask.answered" ? [`${event.agent} ${event.outcome}`] : [],
    );
    expect(answers.toSorted()).toEqual(["coder cancelled", "lead cancelled", "lead cancelled"]);
    expect(w.requests.filter(({ agent }) => agent === "coder")).toHaveLength(1);
    expect((await dialog.view()).reminders).toEqual([]);
  });
});

describe("giving up a fault", () => {
  test("[A56] of a mentioned agent ends its turn only: the host's work and what it asked go on", async () => {
    const w = await play({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("It is written.")],
      coder: [call("askHuman", { tellaskContent: "Which one?" }), say("Written.")],
      reviewer: [wrongKey],
    });
    const dialog = await w.project.createDialog({ content: "go" });
    await w.project.quiet(dialog.id);
    await dialog.send({ content: "What do you think?", mentions: ["reviewer"] });
    await w.project.quiet(dialog.id);
    const fault = (await w.project.questions()).find(({ kind }) => kind === "fault");
    expect(fault).toMatchObject({ agentId: "reviewer" });
    await w.project.answer(fault?.id ?? "", { choice: ["Give up"], by: "anna" });
    await w.project.quiet(dialog.id);
    const [question] = await w.project.questions();
    expect(question).toMatchObject({ kind: "question", agentId: "coder" });
    await w.project.answer(question?.id ?? "", { content: "The red one", by: "anna" });
    expect(await dialog.result()).toBe("It is written.");
  });

  test("[A56] in a side dialog: the assignment that the host serves goes on", async () => {
    const w = await play({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("It is written.")],
      coder: [call("askHuman", { tellaskContent: "Which one?" }), say("Written.")],
      reviewer: [wrongKey],
    });
    const dialog = await w.project.createDialog({ content: "go" });
    await w.project.quiet(dialog.id);
    const side = { rootId: dialog.id, selfId: first(await sideIds(w, dialog.id)) };
    await w.project.send(side, { content: "What do you think?", mentions: ["reviewer"] });
    await w.project.quiet(dialog.id);
    const fault = (await w.project.questions()).find(({ kind }) => kind === "fault");
    await w.project.answer(fault?.id ?? "", { choice: ["Give up"], by: "anna" });
    const [question] = await w.project.questions();
    await w.project.answer(question?.id ?? "", { content: "The red one", by: "anna" });
    expect(await dialog.result()).toBe("It is written.");
  });

  test("[A57] in a question's thread: an answer that was accepted is read", async () => {
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
    const dialog = await w.project.createDialog({ content: "go" });
    await w.project.quiet(dialog.id);
    const question = first(await w.project.questions());
    isBroken = true;
    await w.project.askBack(question.id, "Which are there?", { by: "anna" });
    await w.project.quiet(dialog.id);
    const fault = (await w.project.questions()).find(({ kind }) => kind === "fault");
    isBroken = false;
    await w.project.answer(question.id, { content: "The red one", by: "anna" });
    await w.project.answer(fault?.id ?? "", { choice: ["Give up"], by: "anna" });
    expect(await dialog.result()).toBe("It is written.");
    expect(shown(w, "lead")).toContain("Written in red.");
  });

  test("[A58] the asker is told why and by whom, and not what a person should do about it", async () => {
    const w = await play({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Write it" }), say("A pity.")],
      coder: [wrongKey],
    });
    const dialog = await w.project.createDialog({ content: "go" });
    await w.project.quiet(dialog.id);
    await w.project.answer(first(await w.project.questions()).id, { choice: ["Give up"], by: "anna" });
    expect(await dialog.result()).toBe("A pity.");
    const told = lastOf(w, "lead").at(-1);
    expect(told).toMatchObject({ failed: true, output: "anna gave this up: The provider refused the key of its model." });
  });
});
