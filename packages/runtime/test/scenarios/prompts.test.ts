import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelRequest } from "@colloquy/models";
import { defineTool } from "@colloquy/runtime";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, first, say, type Telling, type Told, world } from "@colloquy/testing/internals";
import { requestPage } from "./prompts/request-page.ts";
import { type Language, words } from "./prompts/words.ts";

// Whole requests, as a model gets them, for people to read: prompts/<language>/<story>.md. After changing texts, write them again with
// `npx vitest run packages/runtime/test/scenarios/prompts.test.ts -u`, and read them.

const HOUR = 3_600_000;

const readFile = defineTool({
  name: "read_file",
  description: "Reads a file.",
  input: z.strictObject({ path: z.string() }),
  reads: true,
  run: () => "export const date = () => new Date();",
});

type Steps = readonly Told[];
type Step = (request: ModelRequest) => Told;

function stage(language: Language) {
  const said = words[language];
  const dir = mkdtempSync(join(tmpdir(), "colloquy-prompts-"));
  writeFileSync(join(dir, "colloquy.yaml"), `language: ${language}\n`);
  const agents = (["lead", "coder", "reviewer", "scribe"] as const).map((id) => ({
    id,
    ...said.team[id],
    tools: [readFile],
    default: id === "lead",
    asks: id === "scribe" ? ("text" as const) : ("tools" as const),
  }));
  const open = (telling: Readonly<Record<string, Steps | Step>>, files = new Map<string, string>()) =>
    world({ telling: telling as Telling, dir, agents, files });
  const page = (request: ModelRequest | undefined, story: string) =>
    expect(requestPage(request)).toMatchFileSnapshot(`./prompts/${language}/${story}.md`);
  return { said, open, page };
}

const asked = (request: ModelRequest, agent: string) => request.agent === agent;

