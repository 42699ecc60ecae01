import { defineTool } from "@colloquy/runtime";
import { memoryBacking } from "@colloquy/store";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, say, type Telling, type Told, world, type World } from "@colloquy/testing/internals";
import { doom, look, settle } from "../scenarios/tools.ts";

// All kinds of ask in one story: a delegation with an ask-back and a question, a session asked twice, fresh boots, an approval, a mind
// cleared in between, a session ended by its asker. People retry when they got no receipt.

const isFresh = (tools: readonly unknown[]) => tools.length === 0;
const textOf = (message: unknown): string => JSON.stringify(message);

/** A stateless model: what it does follows from what it is shown. */
const telling: Telling = {
  lead: ({ messages, tools, course }) => {
    if (isFresh(tools)) return say("seven is prime");
    const last = textOf(messages.at(-1));
    const all = textOf(messages);
    if (last.includes("asks back")) return say("Use tabs.");
    if (all.includes("is ended")) return say("All is done.");
    if (course === 2)
      return all.includes("did schema, second")
        ? call("end_session", { targetAgentId: "Coder", sessionSlug: "db" })
        : call("tellask", { targetAgentId: "coder", sessionSlug: "db", tellaskContent: "schema, second" });
    if (last.includes("saw here"))
      return calls([
        "delegate",
        {
          delegations: [
            { recipient: "coder", prompt: "write it" },
            { recipient: "reviewer", prompt: "review it" },
          ],
          wait: "all",
        },
      ]);
    if (last.includes("Delegation responses"))
      return calls(
        ["tellask", { targetAgentId: "coder", sessionSlug: "db", tellaskContent: "schema, first" }],
        ["freshBootsReasoning", { tellaskContent: "is 7 prime?" }],
      );
    if (last.includes("seven is prime")) return calls(["pay", { to: "anna" }], ["clear_mind", { reminder_content: "paid anna" }]);
    return messages.length === 1 ? call("look") : say(`lost: ${last}`);
  },
  coder: ({ messages }): Told => {
    const last = textOf(messages.at(-1));
    if (last.includes("write it")) return call("tellaskBack", { tellaskContent: "Tabs or spaces?" });
    if (last.includes("Use tabs.")) return say("Written with tabs.");
    return say(`did ${/schema, \w+/.exec(last)?.[0] ?? "?"}`);
  },
  reviewer: ({ messages }): Told =>
    messages.length === 1 ? call("askHuman", { tellaskContent: "Is it good?", options: ["yes", "no"] }) : say("Reviewed."),
};

async function story(w: World): Promise<readonly string[]> {
  const { project } = w;
  const dialog = await project.dialogs.create({ content: "Build it", msgId: "m1", by: "boss" });
  await project.takeUp(dialog.id);
  for (let round = 0; round < 4; round++) {
    await project.dialogs.quiet(dialog.id);
    for (const question of await project.questions.list()) {
      if (question.kind === "approval") await project.questions.approve(question.id, { by: "boss", msgId: `approve ${question.id}` });
      else await project.questions.answer(question.id, { choice: ["yes"], by: "boss", msgId: `answer ${question.id}` });
    }
  }
  expect(await dialog.result()).toBe("All is done.");
  return (await w.events(dialog.id)).flatMap((event): string[] => {
    switch (event.type) {
      case "ask.opened":
        return [`${event.agent} asks ${event.recipient}: ${event.content}`];
      case "ask.answered":
        return [`answer to ${event.agent}: ${event.content}`];
      case "question.asked":
        return [`question: ${event.headline}`];
      case "question.closed":
        return [`${event.as}: ${event.choice?.join() ?? event.verdict}`];
      case "dialog.ended":
        return [`${event.endedBy.agent} ends a session`];
      case "dialog.stopped":
        return [`stopped: ${event.reason.message}`];
      default:
        return [];
    }
  });
}

const team = (paid: string[]) => {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({ to: z.string() }),
    approval: true,
    run: ({ to }) => (paid.push(to), `paid ${to}`),
  });
  return ["lead", "coder", "reviewer"].map((id) => ({
    id,
    name: id,
    role: `You are the ${id}.`,
    tools: [look, pay],
    default: id === "lead",
  }));
};

const expected = [
  "lead asks coder: write it",
  "lead asks reviewer: review it",
  "coder asks lead: Tabs or spaces?",
  "question: Is it good?",
  "answer to coder: Use tabs.",
  "answer to lead: Written with tabs.",
  "answered: yes",
  'answer to lead: Reviewed.\n\n(Meanwhile, people told this dialog: "Is it good? boss answered: yes")',
  "lead asks coder: schema, first",
  "lead asks lead: is 7 prime?",
  "answer to lead: did schema, first",
  "answer to lead: seven is prime",
  'question: Run pay {"to":"anna"}',
  "answered: approved",
  "lead asks coder: schema, second",
  "answer to lead: did schema, second",
  "lead ends a session",
].toSorted();

const COMMITS = 21;

test("the story takes as many commits as the crash suite kills", async () => {
  const w = await world({ telling, agents: team([]) });
  expect((await story(w)).toSorted()).toEqual(expected);
  expect(w.disk.pos).toBe(COMMITS);
});

describe.each(["before", "after"] as const)("killed %s a commit", (when) => {
  test.each(Array.from({ length: COMMITS }, (_, nth) => nth + 1))(
    "[C1][C2] at commit %i: each response delivered once, each question asked once",
    async (nth) => {
      const disk = memoryBacking();
      const paid: string[] = [];
      const { through, died } = doom({ nth, when });
      const doomed = await world({
        telling,
        agents: team(paid),
        disk,
        through,
      });
      await Promise.race([story(doomed), died]);
      await settle(2);
      const restarted = await world({ telling, agents: team(paid), disk });
      expect((await story(restarted)).toSorted()).toEqual(expected);
      expect(paid.length).toBeLessThanOrEqual(1);
    },
  );
});
