import { type StreamResponse, TaskState } from "@a2a-js/sdk";
import { defineTool } from "@colloquy/runtime";
import { call, calls, say, type Telling } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { z } from "zod";
import { projectFolder, startVictim } from "../folder.ts";
import { latch } from "../latch.ts";
import { api, served, TOKEN } from "../support.ts";
import { a2aClient, type Binding, file, questionOf, shown, textOf, words } from "./a2a-client.ts";
import { loadedBy } from "./loaded-by.ts";

const BINDINGS: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];
const ask = (headline: string) => ["askHuman", { headline, tellaskContent: "A or B?", options: ["A", "B"] }] as const;
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: z.strictObject({ to: z.string() }),
  approval: true,
  run: ({ to }) => `paid ${to}`,
});

async function shop(telling: Telling, binding?: Binding) {
  const w = await served(telling, { tools: [pay] });
  return Object.assign(w, { agent: await a2aClient(w.server.url, TOKEN, binding) });
}

const kinds = (events: readonly StreamResponse[]) => events.map(({ payload }) => payload?.$case);
/** What a stream's artifacts say, joined. */
const said = (events: readonly StreamResponse[]) =>
  events.map(({ payload }) => (payload?.$case === "artifactUpdate" ? textOf(payload.value.artifact?.parts ?? []) : "")).join("");
const lastState = (events: readonly StreamResponse[]) => {
  const payload = events.at(-1)?.payload;
  return payload?.$case === "statusUpdate" ? payload.value.status?.state : undefined;
};

test("[AA1] the card says how to reach the team, and who is in it only with a token", async () => {
  const { server, agent } = await shop({});
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(server.url + path, { headers });
    expect(answer.headers.get("content-type")).toContain("application/json");
    return (await answer.json()) as { skills: { id: string }[]; supportedInterfaces: { url: string; protocolBinding: string }[] };
  };
  const authorization = `Bearer ${TOKEN}`;
  const open = await read("/.well-known/agent-card.json");
  expect(open.supportedInterfaces.map(({ url, protocolBinding }) => [url, protocolBinding])).toEqual([
    [`${server.url}/a2a`, "JSONRPC"],
    [`${server.url}/a2a`, "HTTP+JSON"],
  ]);
  expect(JSON.stringify(open)).not.toContain("lead");
  expect((await read("/.well-known/agent-card.json", { authorization })).skills).toMatchObject([{ id: "lead" }]);
  expect((await agent.client.getAgentCard()).skills).toMatchObject([{ id: "lead" }]);
  const own = await read("/a2a/lead/.well-known/agent-card.json", { authorization });
  expect(own.supportedInterfaces[0]?.url).toBe(`${server.url}/a2a/lead`);
  expect((await fetch(`${server.url}/a2a/lead/.well-known/agent-card.json`)).status).toBe(401);
});

test.each(BINDINGS)("[AA2] a message is a task, and its artifacts are what the agent says: %s", async (binding) => {
  const { agent, project, server } = await shop({ lead: () => say("Painted.") }, binding);
  const task = await agent.send("Paint the shop.");
  expect(shown(task)).toEqual({ state: "completed", said: ["Painted."] });
  expect(project.dialogs.list().map(({ rootId }) => rootId)).toEqual([task.id]);
  expect(task.history.map(({ parts }) => textOf(parts))).toEqual(["Paint the shop."]);
  expect(shown(await agent.get(task.id))).toEqual(shown(task));
  const named = await a2aClient(`${server.url}/a2a/lead/`, TOKEN, binding);
  expect(shown(await named.send("Again."))).toEqual(shown(task));
});

test.each(BINDINGS)("[AA2] a task that is not waited for works on: %s", async (binding) => {
  const gate = latch();
  const { agent, project } = await shop({ lead: [{ hold: gate.opened, ...say("Painted.") }] }, binding);
  const task = await agent.send("Paint the shop.", { returnImmediately: true });
  expect(shown(task)).toEqual({ state: "working", said: [] });
  gate.open();
  await project.dialogs.quiet(task.id);
  expect(shown(await agent.get(task.id))).toEqual({ state: "completed", said: ["Painted."] });
});

