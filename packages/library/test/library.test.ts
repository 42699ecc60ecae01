import { mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, askPerson, call, crashEverywhere, say, testProject } from "@colloquy/testing";
import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTool, type LiveEvent, Refused, type StandardSchema } from "../src/index.ts";

/** A schema by hand, as another library might make it. */
const upper: StandardSchema<{ word: string }, { word: string }> = {
  "~standard": {
    version: 1,
    vendor: "by-hand",
    validate: (value) => {
      const word = (value as { word?: unknown } | null)?.word;
      return typeof word === "string"
        ? { value: { word: word.toUpperCase() } }
        : { issues: [{ message: "must be a text", path: ["word"] }] };
    },
  },
};
const inputJsonSchema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
const lead = (...tools: ReturnType<typeof defineTool>[]) => defineAgent({ id: "lead", role: "You lead.", default: true, tools });

test("[LB1][LB23] a schema of any library is the input of a tool", async () => {
  const undescribed = () => defineTool({ name: "shout", description: "Shouts.", input: upper, run: () => "" });
  expect(undescribed).toThrow(/by-hand cannot describe/);
  expect(undescribed).toThrow(Refused);
  const shout = defineTool({ name: "shout", description: "Shouts.", input: upper, inputJsonSchema, run: ({ word }) => `${word}!` });
  const t = await testProject({
    agents: [lead(shout)],
    script: { lead: [{ calls: [{ tool: "shout", input: { word: 7 } }] }, call("shout", { word: "ho" }), say("ok")] },
  });
  await (await t.send("go")).result();
  expect(t.requests[0]?.tools.find(({ name }) => name === "shout")?.input).toEqual(inputJsonSchema);
  const results = t.requests[2]?.messages.filter(({ role }) => role === "result");
  expect(results).toMatchObject([{ output: expect.stringContaining("word: must be a text"), failed: true }, { output: "HO!" }]);
});

test("[LB2] a tool's result is checked against its output schema", async () => {
  const weigh = (grams: unknown) =>
    defineTool({
      name: "weigh",
      description: "Weighs.",
      input: z.object({}),
      output: z.object({ grams: z.number() }),
      run: () => ({ grams }) as { grams: number },
    });
  for (const [grams, expected] of [
    [5, { output: '{"grams":5}', failed: false }],
    ["heavy", { output: expect.stringMatching(/weigh has run, but .* promises: grams: /), failed: true }],
  ] as const) {
    const t = await testProject({ agents: [lead(weigh(grams))], script: { lead: [call("weigh"), say("ok")] } });
    await (await t.send("go")).result();
    expect(t.requests[1]?.messages.at(-1)).toMatchObject(expected);
  }
});

test("[LB22] a tool in code can't ask", async () => {
  const given: string[] = [];
  const look = defineTool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    run: (_, context) => void given.push(...Object.keys(context)),
  });
  const t = await testProject({ agents: [lead(look)], script: { lead: [call("look"), say("ok")] } });
  await (await t.send("go")).result();
  expect(given.toSorted()).toEqual(["agent", "blob", "callId", "dialog", "dir", "log", "signal"]);
});

test("[LB3] a tool logs to watchers and stores files beside the log", async () => {
  const seen: LiveEvent[] = [];
  const draw = defineTool({
    name: "draw",
    description: "Draws.",
    input: z.object({}),
    run: async (_, { log, blob }) => {
      log("half way");
      return blob("../../picture one.svg", "<svg/>");
    },
  });
  const t = await testProject({ agents: [lead(draw)], script: { lead: [call("draw"), say("ok")] } });
  t.project.onLive((event) => seen.push(event));
  await (await t.send("go")).result();
  expect(seen.filter(({ type }) => type === "tool_log_evt")).toMatchObject([{ tool: "draw", text: "half way" }]);
  const { output = "" } = (t.requests[1]?.messages.at(-1) ?? {}) as { output?: string };
  expect(output).toMatch(/^[0-9a-f]{32}-.*picture_one\.svg$/);
  expect(output).not.toContain("/");
});

const Verdict = z.object({ verdict: z.enum(["yes", "no"]), why: z.string() });
const judge = defineAgent({ id: "judge", role: "You judge.", default: true, output: Verdict });

