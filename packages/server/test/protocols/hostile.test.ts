// Programs that mean no good, or may no longer be here.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { say, world } from "@colloquy/testing/internals";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { tokenHash } from "../../src/access/token-hash.ts";
import { startServer } from "../../src/server.ts";
import { latch } from "../latch.ts";
import { served, TOKEN } from "../support.ts";

/** A folder in whose settings Anna is a member. */
function annas(): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-hostile-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "colloquy.yaml"), `users:\n  anna: { role: member, tokenHash: "${tokenHash("token-of-anna")}" }\n`);
  return dir;
}

const mcpHeaders = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  authorization: `Bearer ${TOKEN}`,
  "mcp-protocol-version": "2025-06-18",
};
const post = (url: string, body: string) => fetch(`${url}/mcp`, { method: "POST", body, headers: mcpHeaders });
const request = (method: string, params: string) => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;

test.each([
  ["a removed user", "language: en\n"],
  ["a member who is a viewer now", `users:\n  anna: { role: viewer, tokenHash: "${tokenHash("token-of-anna")}" }\n`],
])("[SV49] %s hears no answer over MCP, and no change, and reads no more of a reply", async (_, settings) => {
  const dir = annas();
  const gate = latch();
  const { server, project } = await served({ lead: [{ hold: gate.opened, ...say("A secret.") }] }, { dir });
  const authorization = "Bearer token-of-anna";
  const connected = async (how: object) => {
    const client = new Client({ name: "editor", version: "1" }, how);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: { authorization } } }));
    onTestFinished(() => client.close());
    return client;
  };
  const modern = await connected({ versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const legacy = await connected({});
  const { questionId } = await project.questions.ask({ headline: "Deploy?", program: "release.sh" });
  const changes: string[] = [];
  modern.setNotificationHandler("notifications/resources/updated", ({ params }) => void changes.push(params.uri));
  await modern.listen({ resourceSubscriptions: ["colloquy://questions"] });
  const wait = (client: Client) =>
    client.callTool({ name: "wait_for_answer", arguments: { questionId, timeoutMs: 600_000 } }).then(
      (result) => JSON.stringify(result),
      () => "ended",
    );
  const waits = [wait(modern), wait(legacy)];
  const asked = { model: "lead", stream: true, messages: [{ role: "user", content: "What is it?" }] };
  const headers = { authorization, "content-type": "application/json" };
  const reply = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: JSON.stringify(asked), headers });
  const text = reply.text().catch(() => "ended");

  writeFileSync(join(dir, "colloquy.yaml"), settings);
  expect(await Promise.all([...waits, text])).toEqual(["ended", "ended", "ended"]);
  const heard = changes.length;
  await project.questions.answer(questionId, "A secret.");
  gate.open();
  expect(changes).toHaveLength(heard);
});

test("[ST7] a body of MCP that is nested very deep, or has very many values, is refused before it is parsed", async () => {
  const { server } = await served({});
  const call = (argument: string) => request("tools/call", `{"name":"ask_people","arguments":${argument}}`);
  expect((await post(server.url, call(`${"[".repeat(100_000)}${"]".repeat(100_000)}`))).status).toBe(400);
  expect((await post(server.url, call(`[${"1,".repeat(100_000)}1]`))).status).toBe(413);
  expect((await post(server.url, `[${"{},".repeat(100_000)}{}]`)).status).toBe(413);
});

test("[MS7] a very long address is an unknown one, and what clients do wrong is not reported as ours", async () => {
  const { server, reports } = await served({});
  const answer = await post(server.url, request("resources/read", `{"uri":"colloquy://dialogs/${"a".repeat(1_500_000)}"}`));
  expect(answer.status).toBeLessThan(500);
  for (const body of ["[]", "null", "{}", '{"jsonrpc":"2.0","id":1,"method":"nothing"}', "[{}]"]) await post(server.url, body);
  expect(reports).toEqual([]);
});