test.each(BINDINGS)("[AA3] a streamed task has each word once, from the beginning or later: %s", async (binding) => {
  const gate = latch();
  const { agent } = await shop(
    {
      lead: [
        { say: "First.", calls: [{ tool: "nothing" }] },
        { hold: gate.opened, ...say("Then this.") },
      ],
    },
    binding,
  );
  const task = await agent.send("Go", { returnImmediately: true });
  await expect.poll(async () => shown(await agent.get(task.id)).said).toEqual(["First."]);
  const late = await agent.subscribe(task.id);
  gate.open();
  const events = await late.all;
  expect(said(events)).toBe("Then this.");
  expect([events[0]?.payload?.$case, lastState(events)]).toEqual(["task", TaskState.TASK_STATE_COMPLETED]);
  await expect(agent.subscribe(task.id)).rejects.toThrow("is over");
});

test("[AA3] a stream carries the words of a new task", async () => {
  const { agent } = await shop({ lead: () => say("One two three.") });
  const events = await agent.stream("Go");
  expect(kinds(events)).toEqual(["task", ...kinds(events).slice(1, -1).fill("artifactUpdate"), "statusUpdate"]);
  expect(said(events)).toBe("One two three.");
});

test.each(BINDINGS)("[AA4] [AA5] a question makes a task wait for input, and a data part answers it: %s", async (binding) => {
  const { agent, project } = await shop({ lead: [calls(ask("First?"), ask("Second?")), say("So be it.")] }, binding);
  const first = await agent.send("Decide.");
  expect(shown(first).state).toBe("input_required");
  expect(textOf(first.status?.message?.parts ?? [])).toContain("**First?**");
  expect(questionOf(first)).toMatchObject({
    headline: "First?",
    kind: "question",
    options: [{ label: "A" }, { label: "B" }],
    url: expect.any(String),
  });
  const second = await agent.answer(first, { choice: "A" });
  expect(questionOf(second)).toMatchObject({ headline: "Second?" });
  const last = await agent.answer(second, { choice: ["B"] });
  expect(shown(last)).toMatchObject({ state: "completed", said: ["So be it."] });
  const closed = await project.questions.list({ all: true });
  expect(closed.map(({ headline, answer }) => [headline, answer?.choice, answer?.by])).toEqual(
    expect.arrayContaining([
      ["First?", ["A"], "owner"],
      ["Second?", ["B"], "owner"],
    ]),
  );
});

test("[AA5] a text is never an answer, also if it is exactly a choice", async () => {
  const { agent, project } = await shop({ lead: [calls(ask("Which?")), say("A person must choose."), say("A person must.")] });
  const task = await agent.send("Decide.");
  for (const text of ["A", "1"]) expect(shown(await agent.send(text, { task: task.id })).state).toBe("input_required");
  expect(project.questions.count()).toBe(1);
  expect((await agent.get(task.id)).history.map(({ parts }) => textOf(parts))).toEqual(["Decide.", "A", "1"]);
});

test.each(BINDINGS)("[AA6] approvals, late answers and those of other tasks decide nothing: %s", async (binding) => {
  const { agent, project } = await shop({ lead: [call("pay", { to: "anna" }), say("Paid."), call("pay", { to: "bob" })] }, binding);
  const paying = await agent.send("Pay.");
  expect(questionOf(paying)).toMatchObject({ kind: "approval" });
  for (const given of [{ choice: "Approve" }, { content: "approve" }, { values: { approved: true } }])
    await expect(agent.answer(paying, given)).rejects.toThrow("A person decides this at");
  expect(project.questions.count()).toBe(1);
});

test("[AA6] an answer to another version, to a closed question, or of the wrong shape changes nothing", async () => {
  const { agent, project } = await shop({ lead: () => calls(ask("Which?")) });
  const task = await agent.send("Decide.");
  const other = await agent.send("Decide this too.");
  const good = { choice: "A" };
  await expect(agent.answer(task, { choice: "C" })).rejects.toThrow();
  await expect(agent.answer(task, { verdict: "A" })).rejects.toThrow("An answer is");
  await expect(agent.answer(task, { ...good, shown: "another" })).rejects.toThrow();
  await expect(agent.answer(task, { ...good, question: questionOf(other).question })).rejects.toThrow("is not of this task");
  await expect(agent.answer(task, { ...good, question: "nonsense" })).rejects.toThrow();
  expect(project.questions.count()).toBe(2);
  await project.questions.answer(String(questionOf(task).question), { choice: "B", by: "anna" });
  await expect(agent.answer(task, good)).rejects.toThrow("anna");
});