test("[LB4] an agent with an output is told so, checked, and returns the object", async () => {
  const t = await testProject({
    agents: [judge],
    script: { judge: [say("I think yes."), say('Well:\n```json\n{"verdict": "yes", "why": "it fits"}\n```')] },
  });
  const dialog = await t.project.dialogs.create({ agent: judge, content: "Is it good?" });
  expectTypeOf(dialog.result).returns.resolves.toEqualTypeOf<{ verdict: "yes" | "no"; why: string }>();
  expect(await dialog.result()).toEqual({ verdict: "yes", why: "it fits" });
  expect(t.requests[0]?.system[0]).toMatch(/end your answer with one JSON object .*"verdict"/s);
  expect(t.requests[1]?.messages.at(-1)).toMatchObject({ text: expect.stringContaining("there is none") });
});

test("[LB4] two invalid outputs are a question; resuming retries", async () => {
  const t = await testProject({
    agents: [judge],
    script: { judge: [say("yes"), say('{"verdict": "maybe"}'), say('{"verdict": "no", "why": "too late"}')] },
  });
  const dialog = await t.project.dialogs.create({ agent: judge, content: "Is it good?" });
  await t.quiet();
  expect(await t.questions()).toMatchObject([{ kind: "fault", text: expect.stringMatching(/judge has ended twice .*verdict/s) }]);
  await t.answer({ choice: "Resume" });
  expect(await dialog.result()).toEqual({ verdict: "no", why: "too late" });
});

test("[LB4] it holds wherever it crashes", async () => {
  await crashEverywhere(async (open) => {
    const t = await open({ agents: [judge], script: { judge: [say("yes"), say('{"verdict": "yes", "why": "so"}')] } });
    expect(await (await t.send("Is it good?")).result()).toContain('"why": "so"');
    expect(t.requests.at(-1)?.messages.filter(({ role }) => role === "assistant")).toHaveLength(1);
  });
});

test("[LB5] a role in a file is reread when it changes", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-role-"));
  const file = join(dir, "lead.md");
  writeFileSync(file, "You lead.");
  const agents = [defineAgent({ id: "lead", role: { file }, default: true })];
  const t = await testProject({ agents, script: { lead: [say("1"), say("2")] } });
  const dialog = await t.send("go");
  writeFileSync(file, "You follow.");
  utimesSync(file, new Date(), new Date(Date.now() + 5_000));
  await dialog.send("again");
  expect(t.requests.map(({ system }) => system[0])).toEqual([expect.stringContaining("You lead."), expect.stringContaining("You follow.")]);
});

test("[LB6] a listener hears each question once, a follower gets the open ones first", async () => {
  const t = await testProject({
    agents: [lead()],
    script: { lead: ({ messages }) => (messages.length % 3 === 1 ? askPerson("Now?") : say("ok")) },
  });
  const heard: string[] = [];
  t.project.questions.onAsked(() => {
    throw new Error("I dropped it");
  });
  const stop = t.project.questions.onAsked(({ headline, agentId }) => heard.push(`${agentId} asks: ${headline}`));
  await t.send("one");
  const controller = new AbortController();
  const followed: string[] = [];
  const following = (async () => {
    for await (const { id } of t.project.questions.follow({ signal: controller.signal })) {
      followed.push(id);
      if (followed.length === 2) controller.abort();
    }
  })();
  await t.send("two");
  await following;
  expect(new Set(followed).size).toBe(2);
  expect(t.reports).toEqual(["a listener: I dropped it", "a listener: I dropped it"]);
  stop();
  await t.send("three");
  expect(heard).toEqual(["lead asks: Now?", "lead asks: Now?"]);
});

test("[LB7] wrong fields do not compile, and types follow from the schemas", () => {
  // @ts-expect-error no agent has a mood
  expect(() => defineAgent({ id: "lead", role: "You lead.", mood: "good" })).toThrow(Refused);
  // @ts-expect-error a role is needed
  expect(() => defineAgent({ id: "lead" })).toThrow(Refused);
  defineTool({
    name: "pay",
    description: "Pays.",
    input: z.object({ cents: z.string().transform(Number) }),
    approval: ({ cents }) => {
      expectTypeOf(cents).toBeNumber();
      return cents > 1;
    },
    output: z.object({ left: z.number() }),
    // @ts-expect-error it promises a number
    run: () => ({ left: "nothing" }),
  });
  expect(() => defineAgent({ id: "7 up", role: "x" })).toThrow('"7 up" is no agent\'s id');
});

