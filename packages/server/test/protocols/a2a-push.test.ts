import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TaskState } from "@a2a-js/sdk";
import { calls, say } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { tokenHash } from "../../src/access/token-hash.ts";
import { projectFolder, startVictim } from "../folder.ts";
import { latch } from "../latch.ts";
import { api, served, TOKEN } from "../support.ts";
import { a2aClient, type Binding, questionOf } from "./a2a-client.ts";

const BINDINGS: readonly Binding[] = ["JSONRPC", "HTTP+JSON"];
const ask = ["askHuman", { headline: "Which?", tellaskContent: "A or B?", options: ["A", "B"] }] as const;

interface Heard {
  readonly state: string;
  readonly task: string;
  readonly token: string | undefined;
  readonly authorization: string | undefined;
}

/** A program elsewhere that is told of its tasks. `status`: what it answers to the nth request, from 0. */
async function receiver(status: (nth: number) => number = () => 200) {
  const heard: Heard[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const code = status(requests++);
      const { task } = JSON.parse(body) as { task: { id: string; status: { state: string } } };
      const { authorization } = request.headers;
      const token = request.headers["x-a2a-notification-token"];
      if (code === 200) heard.push({ state: task.status.state, task: task.id, token: [token].flat()[0], authorization });
      response.writeHead(code, { location: "http://127.0.0.1:1/" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const states = () => heard.map(({ state }) => state.replace("TASK_STATE_", "").toLowerCase());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard, states, requests: () => requests };
}

/** A folder whose settings allow these origins. */
function allowing(origins: readonly string[], more = ""): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-push-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "colloquy.yaml"), `a2a: { push: ${JSON.stringify(origins)} }\n${more}`);
  return dir;
}

const config = (url: string, taskId = "", id = "") => ({
  tenant: "",
  id,
  taskId,
  url,
  token: "their-secret",
  authentication: { scheme: "Bearer", credentials: "theirs" },
});

test.each(BINDINGS)(
  "[AA21] a program is told of each state of its task, again while it is away, and no longer once it is over: %s",
  async (binding) => {
    const there = await receiver((nth) => (nth === 0 ? 503 : 200));
    const dir = allowing([there.url]);
    const { server } = await served({ lead: [calls(ask), say("So be it.")] }, { dir });
    const agent = await a2aClient(server.url, TOKEN, binding);
    const task = await agent.send("Decide.");
    const made = await agent.client.createTaskPushNotificationConfig(config(`${there.url}/hook`, task.id));
    expect(made).toMatchObject({ taskId: task.id, id: expect.stringMatching(/./) });
    expect(statSync(join(dir, ".dialogs/a2a/push.json")).mode & 0o077).toBe(0);
    await expect.poll(there.states).toEqual(["input_required"]);
    await agent.answer(task, { choice: "A" });
    await expect.poll(there.states).toContain("completed");
    expect(there.heard[0]).toEqual({
      state: "TASK_STATE_INPUT_REQUIRED",
      task: task.id,
      token: "their-secret",
      authorization: "Bearer theirs",
    });
    const list = async () =>
      (await agent.client.listTaskPushNotificationConfig({ tenant: "", taskId: task.id, pageSize: 0, pageToken: "" })).configs;
    await expect.poll(list).toEqual([]);
  },
);

test("[AA21] a message can bring its address, and a deleted one hears nothing", async () => {
  const there = await receiver();
  const gate = latch();
  const { server, project } = await served({ lead: [{ hold: gate.opened, ...say("Done.") }] }, { dir: allowing([there.url]) });
  const agent = await a2aClient(server.url, TOKEN);
  const task = await agent.send("Go", { returnImmediately: true, push: config(there.url) });
  await expect.poll(there.states).toEqual(["working"]);
  const { configs } = await agent.client.listTaskPushNotificationConfig({ tenant: "", taskId: task.id, pageSize: 0, pageToken: "" });
  const [{ id } = { id: "" }] = configs;
  expect(await agent.client.getTaskPushNotificationConfig({ tenant: "", taskId: task.id, id })).toMatchObject({ url: there.url });
  await agent.client.deleteTaskPushNotificationConfig({ tenant: "", taskId: task.id, id });
  await expect(agent.client.getTaskPushNotificationConfig({ tenant: "", taskId: task.id, id })).rejects.toThrow();
  gate.open();
  await project.dialogs.quiet(task.id);
  expect(there.states()).toEqual(["working"]);
});