describe.each(["en", "zh"] as const)("[N20] requests in %s", (language) => {
  const { said, open, page } = stage(language);
  const papers = () =>
    new Map([
      ["AGENTS.md", said.notes],
      ["memory/team/style.md", said.teamMemory],
      ["memory/agents/lead/people.md", said.ownMemory],
      ["memory/team/long.md", "x".repeat(30_000)],
      ["tasks/shop.tsk/goals.md", said.goals],
      ["tasks/shop.tsk/progress.md", said.progress],
    ]);

  test("a main dialog's first step", async () => {
    const w = await open({ lead: [say("ok")] });
    await (await w.project.dialogs.create({ content: said.task, by: "anna" })).result();
    await page(w.requests[0], "main-first-step");
  });

  test("a main dialog with everything: papers, reminders, sessions, asks and questions below", async () => {
    const w = await open(
      {
        lead: [
          calls(["add_reminder", { content: said.reminder }], ["read_file", { path: "src/date.ts" }]),
          call("tellask", { targetAgentId: "reviewer", sessionSlug: "api", tellaskContent: said.askReviewer }),
          call("delegate", { delegations: [{ recipient: "coder", prompt: said.askCoder }] }),
          say("ok"),
        ],
        reviewer: [say(said.reviewed)],
        coder: [
          call("askHuman", { tellaskContent: said.askHuman, options: said.choices }),
          call("askHuman", { tellaskContent: said.askHumanAgain }),
        ],
      },
      papers(),
    );
    const dialog = await w.project.dialogs.create({ content: said.task, by: "anna", taskDocPath: "tasks/shop.tsk/" });
    await w.project.dialogs.quiet(dialog.id);
    await w.project.dialogs.addReminder(dialog.id, said.personsReminder, { by: "ben" });
    w.clock.advance(2 * HOUR);
    await w.project.questions.answer(first(await w.project.questions.list()).id, { choice: [0], content: said.answer, by: "ben" });
    await w.project.dialogs.quiet(dialog.id);
    w.clock.advance(26 * HOUR);
    await dialog.send({ content: said.howFar, by: "anna" });
    await w.project.dialogs.quiet(dialog.id);
    await page(
      w.requests.findLast((request) => asked(request, "lead")),
      "main-later",
    );
  });

  test("a side dialog at its first and second assignment", async () => {
    const w = await open(
      {
        lead: [
          call("tellask", { targetAgentId: "coder", sessionSlug: "date", tellaskContent: said.askCoder }),
          call("tellask", { targetAgentId: "coder", sessionSlug: "date", tellaskContent: said.askCoderAgain }),
          say("ok"),
        ],
        coder: [say(said.written), say(said.written)],
      },
      papers(),
    );
    await (await w.project.dialogs.create({ content: said.task, by: "anna", taskDocPath: "tasks/shop.tsk/" })).result();
    const [one, two] = w.requests.filter((request) => asked(request, "coder"));
    await page(one, "side-first-assignment");
    await page(two, "side-second-assignment");
  });

  test("fresh boots", async () => {
    const w = await open(
      {
        lead: ({ tools, messages }) =>
          tools.length === 0 ? say("a") : messages.length > 1 ? say("ok") : call("freshBootsReasoning", { tellaskContent: said.fresh }),
      },
      papers(),
    );
    await (await w.project.dialogs.create({ content: said.task, by: "anna" })).result();
    await page(
      w.requests.find((request) => request.tools.length === 0),
      "fresh-boots",
    );
  });

  test("after clear_mind: a main dialog that still waits, and a side dialog", async () => {
    const w = await open(
      {
        lead: ({ course, messages }) =>
          course === 2
            ? say("ok")
            : messages.length === 1
              ? call("delegate", { delegations: [{ recipient: "coder", prompt: said.askCoder }] })
              : call("clear_mind", { reminder_content: said.reminder }),
        coder: ({ course }) =>
          course === 1
            ? call("clear_mind", { reminder_content: said.personsReminder })
            : call("askHuman", { tellaskContent: said.askHuman }),
      },
      papers(),
    );
    const dialog = await w.project.dialogs.create({ content: said.task, by: "anna", taskDocPath: "tasks/shop.tsk/" });
    await w.project.dialogs.quiet(dialog.id);
    w.clock.advance(2 * HOUR);
    await dialog.send({ content: said.howFar, by: "anna" });
    await w.project.dialogs.quiet(dialog.id);
    const cleared = (agent: string) => w.requests.find((request) => asked(request, agent) && request.course === 2);
    await page(cleared("lead"), "main-after-clear-mind");
    await page(cleared("coder"), "side-after-clear-mind");
  });

  test("the summary of a full context, and the course after it", async () => {
    const w = await open({
      lead: ({ course, tools, messages }) => {
        if (tools.length === 0) return say(said.summary);
        if (course === 2) return say("ok");
        return { ...call("read_file", { path: `src/${messages.length}.ts` }), usage: { input: 30_000 * messages.length, output: 0 } };
      },
    });
    await (await w.project.dialogs.create({ content: said.task, by: "anna" })).result();
    await page(
      w.requests.find((request) => request.tools.length === 0),
      "summary",
    );
    await page(
      w.requests.find((request) => request.course === 2),
      "main-after-full-context",
    );
  });

  test("a turn that answers an ask-back", async () => {
    const w = await open({
      lead: [call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: said.askCoder }), say(said.answer), say("ok")],
      coder: [call("tellaskBack", { tellaskContent: said.askBack }), say(said.written)],
    });
    await (await w.project.dialogs.create({ content: said.task, by: "anna" })).result();
    const requests = w.requests.filter((request) => asked(request, "lead"));
    await page(requests[1], "ask-back");
    await page(requests[2], "after-ask-back");
  });

  test("a turn that answers a person's counter-question", async () => {
    const w = await open({ lead: [call("askHuman", { tellaskContent: said.askHuman, options: said.choices }), say(said.reply)] });
    const dialog = await w.project.dialogs.create({ content: said.task, by: "anna" });
    await w.project.dialogs.quiet(dialog.id);
    await w.project.questions.askBack(first(await w.project.questions.list()).id, said.personAsksBack, { by: "ben" });
    await w.project.dialogs.quiet(dialog.id);
    await page(w.requests.at(-1), "question-thread");
  });

  test("an agent that asks in its text", async () => {
    const w = await open({ scribe: [say(said.textAsk), say("ok")], coder: [say(said.written)] });
    await (await w.project.dialogs.create({ content: said.task, agent: "scribe", by: "anna" })).result();
    await page(w.requests.at(-1), "text-syntax");
  });
});

test("[N21] the stable part of the head is the same, byte for byte, in every turn of a dialog, and comes first", async () => {
  const { said, open } = stage("en");
  const w = await open(
    { lead: [call("add_reminder", { content: "a" }), say("1"), say("2"), call("clear_mind"), say("3")] },
    new Map([["AGENTS.md", said.notes]]),
  );
  const dialog = await w.project.dialogs.create({ content: said.task });
  await dialog.result();
  w.clock.advance(HOUR);
  await dialog.send("more");
  await dialog.result();
  const stable = new Set(w.requests.map((request) => JSON.stringify(request.system.slice(0, -1))));
  expect(stable.size).toBe(1);
  expect(new Set(w.requests.map((request) => JSON.stringify(request.tools))).size).toBe(1);
});