const refused = (code: string, message: RegExp) =>
  expect.objectContaining({ name: "Refused", code, message: expect.stringMatching(message) });

test("[LB25] ids are strings, also a side dialog's, and an unknown one is not found", async () => {
  const t = await testProject({
    agents: [lead(), defineAgent({ id: "clerk", role: "You check." })],
    script: { lead: [ask("clerk", "check"), say("Done.")], clerk: [askPerson("Really?"), say("checked")] },
  });
  const { id } = JSON.parse(JSON.stringify(await t.send("go"))) as { id: string };
  const { project } = t;
  const [{ id: questionId, dialog }] = JSON.parse(JSON.stringify(await project.questions.list())) as [
    { id: string; dialog: { selfId: string } },
  ];
  expect(await project.dialogs.view(dialog.selfId)).toMatchObject({ agentId: "clerk", rootId: id });
  expect(await project.dialogs.send(dialog.selfId, "Hurry.")).toMatchObject({ seq: expect.any(Number) });
  expect((await project.questions.inTree(id)).items).toMatchObject([{ id: questionId }]);
  await project.questions.answer(questionId, "Yes.");
  expect(await project.dialogs.get(id).result()).toBe("Done.");

  for (const nothing of ["nonsense", "../../etc", "0".repeat(32)]) {
    const gone = refused("not_found", /There is no dialog/);
    const noQuestion = refused("question_not_found", /There is no question/);
    for (const ask of [
      () => project.dialogs.view(nothing),
      () => project.dialogs.send(nothing, "hi"),
      () => project.dialogs.stop(nothing),
      () => project.dialogs.resume(nothing),
      () => project.dialogs.changeMind(nothing, "goals", "x"),
      () => project.dialogs.tree(nothing),
      () => project.dialogs.quiet(nothing),
      () => project.drive(nothing),
      () => project.dialogs.result(nothing),
      () => project.dialogs.get(nothing).result(),
      () => project.dialogs.events(nothing),
      () => project.dialogs.lastReply(nothing),
      () => project.questions.inTree(nothing),
      async () => project.dialogs.follow(nothing, 0, AbortSignal.abort()),
      async () => project.dialogs.subscribe(nothing, {}),
    ])
      await expect(ask()).rejects.toEqual(gone);
    for (const decide of [
      () => project.questions.get(nothing),
      () => project.questions.answer(nothing, "yes"),
      () => project.questions.approve(nothing),
      () => project.questions.deny(nothing),
      () => project.questions.dismiss(nothing),
      () => project.questions.askBack(nothing, "why?"),
    ])
      await expect(decide()).rejects.toEqual(noQuestion);
  }
});

