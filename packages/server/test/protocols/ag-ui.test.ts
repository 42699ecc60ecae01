import { type BaseEvent, HttpAgent, type Interrupt, type Message, type ResumeEntry } from "@ag-ui/client";
import { defineTool } from "@colloquy/runtime";
import { call, calls, say, type Telling } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { z } from "zod";
import { projectFolder, startVictim } from "../folder.ts";
import { api, served, TOKEN } from "../support.ts";
import { loadedBy } from "./loaded-by.ts";

const ask = (headline: string) => ["askHuman", { headline, tellaskContent: "A or B?", options: ["A", "B"] }] as const;
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.strictObject({ to: z.string() }),
  approval: true,
  run: ({ to }) => `paid ${to}`,
});

/** A front end's agent. It checks every event and their order itself. */
function frontEnd(url: string, token: string, threadId = "thread-1") {
  const agent = new HttpAgent({ url: `${url}/agui/lead`, threadId, headers: { authorization: `Bearer ${token}` } });
  const run = async (resume?: readonly ResumeEntry[], runId?: string) => {
    const events: BaseEvent[] = [];
    const { newMessages } = await agent.runAgent(
      { ...(resume && { resume: [...resume] }), ...(runId && { runId }) },
      {
        onEvent: ({ event }) => void events.push(event),
      },
    );
    const finished = events.at(-1) as BaseEvent & { outcome?: { type: string; interrupts?: Interrupt[] } };
    const texts = newMessages.flatMap((message: Message) => (message.role === "assistant" && message.content ? [message.content] : []));
    return {
      events,
      texts,
      outcome: finished.outcome?.type,
      interrupt: finished.outcome?.interrupts?.[0],
      interrupts: finished.outcome?.interrupts,
    };
  };
  let nth = 0;
  const says = async (content: string) => {
    agent.addMessage({ id: `m${(nth += 1)}`, role: "user", content });
    return run();
  };
  return { agent, run, says };
}

async function shop(telling: Telling) {
  const w = await served(telling, { tools: [pay] });
  return Object.assign(w, frontEnd(w.server.url, TOKEN));
}

const resolved = (interrupt: Interrupt | undefined, payload: unknown): ResumeEntry[] => [
  { interruptId: interrupt?.id ?? "", status: "resolved", payload },
];

test("[AG1] a front end runs an agent: words, thoughts, calls and results", async () => {
  const look = defineTool({ name: "look", description: "Looks.", input: z.strictObject({}), run: () => "blue" });
  const telling = { lead: [{ say: "Let me look.", calls: [{ tool: "look" }] }, { think: "Hm.", say: "It is blue." }, say("Yes.")] };
  const w = await served(telling, { tools: [look] });
  const { says, agent } = frontEnd(w.server.url, TOKEN);
  const { events, texts, outcome } = await says("Which colour?");
  expect({ texts, outcome }).toEqual({ texts: ["Let me look.", "It is blue."], outcome: "success" });
  const types = new Set(events.map(({ type }) => type));
  for (const type of ["TOOL_CALL_ARGS", "TOOL_CALL_RESULT", "REASONING_MESSAGE_CONTENT"]) expect(types).toContain(type);
  expect(agent.messages).toContainEqual(expect.objectContaining({ role: "tool", content: "blue" }));
  expect((await says("Sure?")).texts).toEqual(["Yes."]);
  expect(w.project.dialogs.list()).toHaveLength(1);
});

test("[AG1] a thread whose id is a dialog's is that dialog", async () => {
  const { project, server } = await shop({ lead: [say("One."), say("Two.")] });
  const dialog = await project.dialogs.create({ content: "Go" });
  await project.dialogs.quiet(dialog.id);
  const { says } = frontEnd(server.url, TOKEN, dialog.id);
  expect((await says("On")).texts).toEqual(["Two."]);
});

