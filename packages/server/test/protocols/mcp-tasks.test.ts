import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { isCreateTaskResultV2, isDetailedTaskV2 } from "@modelcontextprotocol/ext-tasks/core/v2";
import { expect, onTestFinished, test } from "vitest";
import { projectFolder, startVictim } from "../folder.ts";
import { api, served, TOKEN } from "../support.ts";

const VERSION = "2026-07-28";
const TASKS = "io.modelcontextprotocol/tasks";
const clientInfo = { name: "some-editor", version: "1.0.0" };

interface Server {
  readonly url: string;
  readonly token: string;
}

/** Requests of a client with the tasks extension; `elicitation`: what else it can. */
function program({ url, token }: Server, elicitation?: object) {
  const clientCapabilities = { extensions: { [TASKS]: {} }, ...(elicitation && { elicitation }) };
  let id = 0;
  const post = async (request: object): Promise<{ readonly result?: Record<string, unknown>; readonly error?: { code: number } }> => {
    const body = { jsonrpc: "2.0", id: (id += 1), ...request };
    const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...((params.name ?? params.taskId) && { "mcp-name": params.name ?? params.taskId ?? "" }),
    };
    const answer = await fetch(`${url}/mcp`, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    return JSON.parse(text.startsWith("{") ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "{}")) as never;
  };
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": clientCapabilities,
  };
  const ask = (method: string, params: object) => post({ method, params: { ...params, _meta } });
  const question = { headline: "Deploy?", options: ["Yes", "No"], msgId: "release-7" };
  return {
    ask,
    post,
    clientCapabilities,
    asks: async () => (await ask("tools/call", { name: "ask_people", arguments: question })).result ?? {},
  };
}

test("[MS12] with the tasks extension a question is a task, whose result is the answer", async () => {
  const { server, project } = await served({});
  const { post, clientCapabilities } = program({ url: server.url, token: TOKEN });
  const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: VERSION } } });
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  const session = createTaskSessionFromClient(client, {
    endpointId: "shop",
    rawDispatch: (request: unknown) => post(request as object) as never,
    v2RequestFraming: { protocolVersion: VERSION, clientInfo, clientCapabilities } as never,
  });
  onTestFinished(() => session.close());
  const execution = await session.callTool("ask_people", { headline: "Deploy?", options: ["Yes", "No"] });
  const [question] = await project.questions.list();
  await project.questions.answer(question?.id ?? "", { choice: "Yes", by: "anna" });
  const { outcome } = await execution.settle();
  expect(JSON.stringify(resultFromTaskOutcome(outcome))).toContain('"choice":["Yes"]');
});

test("[MS13] where the client shows pages, a task waits for input on the question's page, and nothing that a client sends answers it", async () => {
  const { server, project } = await served({});
  const shows = program({ url: server.url, token: TOKEN }, { url: {} });
  const created = await shows.asks();
  expect(isCreateTaskResultV2(created)).toBe(true);
  const taskId = String(created.taskId);
  const waiting = (await shows.ask("tasks/get", { taskId })).result;
  expect(isDetailedTaskV2(waiting)).toBe(true);
  const url = `${server.url}/p/shop/q/${taskId}`;
  expect(waiting).toMatchObject({
    status: "input_required",
    inputRequests: { page: { params: { mode: "url", message: "Deploy?", url } } },
  });
  for (const page of [{ action: "accept" }, { action: "accept", content: { choice: "Yes" } }, { action: "decline" }])
    expect((await shows.ask("tasks/update", { taskId, inputResponses: { page } })).result).toMatchObject({ resultType: "complete" });
  expect((await shows.ask("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  expect(project.questions.count()).toBe(1);
  const plain = program({ url: server.url, token: TOKEN });
  expect((await plain.ask("tasks/get", { taskId })).result).toMatchObject({ status: "working" });
  expect((await plain.ask("tasks/get", { taskId: "nonsense" })).error).toMatchObject({ code: -32_602 });
  await project.questions.dismiss(taskId, { why: "Not today", by: "anna" });
  const ended = (await shows.ask("tasks/get", { taskId })).result;
  expect(isDetailedTaskV2(ended)).toBe(true);
  expect(ended).toMatchObject({ status: "completed", result: { structuredContent: { status: "dismissed", answer: { by: "anna" } } } });
});

test("[MS12] a task waits through a kill, and tells of the answer that was given elsewhere", async () => {
  const dir = projectFolder();
  const first = await startVictim(dir);
  const { taskId } = await program(first).asks();
  await first.kill("SIGKILL");
  const second = await startVictim(dir);
  const again = program(second);
  expect(await again.asks()).toMatchObject({ taskId });
  const headers = { authorization: `Bearer ${second.token}` };
  await api(second.url)("POST", `/projects/shop/questions/${String(taskId)}/answer`, { choice: "No", msgId: "1" }, headers);
  const { result } = await again.ask("tasks/get", { taskId });
  expect(result).toMatchObject({ status: "completed", result: { structuredContent: { questionId: taskId, answer: { choice: ["No"] } } } });
});