test.each(BINDINGS)("[AA7] cancelling stops the dialog, and what is over cannot be cancelled: %s", async (binding) => {
  const gate = latch();
  const { agent, project } = await shop({ lead: [{ hold: gate.opened, ...say("Never.") }] }, binding);
  const task = await agent.send("Work.", { returnImmediately: true });
  expect(shown(await agent.cancel(task.id)).state).toBe("canceled");
  expect(await project.dialogs.view(task.id)).toMatchObject({ stopped: { code: "person", by: "owner" } });
  await expect(agent.cancel(task.id)).rejects.toThrow("is over");
  gate.open();
});

test.each(BINDINGS)("[AA8] a task that is over takes no message, and its context goes on with a new task: %s", async (binding) => {
  const { agent, project } = await shop({ lead: [say("One."), say("Two.")] }, binding);
  const first = await agent.send("Begin.");
  await expect(agent.send("More.", { task: first.id })).rejects.toThrow("without taskId");
  const second = await agent.send("More.", { context: first.contextId });
  expect(second.id).not.toBe(first.id);
  expect(second.contextId).toBe(first.contextId);
  expect([shown(await agent.get(first.id)).said, shown(await agent.get(second.id)).said]).toEqual([["One."], ["Two."]]);
  expect(second.history.map(({ parts }) => textOf(parts))).toEqual(["More."]);
  expect(project.dialogs.list()).toHaveLength(1);
});

test("[AA8] the next task of a cancelled one resumes the dialog", async () => {
  const gate = latch();
  const { agent } = await shop({ lead: [{ hold: gate.opened, ...say("Now I do.") }] });
  const first = await agent.send("Work.", { returnImmediately: true });
  await agent.cancel(first.id);
  gate.open();
  expect(shown(await agent.send("Go on.", { context: first.id }))).toEqual({ state: "completed", said: ["Now I do."] });
});

test.each(BINDINGS)("[AA9] the same message again has the effect of one: %s", async (binding) => {
  const { agent, project } = await shop({ lead: [say("One."), say("Two.")] }, binding);
  const [first, again] = [await agent.send("Begin.", { id: "a" }), await agent.send("Begin.", { id: "a" })];
  expect(again.id).toBe(first.id);
  const second = await agent.send("More.", { context: first.id, id: "b" });
  expect((await agent.send("More.", { context: first.id, id: "b" })).id).toBe(second.id);
  expect((await agent.send("More.", { task: second.id, id: "b" })).id).toBe(second.id);
  await expect(agent.send("Other words.", { context: first.id, id: "b" })).rejects.toThrow();
  expect(project.dialogs.list()).toHaveLength(1);
  expect(shown(await agent.get(second.id)).said).toEqual(["Two."]);
});

test.each(BINDINGS)("[AA10] the caller's tasks are listed: %s", async (binding) => {
  const { agent, project } = await shop(
    { lead: ({ messages }) => (JSON.stringify(messages).includes("Three") ? calls(ask("Which?")) : say("Yes.")) },
    binding,
  );
  await project.dialogs.quiet((await project.dialogs.create({ content: "Not theirs" })).id);
  const two = await agent.send("Two");
  const three = await agent.send("Three");
  const page = await agent.list({ pageSize: 1 });
  const rest = await agent.list({ pageSize: 1, pageToken: page.nextPageToken });
  expect([page.totalSize, rest.nextPageToken]).toEqual([2, ""]);
  expect(new Set([...page.tasks, ...rest.tasks].map(({ id }) => id))).toEqual(new Set([two.id, three.id]));
  const waiting = await agent.list({ status: TaskState.TASK_STATE_INPUT_REQUIRED });
  expect(waiting.tasks.map(({ id }) => id)).toEqual([three.id]);
  expect((await agent.list({ contextId: two.id })).tasks.map(({ id }) => id)).toEqual([two.id]);
  await expect(agent.list({ pageToken: "nonsense" })).rejects.toThrow("pageToken");
});

test.each(BINDINGS)("[AA11] what cannot be carried out gets the protocol's errors: %s", async (binding) => {
  const { agent, project } = await shop({}, binding);
  const nobody = "0".repeat(32);
  for (const id of [nobody, "nonsense", `${nobody}-7`]) await expect(agent.get(id)).rejects.toThrow(`There is no`);
  await expect(agent.send("Hi", { task: nobody })).rejects.toThrow("There is no");
  await expect(agent.send("Hi", { context: "mine" })).rejects.toThrow("There is no context mine");
  await expect(agent.send([])).rejects.toThrow("empty");
  await expect(agent.send([words("Read this."), file(Buffer.from("%PDF"), "application/pdf")])).rejects.toThrow("application/pdf");
  expect(project.dialogs.list()).toHaveLength(0);
});