test("[SV8] the figures are those of the projects that the token opens", async () => {
  const dirs = [annas(), mkdtempSync(join(tmpdir(), "colloquy-bank-"))];
  onTestFinished(() => rmSync(dirs[1] ?? "", { recursive: true, force: true }));
  const worlds = await Promise.all(dirs.map((dir) => world({ telling: {}, dir })));
  onTestFinished(async () => void (await Promise.all(worlds.map(({ project }) => project.close()))));
  const projects = worlds.map(({ project }) => project);
  const server = await startServer({ projects, token: TOKEN, port: 0, version: "test", report: () => undefined });
  onTestFinished(() => server.close());
  const read = async (token: string) => {
    const text = await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
    return new Set([...text.matchAll(/project="([^"]*)"/g)].map(([, id]) => id));
  };
  expect(await read(TOKEN)).toEqual(new Set(server.projectIds));
  expect(await read("token-of-anna")).toEqual(new Set(server.projectIds.slice(0, 1)));
});

const headers = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };

test("[ST19] a long conversation is found by reading each log once, and its last reply may name any number of ids", async () => {
  const { server, project } = await served({ lead: Array.from({ length: 12 }, () => say("Hello.")) });
  const chat = async (messages: readonly object[]) => {
    const answer = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify({ model: "lead", messages }),
    });
    expect(answer.status).toBe(200);
  };
  for (let nth = 0; nth < 10; nth++) await chat([{ role: "user", content: "Hi" }]);
  const reads = vi.spyOn(project.dialogs, "events");
  const lookedUp = vi.spyOn(project.questions, "get");
  const ids = Array.from({ length: 9_000 }, (_, nth) => nth.toString(16).padStart(32, "0")).join(" ");
  const later = Array.from({ length: 500 }, (_, nth) => ({ role: "user", content: `No. ${nth}` }));
  await chat([{ role: "user", content: "Hi" }, ...later, { role: "assistant", content: `Hello. ${ids}` }, { role: "user", content: "1" }]);
  expect(reads.mock.calls.length).toBeLessThan(15);
  expect(lookedUp.mock.calls.length).toBeLessThanOrEqual(20);
});

test("[SV53] programs' addresses answer malformed requests with a 4xx", async () => {
  const { server, reports } = await served({});
  for (const path of [
    "/agui/%25zz",
    "/agui/%zz",
    "/agui/a%2fb",
    "/agui/__proto__",
    "/v1/models/%25zz",
    "/v1/%25zz",
    "/mcp/%25zz",
    "/agui/",
    "/a2a/%25zz",
    "/a2a/%zz",
    "/a2a/__proto__",
    "/a2a/lead/tasks/%25zz",
  ])
    for (const method of ["POST", "PUT"]) {
      const answer = await fetch(server.url + path, { method, headers, body: "{}" });
      expect([path, answer.status]).toEqual([path, expect.toSatisfy((status: number) => status >= 400 && status < 500)]);
    }
  const odd = fc.oneof(fc.anything({ withBigInt: false, maxDepth: 2 }), fc.constantFrom("", "\u0000", "\ud800", "__proto__", "%zz"));
  const body = (fields: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...fields), odd, { maxKeys: 5 }).map((one) => JSON.stringify(one));
  const bodies = [
    ["/v1/chat/completions", body(["model", "messages", "stream", "metadata", "n"])],
    ["/v1/responses", body(["model", "input", "previous_response_id", "instructions", "background"])],
    ["/agui/lead", body(["threadId", "runId", "messages", "resume"])],
    ["/mcp", body(["jsonrpc", "id", "method", "params"])],
    ["/a2a/message:send", body(["message", "configuration", "metadata", "tenant"])],
    ["/a2a/message:stream", body(["message", "configuration", "metadata", "tenant"])],
  ] as const;
  for (const [path, one] of bodies)
    for (const text of fc.sample(one, { numRuns: 100, seed: 20_261_119 })) {
      const answer = await fetch(server.url + path, { method: "POST", headers, body: text });
      expect([text, answer.status]).toEqual([text, expect.toSatisfy((status: number) => status >= 400 && status < 500)]);
      await answer.body?.cancel();
    }
  expect(reports).toEqual([]);
});
