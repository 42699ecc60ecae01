import { memoryBacking, type MemoryBacking, type Store } from "@colloquy/store";
import { describe, expect, test } from "vitest";
import { call, say, type Telling, type Told, world, type World } from "@colloquy/testing/internals";
import { doom, settle } from "../scenarios/tools.ts";

// The whole flow: feedback with a question; tasks made from it; one that fails with a question, is answered and taken again; one that
// asks a person in the middle and ends with a question. People retry when they got no receipt.

const done = (summary: string): Told => say(JSON.stringify({ status: "success", summary }));
const asks = (status: "failed" | "success", text: string): Told => say(JSON.stringify({ status, open_questions: [text] }));

const telling: Telling = {
  analyst: ({ messages }) => {
    const all = JSON.stringify(messages);
    if (!all.includes("What is slow?")) return asks("failed", "What is slow?");
    if (!all.includes("create_plan")) {
      return call("create_plan", {
        tasks: [
          { key: "index", title: "Add an index" },
          { key: "page", title: "Page the results", dependsOn: ["index"] },
        ],
      });
    }
    return say("Two tasks.");
  },
  coder: ({ messages }) => {
    const all = JSON.stringify(messages);
    if (all.includes("Add an index")) return all.includes("Which column?") ? done("indexed") : asks("failed", "Which column?");
    if (!all.includes("How many?")) return call("askHuman", { tellaskContent: "How many?" });
    return all.includes("Good?") ? done("?") : asks("success", "Good?");
  },
};
const agents = [
  { id: "analyst", name: "Analyst", role: "You sort.", handles: ["feedback"] as const, tools: ["tasks"], default: true },
  { id: "coder", name: "Coder", role: "You code.", handles: ["task"] as const },
];

async function story(w: World): Promise<readonly string[]> {
  const { project } = w;
  await project.tasks.create({ title: "It is slow", kind: "feedback", by: "boss", msgId: "m1" });
  for (let round = 0; round < 7; round++) {
    await project.takeUp();
    await project.tasks.run();
    for (const question of await project.questions.list()) {
      await project.questions.answer(question.id, { content: `re: ${question.headline}`, by: "boss", msgId: `a ${question.id}` });
    }
    for (const task of project.tasks.list()) for (const dialog of task.dialogs) await project.dialogs.quiet(dialog);
  }
  const asked: string[] = [];
  for (const task of project.tasks.list()) {
    for (const dialog of task.dialogs) {
      for (const event of await w.events(dialog)) {
        if (event.type === "question.asked") asked.push(`asked: ${event.headline}`);
        if (event.type === "task.reported") asked.push(`reported: ${event.status}`);
        if (event.type === "message.added" && event.task) asked.push(`taken: ${task.title}`);
      }
    }
  }
  return [...project.tasks.list().map((task) => `${task.title}: ${task.status} ${task.summary ?? ""}`), ...asked];
}

const expected = [
  "It is slow: closed Two tasks.",
  "Add an index: closed indexed",
  "Page the results: closed ",
  "asked: What is slow?",
  "reported: failed",
  "taken: It is slow",
  "taken: It is slow",
  "reported: success",
  "asked: Which column?",
  "reported: failed",
  "taken: Add an index",
  "taken: Add an index",
  "reported: success",
  "taken: Page the results",
  "asked: How many?",
  "asked: Good?",
  "reported: success",
].toSorted();

const open = (disk: MemoryBacking, files: Map<string, string>, through?: (store: Store) => Store) =>
  world({ telling, agents, disk, files, ...(through && { through }) });

const COMMITS = 23;

test("the story takes as many commits as the crash suite kills", async () => {
  const w = await open(memoryBacking(), new Map());
  expect((await story(w)).toSorted()).toEqual(expected);
  expect(w.disk.pos).toBe(COMMITS);
});

describe.each(["before", "after"] as const)("killed %s a commit", (when) => {
  test.each(Array.from({ length: COMMITS }, (_, nth) => nth + 1))(
    "[TK13][TK14] at commit %i: no task is lost or run twice",
    async (nth) => {
      const disk = memoryBacking();
      const files = new Map<string, string>();
      const { through, died } = doom({ nth, when });
      const doomed = await open(disk, files, through);
      await Promise.race([story(doomed).catch(() => undefined), died]);
      await settle(2);
      const restarted = await open(disk, files);
      expect((await story(restarted)).toSorted()).toEqual(expected);
      for (const task of restarted.project.tasks.list()) expect(task.questions).toEqual([]);
    },
  );
});