test("[AA11] nonsense gets the errors of its binding and changes nothing", async () => {
  const { server, project, reports } = await shop({});
  const headers = { authorization: `Bearer ${TOKEN}`, "a2a-version": "1.0" };
  const rpc = async (body: string, more = {}) => {
    const answer = await fetch(`${server.url}/a2a`, { method: "POST", body, headers: { ...headers, ...more } });
    return ((await answer.json()) as { error: { code: number } }).error.code;
  };
  const request = (method: string, params: unknown) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  for (const body of ["", "{", "[]", "null", "7", "{}", request("SendMessage", null), request("SendMessage", {}), request("GetTask", {})])
    expect([body, await rpc(body)]).toEqual([body, expect.toSatisfy((code: number) => code < 0)]);
  expect(await rpc(request("Nothing", {}))).toBe(-32_601);
  expect(await rpc(request("GetTask", { id: "x" }))).toBe(-32_001);
  expect(await rpc(request("GetTask", { id: "x" }), { "a2a-version": "0.3" })).toBe(-32_009);
  const rest = async (method: string, path: string, body?: string) => {
    const answer = await fetch(`${server.url}/a2a/${path}`, { method, headers, ...(body !== undefined && { body }) });
    return [answer.status, ((await answer.json()) as { error: { status: string } }).error.status];
  };
  for (const body of ["{", "[]", "null", "{}", '{"message":{"parts":[7]}}'])
    expect([body, await rest("POST", "message:send", body)]).toEqual([body, [400, "INVALID_ARGUMENT"]]);
  expect(await rest("GET", "tasks/x")).toEqual([404, "NOT_FOUND"]);
  expect(await rest("GET", "tasks?pageSize=many")).toEqual([400, "INVALID_ARGUMENT"]);
  expect(project.dialogs.list()).toHaveLength(0);
  expect(reports).toEqual([]);
});

test("[AA12] strangers and other sites are refused", async () => {
  const { server, project } = await shop({});
  const status = async (path: string, headers: Record<string, string>, method = "POST") =>
    (await fetch(server.url + path, { method, headers, ...(method === "POST" && { body: "{}" }) })).status;
  const authorization = `Bearer ${TOKEN}`;
  for (const path of ["/a2a", "/a2a/lead", "/a2a/message:send"]) {
    expect(await status(path, {})).toBe(401);
    expect(await status(path, { cookie: "colloquy=anything" })).toBe(401);
    expect(await status(path, { authorization, origin: "https://elsewhere.example" })).toBe(403);
  }
  expect(await status("/a2a/tasks", {}, "GET")).toBe(401);
  expect(await status("/a2a/nobody", { authorization })).toBe(404);
  expect(await status("/a2a/lead", { authorization }, "GET")).toBe(405);
  expect(project.dialogs.list()).toHaveLength(0);
});

test.each(BINDINGS)("[AA4] [AA9] a question waits through a kill, is answered elsewhere, and the task goes on: %s", async (binding) => {
  const dir = projectFolder();
  const first = await startVictim(dir);
  const asked = await (await a2aClient(first.url, first.token, binding)).send("Please decide.", { id: "once" });
  expect(questionOf(asked)).toMatchObject({ headline: "Which one?" });
  await first.kill("SIGKILL");
  const second = await startVictim(dir);
  const after = await a2aClient(second.url, second.token, binding);
  expect((await after.send("Please decide.", { id: "once" })).id).toBe(asked.id);
  const following = await after.subscribe(asked.id);
  const headers = { authorization: `Bearer ${second.token}` };
  const question = String(questionOf(asked).question);
  await api(second.url)("POST", `/projects/shop/questions/${question}/answer`, { choice: "B", msgId: "1" }, headers);
  await api(second.url)("GET", `/projects/shop/dialogs/${asked.id}/quiet?within=30000`, undefined, headers);
  expect(lastState(await following.all)).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(shown(await after.get(asked.id))).toEqual({ state: "completed", said: ["So be it."] });
});

test("[AA13] the code is loaded with the first request, and by nothing else", async () => {
  expect(await loadedBy("a2a")).toEqual([]);
});
