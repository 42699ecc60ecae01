import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { call, say, type Telling } from "@colloquy/testing/internals";
import type { RootId } from "@colloquy/schema";
import { expect, onTestFinished, test } from "vitest";
import { TreeSpans } from "../../tracing/src/tree-spans.ts";
import { served, TOKEN } from "./support.ts";

const P = "/projects/shop";

type Age = "modern" | "legacy";

/** A program's MCP client, connected to the server. */
async function connected(url: string, token: string, age: Age = "modern") {
  const versionNegotiation = age === "modern" ? { mode: { pin: "2026-07-28" } } : undefined;
  const client = new Client({ name: "some-editor", title: "Some Editor", version: "1.0.0" }, {
    ...(versionNegotiation && { versionNegotiation }),
  } as never);
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

async function shop(telling: Telling = {}, age?: Age) {
  const w = await served(telling);
  const client = await connected(w.server.url, TOKEN, age);
  const use = async (name: string, input: object = {}) => {
    const result = await client.callTool({ name, arguments: { ...input } });
    return result as unknown as {
      readonly isError?: boolean;
      readonly structuredContent: unknown;
      readonly content: readonly { readonly text: string }[];
    };
  };
  return Object.assign(w, { client, use });
}

test.each(["modern", "legacy"] as const)(
  "[MS1] [MS2] a %s program asks people, and waits for what somebody says elsewhere",
  async (age) => {
    const { api, use } = await shop({}, age);
    const asked = await use("ask_people", { headline: "Deploy?", options: ["Yes", "No"], msgId: "release-7" });
    const { questionId } = asked.structuredContent as { questionId: string };
    expect((await use("ask_people", { headline: "Deploy?", options: ["Yes", "No"], msgId: "release-7" })).structuredContent).toMatchObject({
      questionId,
    });
    const { questions } = (await api("GET", `${P}/questions`)).body;
    expect(questions).toMatchObject([{ id: questionId, headline: "Deploy?", program: age === "modern" ? "Some Editor" : "owner" }]);
    expect((await use("wait_for_answer", { questionId, timeoutMs: 0 })).structuredContent).toEqual({ status: "open" });
    const waiting = use("wait_for_answer", { questionId });
    await api("POST", `${P}/questions/${questionId}/answer`, { choice: "Yes", content: "Go.", msgId: "a1" });
    expect((await waiting).structuredContent).toMatchObject({
      status: "answered",
      answer: { choice: ["Yes"], content: "Go.", by: "owner" },
    });
  },
);

test("[MS2] a waiting program is told when the question is dismissed, also if it asks again later", async () => {
  const { project, use } = await shop();
  const { questionId } = (await use("ask_people", { headline: "Deploy?" })).structuredContent as { questionId: string };
  const waiting = use("wait_for_answer", { questionId });
  await project.questions.dismiss(questionId, { why: "Not today", by: "anna" });
  expect((await waiting).structuredContent).toMatchObject({ status: "dismissed", answer: { content: "Not today", by: "anna" } });
  expect((await use("wait_for_answer", { questionId })).structuredContent).toMatchObject({ status: "dismissed" });
});

test("[MS3] a program gives work to an agent, sees that it waits for a person, writes to it, and reads the answer", async () => {
  const { project, use } = await shop({ lead: [call("askHuman", { tellaskContent: "Which colour?" }), say("Blue, and soon.")] });
  const created = await use("create_dialog", { content: "Paint it.", agentId: "lead", msgId: "m1" });
  const { dialogId } = created.structuredContent as { dialogId: string };
  expect((await use("create_dialog", { content: "Paint it.", agentId: "lead", msgId: "m1" })).structuredContent).toEqual({ dialogId });
  const [question] = ((await use("wait_for", { dialogId })).structuredContent as { openQuestions: { id: string; headline: string }[] })
    .openQuestions;
  expect(question).toMatchObject({ headline: "Which colour?" });
  expect((await use("list_questions")).structuredContent).toMatchObject({ questions: [{ id: question?.id, from: "lead", dialogId }] });
  await use("send_message", { dialogId, content: "Hurry." });
  expect((await use("get_dialog", { dialogId })).structuredContent).toMatchObject({ state: "asking", openQuestions: [question] });
  await project.questions.answer(question?.id ?? "", "Blue");
  expect((await use("wait_for", { dialogId })).structuredContent).toMatchObject({ state: "idle", lastReply: "Blue, and soon." });
});

test("[MS4] no tool answers, approves, dismisses or resumes anything", async () => {
  const { client } = await shop();
  expect((await client.listTools()).tools.map(({ name }) => name).toSorted()).toEqual([
    "ask_people",
    "create_dialog",
    "get_dialog",
    "list_questions",
    "send_message",
    "wait_for",
    "wait_for_answer",
  ]);
});

test("[MS5] dialogs and open questions are resources, and subscribers hear of changes", async () => {
  const { client, project, use } = await shop({ lead: [say("Done.")] });
  const { dialogId } = (await use("create_dialog", { content: "Paint it." })).structuredContent as { dialogId: string };
  await use("wait_for", { dialogId });
  const text = async (uri: string) => (await client.readResource({ uri })).contents.map((one) => ("text" in one ? one.text : "")).join("");
  expect(JSON.parse(await text(`colloquy://dialogs/${dialogId}`))).toMatchObject({ state: "idle", lastReply: "Done." });
  const updated: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
  const listening = await client.listen({ resourceSubscriptions: ["colloquy://questions"] });
  onTestFinished(() => listening.close());
  await project.questions.ask({ headline: "Deploy?", program: "release.sh" });
  await expect.poll(() => updated).toContain("colloquy://questions");
  expect(JSON.parse(await text("colloquy://questions"))).toMatchObject({ questions: [{ headline: "Deploy?", from: "release.sh" }] });
  expect(updated.filter((uri) => uri !== "colloquy://questions")).toEqual([]);
});

test("[MS6] each agent of the team is a prompt", async () => {
  const { client } = await shop();
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain("ask_lead");
  const { messages } = await client.getPrompt({ name: "ask_lead", arguments: { request: "Paint it." } });
  expect(JSON.stringify(messages)).toContain("Paint it.");
});

test("[MS7] a refusal is the tool's error with what is valid, and changes nothing", async () => {
  const { project, use } = await shop();
  const refused = async (name: string, input: object) => {
    const { isError, content } = await use(name, input);
    expect(isError).toBe(true);
    return content[0]?.text ?? "";
  };
  expect(await refused("ask_people", { headline: "Hm?", otherwise: "Yes" })).toContain("otherwise");
  expect(await refused("ask_people", { headline: "Hm?", colour: "red" })).toContain("colour");
  expect(await refused("create_dialog", { content: "Go", agentId: "nobody" })).toContain("The team: lead");
  expect(await refused("wait_for_answer", { questionId: "0".repeat(32) })).toContain("question_not_found");
  expect(await refused("send_message", { dialogId: "0".repeat(32), content: "Hello" })).toContain("not_found");
  expect(project.dialogs.list()).toHaveLength(0);
});

test("[MS7] nonsense gets the protocol's own errors", async () => {
  const { server, project } = await shop();
  const post = async (body: string, headers: Record<string, string> = {}) => {
    const init = { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: `Bearer ${TOKEN}` };
    return fetch(`${server.url}/mcp`, { method: "POST", body, headers: { ...init, ...headers } });
  };
  for (const body of [
    "",
    "{",
    "[]",
    "null",
    "7",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/answer"}',
    "x".repeat(100_000),
  ]) {
    const { status } = await post(body);
    expect({ body: body.slice(0, 40), isOurFault: status >= 500 }).toMatchObject({ isOurFault: false });
  }
  expect((await post("{}", { "content-type": "text/plain" })).status).toBe(415);
  expect(project.dialogs.list()).toHaveLength(0);
});

test("[MS8] only a token in the Authorization header opens it, for members, and from no other site", async () => {
  const { server } = await shop();
  const at = `${server.url}/mcp`;
  const status = async (headers: Record<string, string>) => (await fetch(at, { method: "POST", body: "{}", headers })).status;
  expect(await status({ "content-type": "application/json" })).toBe(401);
  expect(await status({ "content-type": "application/json", cookie: "colloquy=anything" })).toBe(401);
  expect(await status({ "content-type": "application/json", authorization: "Bearer wrong" })).toBe(401);
  expect(await status({ "content-type": "application/json", authorization: `Bearer ${TOKEN}`, origin: "https://elsewhere.example" })).toBe(
    403,
  );
  const named = await fetch(`${at}/bank`, { method: "POST", body: "{}", headers: { authorization: `Bearer ${TOKEN}` } });
  expect(named.status).toBe(404);
});

test("[MS10] a waiting program gets progress at once", async () => {
  const { client, project, use } = await shop();
  const { questionId } = (await use("ask_people", { headline: "Deploy?" })).structuredContent as { questionId: string };
  let heard = (_: string | undefined) => {};
  const told = new Promise<string | undefined>((resolve) => (heard = resolve));
  const waiting = client.callTool({ name: "wait_for_answer", arguments: { questionId } }, { onprogress: ({ message }) => heard(message) });
  expect(await told).toBe("Waiting for a person: Deploy?");
  await project.questions.answer(questionId, "Yes");
  expect((await waiting).structuredContent).toMatchObject({ status: "answered" });
});

test("[MS11] the protocol is loaded with the first request, and by nothing else", async () => {
  const index = new URL("../src/index.ts", import.meta.url).href;
  const code = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ resolve(name, context, next) { if (name.startsWith("@modelcontextprotocol")) loaded.push(name); return next(name, context); } });
    await import(${JSON.stringify(index)});
    console.log(JSON.stringify(loaded));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--no-warnings", "--eval", code]);
  expect(JSON.parse(stdout)).toEqual([]);
});

test("[OT8] a turn is linked to the span of the MCP request that brought its message", async () => {
  const { client, project } = await shop({ lead: () => say("Done.") });
  const span = (nth: number) => ({ traceId: String(nth).repeat(32), spanId: String(nth).repeat(16) });
  const from = (nth: number) => ({ _meta: { traceparent: `00-${span(nth).traceId}-${span(nth).spanId}-01` } });
  const created = await client.callTool({ name: "create_dialog", arguments: { content: "One" }, ...from(1) });
  const { dialogId } = created.structuredContent as { dialogId: RootId };
  await project.dialogs.quiet(dialogId);
  await client.callTool({ name: "send_message", arguments: { dialogId, content: "Two" }, ...from(2) });
  await project.dialogs.quiet(dialogId);
  const spans = new TreeSpans(dialogId);
  const turns = (await project.dialogs.events(dialogId))
    .flatMap((line) => spans.fold(line))
    .filter(({ name }) => name.startsWith("invoke_agent"));
  expect(turns.map(({ links }) => links)).toEqual([[span(1)], [span(2)]]);
});