test("[AA22] no address but the allowed ones, and a message with another is refused as a whole", async () => {
  const there = await receiver(() => 307);
  const bare = await served({ lead: () => say("Done.") });
  const nobody = await a2aClient(bare.server.url, TOKEN);
  await expect(nobody.send("Go", { push: config(there.url) })).rejects.toThrow("No address is allowed");
  expect(bare.project.dialogs.list()).toHaveLength(0);

  const { server, project } = await served({ lead: () => say("Done.") }, { dir: allowing([there.url]) });
  const agent = await a2aClient(server.url, TOKEN);
  const { port } = new URL(there.url);
  for (const url of [
    "http://169.254.169.254/",
    `http://localhost:${port}/`,
    `${there.url}.evil.example/`,
    `http://u:p@127.0.0.1:${port}/`,
    "file:///etc/passwd",
    "x",
  ])
    await expect(agent.send("Go", { push: config(url) })).rejects.toThrow("url: not allowed");
  expect(project.dialogs.list()).toHaveLength(0);
  const task = await agent.send("Go");
  await agent.client.createTaskPushNotificationConfig(config(there.url, task.id));
  await expect.poll(there.requests).toBeGreaterThan(0);
  expect(there.heard).toEqual([]);
});

test("[AA22] [AA23] each user has their own registrations, and who is removed hears nothing more", async () => {
  const there = await receiver();
  const anna = `users: { anna: { role: member, tokenHash: "${tokenHash("token-of-anna")}" } }\n`;
  const dir = allowing([there.url], anna);
  const gate = latch();
  const { server, project } = await served({ lead: [{ hold: gate.opened, ...say("Done.") }] }, { dir });
  const agent = await a2aClient(server.url, "token-of-anna");
  const task = await agent.send("Go", { returnImmediately: true, push: config(there.url, "", "one") });
  await expect.poll(there.states).toEqual(["working"]);
  const owner = await a2aClient(server.url, TOKEN);
  await expect(owner.client.getTaskPushNotificationConfig({ tenant: "", taskId: task.id, id: "one" })).rejects.toThrow();
  await expect(owner.client.deleteTaskPushNotificationConfig({ tenant: "", taskId: task.id, id: "one" })).rejects.toThrow();
  writeFileSync(join(dir, "colloquy.yaml"), `a2a: { push: ["${there.url}"] }\n`);
  await project.agents.refresh();
  gate.open();
  await project.dialogs.quiet(task.id);
  await expect.poll(async () => (await owner.get(task.id)).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(there.states()).toEqual(["working"]);
});

test("[AA21] what was not delivered before a kill is delivered after it, and an answer given elsewhere is heard of", async () => {
  const there = await receiver((nth) => (nth === 0 ? 503 : 200));
  const dir = projectFolder();
  writeFileSync(
    join(dir, "colloquy.yaml"),
    `defaults: { model: scripted/play }\nagents:\n  lead: { role: "You lead.", default: true }\na2a: { push: ["${there.url}"] }\n`,
  );
  const first = await startVictim(dir);
  const agent = await a2aClient(first.url, first.token);
  const task = await agent.send("Please decide.", { push: config(there.url) });
  await first.kill("SIGKILL");
  expect(existsSync(join(dir, ".dialogs/a2a/push.json"))).toBe(true);
  const second = await startVictim(dir);
  await expect.poll(there.states).toContain("input_required");
  const headers = { authorization: `Bearer ${second.token}` };
  await api(second.url)(
    "POST",
    `/projects/shop/questions/${String(questionOf(task).question)}/answer`,
    { choice: "B", msgId: "1" },
    headers,
  );
  await expect.poll(there.states).toContain("completed");
  expect(there.states().at(-1)).toBe("completed");
});