test("[AG2] the same messages again have no second effect", async () => {
  const { server, project } = await shop({ lead: () => say("Done.") });
  const [one, again] = [frontEnd(server.url, TOKEN), frontEnd(server.url, TOKEN)];
  expect((await one.says("Go")).texts).toEqual(["Done."]);
  expect((await again.says("Go")).texts).toEqual(["Done."]);
  const [dialog] = project.dialogs.list();
  const events = (await project.dialogs.events(dialog?.rootId ?? "")).flatMap((line) => line.events);
  expect(events.filter(({ type }) => type === "message.added")).toHaveLength(1);
});

test("[AG3] a run that brings nothing shows the conversation, and what it waits for", async () => {
  const { says, server } = await shop({ lead: [calls(ask("Which?"))] });
  await says("Decide.");
  const other = frontEnd(server.url, TOKEN);
  const { interrupt } = await other.run();
  expect(interrupt?.message).toContain("**Which?**");
  expect(other.agent.messages).toMatchObject([{ role: "user", content: "Decide." }]);
});

test("[AG4] [AG5] questions come one by one, and a payload answers", async () => {
  const { says, run, project } = await shop({ lead: [calls(ask("First?"), ask("Second?"), ask("Third?")), say("So be it.")] });
  const first = await says("Decide.");
  expect(first.outcome).toBe("interrupt");
  expect(first.interrupts).toHaveLength(1);
  expect(first.interrupt).toMatchObject({
    reason: "input_required",
    metadata: { headline: "First?" },
    responseSchema: { properties: { choice: { enum: ["A", "B"] } } },
  });
  const second = await run(resolved(first.interrupt, { choice: "A" }));
  expect(second.interrupt?.metadata).toMatchObject({ headline: "Second?" });
  const third = await run([{ interruptId: second.interrupt?.id ?? "", status: "cancelled" }]);
  const last = await run(resolved(third.interrupt, "B"));
  expect({ texts: last.texts, outcome: last.outcome }).toEqual({ texts: ["So be it."], outcome: "success" });
  const closed = await project.questions.list({ all: true });
  expect(closed.map(({ status }) => status).toSorted()).toEqual(["answered", "answered", "dismissed"]);
});

test.each([true, false])("[AG5] an approval is given or denied by its user: %s", async (approved) => {
  const { says, run, project } = await shop({ lead: [call("pay", { to: "anna" }), say("Settled.")] });
  const { interrupt } = await says("Pay.");
  expect(interrupt).toMatchObject({ reason: "tool_approval", toolCallId: expect.any(String) });
  const kept = await run([{ interruptId: interrupt?.id ?? "", status: "cancelled" }]);
  expect(kept.interrupt?.id).toBe(interrupt?.id);
  expect((await run(resolved(interrupt, { approved, reason: "Because." }))).texts).toEqual(["Settled."]);
  const [question] = await project.questions.list({ all: true });
  expect(question?.answer).toMatchObject({ verdict: approved ? "approved" : "denied", by: "owner" });
});