test("[LB26] a handle made with an agent returns that agent's output", async () => {
  const t = await testProject({ agents: [judge], script: { judge: [say('{"verdict": "no", "why": "too late"}')] } });
  const { id } = await t.project.dialogs.create({ content: "Is it good?" });
  await t.crash();
  const found = t.project.dialogs.get(id, { agent: judge });
  expectTypeOf(found.result).returns.resolves.toEqualTypeOf<{ verdict: "yes" | "no"; why: string }>();
  expect(await found.result()).toEqual({ verdict: "no", why: "too late" });
  expectTypeOf(t.project.dialogs.get(id).result).returns.resolves.toBeString();
  expect(await t.project.dialogs.get(id).result()).toBe('{"verdict": "no", "why": "too late"}');
  expect(await (await t.project.dialogs.create({ content: "Is it?", agent: "judge", mentions: [] })).result()).toBeTypeOf("string");
  const other = defineAgent({ id: "other", role: "x", output: Verdict });
  await expect(t.project.dialogs.get(id, { agent: other }).result()).rejects.toEqual(refused("bad_request", /is judge's/));
});

test("[LB27] a choice alone, a text as an answer, undefined as absent; a value that isn't a string is refused by name", async () => {
  const options = ["Red", "Blue"];
  const t = await testProject({
    agents: [lead()],
    script: { lead: [askPerson("Which?", { options }), askPerson("And?", { options }), askPerson("Why?"), say("ok")] },
  });
  const nobody = undefined as string | undefined;
  const dialog = await t.project.dialogs.create({
    content: "go",
    title: nobody,
    msgId: nobody,
    by: nobody,
    signal: undefined,
    agent: undefined,
  });
  await t.quiet();
  for (const answer of [{ choice: "Red", content: nobody, shown: nobody }, { choice: 1 }, "because"]) {
    const [question] = await t.questions();
    await t.project.questions.answer(question?.id ?? "", answer);
    await t.quiet();
  }
  expect(
    t.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === "result")
      .map((result) => "output" in result && result.output),
  ).toEqual([expect.stringContaining("Red"), expect.stringContaining("Blue"), expect.stringContaining("because")]);

  const { seq } = await dialog.view();
  const anything: unknown = undefined;
  const content = anything as string; // as from a request whose body nobody has checked
  await expect(t.project.dialogs.create({ content })).rejects.toEqual(
    refused("bad_request", /^content must be a string, not undefined\.$/),
  );
  await expect(t.project.dialogs.send(dialog.id, { content })).rejects.toEqual(refused("bad_request", /content must be a string/));
  await expect(t.project.dialogs.rename(dialog.id, content)).rejects.toEqual(refused("bad_request", /title must be a string/));
  await expect(t.project.dialogs.view(content)).rejects.toEqual(refused("bad_request", /id of a dialog must be a string/));
  expect((await dialog.view()).seq).toBe(seq);
  expect(t.project.dialogs.list()).toHaveLength(1);
});

test("[LB28] an invalid tool or agent is refused with the reason", async () => {
  const tool = { name: "pay", description: "Pays.", input: z.object({}), run: () => "paid" };
  const { run: _, ...runless } = tool;
  for (const [wrong, message] of [
    [{ ...tool, execute: () => "" }, /The tool "pay" has a field "execute", which no tool has\. Known: name, .*run\./],
    [{ ...tool, name: "" }, /needs a name/],
    [{ ...tool, name: "pay money" }, /The tool "pay money" needs another name: providers take up to 64 letters, digits, _ and -/],
    [{ ...tool, name: "p".repeat(65) }, /needs another name/],
    [{ ...tool, description: undefined }, /"pay" needs a description/],
    [runless, /"pay" needs a function "run"/],
    [{ ...tool, input: { cents: z.number() } }, /The input of the tool "pay" is not a schema\./],
    [{ ...tool, output: "text" }, /The output of the tool "pay" is not a schema\./],
    [{ ...tool, input: z.string() }, /The input of the tool "pay" must be an object.* described as "string"/],
  ] as const)
    expect(() => defineTool(wrong as typeof tool)).toThrow(refused("bad_request", message));

  const pay = defineTool(tool);
  const open = (agent: object) => testProject({ agents: [agent as typeof judge], script: {} });
  for (const [wrong, code, message] of [
    [{ id: "a b", role: "x" }, "bad_request", /"a b" is no agent's id/],
    [{ id: "a" }, "bad_request", /The agent "a" needs a role/],
    [{ id: "a", role: "x", rolle: "y" }, "bad_request", /field "rolle", which no agent has\. Known: id, name, role/],
    [{ id: "a", role: "x", tools: [{ name: "pay" }] }, "bad_request", /tools of the agent "a" are a list of what defineTool gives/],
    [{ id: "a", role: "x", output: { verdict: "text" } }, "bad_request", /output of the agent "a" is not a schema/],
    [{ id: "a", role: { file: "gone.md" } }, "not_found", /There is no file gone\.md/],
    [{ id: "a", role: "x", tools: [pay, defineTool(tool)] }, "bad_config", /has two tools named "pay"\. Give it another/],
    [
      { id: "a", role: "x", tools: [defineTool({ ...tool, name: "remember" })] },
      "bad_config",
      /"remember", which is the name of a tool that Colloquy/,
    ],
  ] as const)
    await expect(open(wrong)).rejects.toEqual(refused(code, message));
});
