import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { oauthServer } from "../../../mcp/test/oauth-server.ts";
import { bin, colloquy, ended, env, folder, project, start } from "../support.ts";

/** A program that starts `colloquy mcp` as its MCP server. */
async function editor(dir: string) {
  const client = new Client({ name: "some-editor", version: "1.0.0" });
  const transport = new StdioClientTransport({ command: process.execPath, args: [bin, "-C", dir, "mcp"], env: env({}), stderr: "pipe" });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return async (name: string, input: object = {}) => {
    const result = await client.callTool({ name, arguments: { ...input } }, { timeout: 240_000 });
    return result.structuredContent as never;
  };
}

const open = async (dir: string) =>
  (JSON.parse((await colloquy(dir, "questions", "--json")).stdout) as { questions: { id: string; program: string; headline: string }[] })
    .questions;

test("[MS9] colloquy mcp becomes the project's server: the question is in the inbox, and the answer arrives", async () => {
  const dir = project();
  const use = await editor(dir);
  const { questionId } = (await use("ask_people", { headline: "Deploy?", options: ["Yes", "No"] })) as { questionId: string };
  expect(await open(dir)).toMatchObject([{ id: questionId, program: "some-editor", headline: "Deploy?" }]);
  const waiting = use("wait_for_answer", { questionId });
  expect((await colloquy(dir, "answer", questionId, "--choice", "1")).code).toBe(0);
  expect(await waiting).toMatchObject({ status: "answered", answer: { choice: ["Yes"] } });
  const { dialogId } = (await use("create_dialog", { content: "Hello" })) as { dialogId: string };
  expect(await use("wait_for", { dialogId })).toMatchObject({ state: "idle", lastReply: "I heard: Hello" });
});

test("[MS9] [MS1] a server that is killed while a program waits is waited for, and nothing is asked twice", async () => {
  const dir = project();
  const serve = async (port: string) => {
    const running = start(dir, ["--json", "serve", "--port", port]);
    onTestFinished(async () => {
      running.kill("SIGTERM");
      await running.ended;
    });
    await running.says('"link":');
    return running;
  };
  const first = await serve("0");
  const { url } = JSON.parse((await colloquy(dir, "--json", "open")).stdout.replace("link", "url")) as { url: string };
  const use = await editor(dir);
  const question = { headline: "Deploy?", options: ["Yes", "No"], msgId: "release-7" };
  const { questionId } = (await use("ask_people", question)) as { questionId: string };
  const waiting = use("wait_for_answer", { questionId, timeoutMs: 230_000 });
  first.kill("SIGKILL");
  await first.ended;
  await serve(new URL(url).port);
  expect(await use("ask_people", question)).toMatchObject({ questionId });
  expect(await open(dir)).toHaveLength(1);
  expect((await colloquy(dir, "answer", questionId, "--choice", "2")).code).toBe(0);
  expect(await waiting).toMatchObject({ status: "answered", answer: { choice: ["No"] } });
});

test("[MS9] told to stop, colloquy mcp closes the server that it has become", async () => {
  const dir = project();
  const running = start(dir, ["mcp"], { keepsInput: true });
  await running.says("Serving at");
  running.kill("SIGTERM");
  await running.ended;
  expect(existsSync(join(dir, ".dialogs/server.json"))).toBe(false);
  expect((await colloquy(dir, "ls")).code).toBe(0);
});

test("[MS9] wait_for keeps its time, also through the server", async () => {
  const use = await editor(project("rules: [{ do: [{ wait: 4m }, { say: Late. }] }]"));
  const { dialogId } = (await use("create_dialog", { content: "Hello" })) as { dialogId: string };
  expect(await use("wait_for", { dialogId, timeoutMs: 1 })).toMatchObject({ state: "working", lastReply: "" });
});

test("[MC29] colloquy mcp login prints the page, and waits until the person has signed in there", async () => {
  const server = await oauthServer();
  const dir = project(undefined, {
    "colloquy.yaml": `agents: { lead: { role: "You lead." } }\nmcp: { servers: { far: { url: "${server.url}" } } }\n`,
  });
  const home = folder();
  const options = { env: { HOME: home, XDG_CONFIG_HOME: join(home, "config") } };
  const running = start(dir, ["mcp", "login", "far"], options);
  await expect.poll(() => running.complaints()).toMatch(/Sign in at \S+\n/);
  const [page = ""] = /http\S+/.exec(running.complaints()) ?? [];
  await fetch(page);
  expect(await running.ended).toMatchObject({ code: 0, stdout: `You are signed in at ${server.url}.\n` });
  const again = (...args: readonly string[]) => ended(dir, args, options);
  expect(await again("mcp", "logout", "far")).toMatchObject({ code: 0, stdout: "You are signed out of far.\n" });
  expect(await again("mcp", "login", "near")).toMatchObject({ code: 3, stderr: expect.stringContaining("Known: far") });
  expect(await again("mcp", "logon", "far")).toMatchObject({ code: 2, stderr: expect.stringContaining("colloquy mcp login NAME") });
});
