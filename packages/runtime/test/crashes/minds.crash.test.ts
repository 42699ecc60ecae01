import { memoryBacking } from "@colloquy/store";
import { describe, expect, test } from "vitest";
import { call, calls, say, type Telling, world, type World } from "@colloquy/testing/internals";
import { doom, look, settle } from "../scenarios/tools.ts";

// Reminders of an agent and of people, minds cleared by the agent, by a full context and by a person, and a note about others' changes.
// People retry when they got no receipt.

const agents = ["lead", "coder"].map((id) => ({ id, name: id, role: `You are the ${id}.`, tools: [look], default: id === "lead" }));

/** Stateless: what it does follows from what it is shown. */
const telling: Telling = {
  lead: ({ messages, tools, course }) => {
    const last = JSON.stringify(messages.slice(-2));
    if (tools.length === 0) return { ...say("The summary."), usage: { input: 10, output: 10 } };
    if (last.includes("and now?")) return say("All is well.");
    if (course === 1) {
      if (messages.length === 1) return calls(["add_reminder", { content: "first" }], ["add_reminder", { content: "second" }]);
      return calls(["update_reminder", { reminder_id: 1, content: "first, better" }], ["clear_mind", { reminder_content: "third" }]);
    }
    if (course === 2) return { ...call("look"), usage: { input: 95_000, output: 0 } };
    return course === 3 ? call("delegate", { delegations: [{ recipient: "coder", prompt: "build" }] }) : say("Waiting.");
  },
  coder: [call("askHuman", { tellaskContent: "Which?" }), say("built")],
};

async function story(w: World) {
  const { project } = w;
  const by = "anna";
  const dialog = await project.dialogs.create({ content: "go", msgId: "m1", by });
  await project.takeUp(dialog.id);
  await project.dialogs.quiet(dialog.id);
  await project.dialogs.addReminder(dialog.id, "from anna", { msgId: "m2", by });
  await project.dialogs.changeReminder(dialog.id, 2, "second, by anna", { msgId: "m3", by });
  await project.dialogs.changeReminder(dialog.id, 1, undefined, { msgId: "m4", by });
  await project.dialogs.clearMind(dialog.id, { reminder: "once only", msgId: "m5", by });
  await project.dialogs.quiet(dialog.id);
  await project.dialogs.send(dialog.id, { content: "and now?", msgId: "m6", by });
  await project.dialogs.quiet(dialog.id);
  const view = await dialog.view();
  const events = await w.events(dialog.id);
  return {
    reminders: view.reminders.map((one) => `${one.id}: ${one.content}`),
    course: view.course,
    waitsFor: view.pending.map((ask) => ask.headline),
    questions: (await project.questions.list()).map((question) => question.headline),
    courses: events.flatMap((event) => (event.type === "course.started" ? [event.by ?? (event.full ? "full" : "agent")] : [])),
    words: (await project.dialogs.lastReply(dialog.id)) === "All is well.",
  };
}

const expected = {
  reminders: ["2: second, by anna", "3: third", "4: The summary.", "5: from anna", "6: once only"],
  course: 4,
  waitsFor: ["build"],
  questions: ["Which?"],
  courses: ["agent", "full", "anna"],
  words: true,
};

const COMMITS = 15;

test("the story takes as many commits as the crash suite kills", async () => {
  const w = await world({ telling, agents });
  expect(await story(w)).toEqual(expected);
  expect(w.disk.pos).toBe(COMMITS);
});

describe.each(["before", "after"] as const)("killed %s a commit", (when) => {
  test.each(Array.from({ length: COMMITS }, (_, nth) => nth + 1))(
    "[C1][A41][A44][N15][N19] at commit %i: no reminder, ask or course is lost or doubled",
    async (nth) => {
      const disk = memoryBacking();
      const { through, died } = doom({ nth, when });
      const doomed = await world({
        telling,
        agents,
        disk,
        through,
      });
      await Promise.race([story(doomed), died]);
      await settle(2);
      expect(await story(await world({ telling, agents, disk }))).toEqual(expected);
    },
  );
});