test("[AG10] Markdown in a call hides no part of it from the person who approves it", async () => {
  const to = "anna <!-- and\n````\nbob --> [x](http://evil.example) `";
  const { says, server } = await shop({ lead: [call("pay", { to }), call("pay", { to }), say("Settled.")] });
  const { interrupt } = await says("Pay.");
  const { kind, text, headline } = z.looseObject({ kind: z.string(), text: z.string(), headline: z.string() }).parse(interrupt?.metadata);
  expect(kind).toBe("approval");
  const [first = "", open = "", ...rest] = (interrupt?.message ?? "").split("\n").filter((line) => line !== "");
  expect(first).toBe(`\` ${headline} \``);
  expect(open).toMatch(/^`{5,}text$/);
  expect(rest.indexOf(open.replace("text", ""))).toBeGreaterThan(0);
  expect(interrupt?.message).toContain(`${open}\n${text.trim()}\n${open.replace("text", "")}`);
  const asked = { model: "lead", messages: [{ role: "user", content: "Pay." }] };
  const headers = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };
  const reply = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", headers, body: JSON.stringify(asked) });
  expect(JSON.stringify(await reply.json())).toContain("`````text");
});

test("[AG6] [AG7] a late, malformed or foreign answer is an error of the run, and decides nothing", async () => {
  const { says, server, project } = await shop({ lead: () => calls(ask("Which?")) });
  const { interrupt } = await says("Decide.");
  const post = async (resume: readonly object[], threadId = "thread-1") => {
    const response = await fetch(`${server.url}/agui/lead`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify({ threadId, runId: "r9", messages: [], tools: [], context: [], resume }),
    });
    const events = (await response.text()).split("\n\n").filter((line) => line !== "");
    return JSON.parse(events.at(-1)?.replace("data: ", "") ?? "{}") as object;
  };
  const good = { interruptId: interrupt?.id, status: "resolved", payload: { choice: "A" } };
  for (const [bad, code] of [
    [{ ...good, payload: { choice: "C" } }, "bad_choice"],
    [{ ...good, payload: { verdict: "A" } }, "bad_answer"],
    [{ ...good, payload: undefined }, "bad_answer"],
    [{ ...good, interruptId: `${interrupt?.id}9` }, "question_changed"],
    [{ ...good, interruptId: "nonsense" }, "question_not_found"],
  ] as const)
    expect(await post([bad])).toMatchObject({ type: "RUN_ERROR", code, message: expect.any(String) });
  expect(await post([good, { ...good, interruptId: "nonsense" }])).toMatchObject({ type: "RUN_ERROR", code: "question_not_found" });
  await frontEnd(server.url, TOKEN, "thread-2").says("Decide.");
  expect(await post([good], "thread-2")).toMatchObject({ type: "RUN_ERROR", code: "bad_request" });
  expect(project.questions.count()).toBe(2);
  const [question] = (await project.questions.list()).filter(({ id }) => interrupt?.id.startsWith(id));
  await project.questions.answer(question?.id ?? "", { choice: "B", by: "anna" });
  expect(await post([good])).toMatchObject({ type: "RUN_ERROR", code: "question_not_open", message: expect.stringContaining("anna") });
});

test("[AG7] [AG8] nonsense and strangers are refused before a run begins", async () => {
  const { server, project } = await shop({});
  const post = async (path: string, body: string, headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` }) =>
    (await fetch(`${server.url}/agui/${path}`, { method: "POST", body, headers })).status;
  for (const body of ["", "{", "[]", "null", "7", '{"threadId":"t"}', '{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user"}]}'])
    expect({ body, status: await post("lead", body) }).toEqual({ body, status: 400 });
  const run = JSON.stringify({ threadId: "t", runId: "r", messages: [] });
  expect(await post("nobody", run)).toBe(404);
  expect(await post("lead", run, {})).toBe(401);
  expect(await post("lead", run, { cookie: "colloquy=anything" })).toBe(401);
  expect(await post("lead", run, { authorization: `Bearer ${TOKEN}`, origin: "https://elsewhere.example" })).toBe(403);
  expect(project.dialogs.list()).toHaveLength(0);
});

test("[AG2] [AG3] a question waits through a kill and is answered elsewhere, and the thread goes on", async () => {
  const dir = projectFolder();
  const first = await startVictim(dir);
  const before = frontEnd(first.url, first.token);
  expect((await before.says("Please decide.")).interrupt?.message).toContain("**Which one?**");
  await first.kill("SIGKILL");
  const second = await startVictim(dir);
  const headers = { authorization: `Bearer ${second.token}` };
  const { questions } = (await api(second.url)("GET", "/projects/shop/questions?status=open", undefined, headers)).body;
  await api(second.url)("POST", `/projects/shop/questions/${questions[0].id}/answer`, { choice: "B", msgId: "1" }, headers);
  const after = frontEnd(second.url, second.token);
  const { outcome } = await after.run();
  expect(outcome).toBe("success");
  await expect
    .poll(async () => {
      await after.run();
      return after.agent.messages;
    })
    .toMatchObject([
      { role: "user", content: "Please decide." },
      { role: "assistant", content: "So be it." },
    ]);
});

test("[AG9] the code is loaded with the first request, and by nothing else", async () => {
  expect(await loadedBy("ag-ui")).toEqual([]);
});
