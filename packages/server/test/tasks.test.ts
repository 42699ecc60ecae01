import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@colloquy/runtime";
import { call, say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { z } from "zod";
import { connect, served } from "./support.ts";

const P = "/projects/shop";
const agents = [{ id: "coder", name: "Coder", role: "You code.", handles: ["task"] as const, default: true }];
const asks = say('{"status":"failed","open_questions":[{"id":"q1","text":"Which database?"}]}');
const done = say('{"status":"success","summary":"Built."}');

test("[TK15] tasks over HTTP, from created to closed; each change is sent live and in a replay", async () => {
  const { server, api } = await served({ coder: [asks, done] }, { agents });
  const client = await connect(server.url);
  await client.send({ type: "subscribe", project: "shop" });
  const { status, body: made } = await api("POST", `${P}/tasks`, { kind: "task", title: "Build", description: "The API.", msgId: "m1" });
  expect([status, made.title]).toEqual([201, "Build"]);
  expect((await api("POST", `${P}/tasks`, { kind: "task", title: "Build", description: "The API.", msgId: "m1" })).body.id).toBe(made.id);
  await client.next((one) => one.type === "task.updated" && one.task.status === "blocked");
  expect((await api("GET", `${P}/tasks/${made.id}`)).body).toMatchObject({
    status: "blocked",
    blockReason: "Open Question",
    assignee: null,
  });
  expect((await api("GET", `${P}/tasks/ready`)).body.tasks).toEqual([]);
  const { body: list } = await api("GET", `${P}/notifications?status=open`);
  const [notification] = list.notifications;
  expect(notification).toMatchObject({ kind: "question", source: "execute", sourceId: made.id, questions: [{ text: "Which database?" }] });
  const [question] = notification.questions;
  await api("PATCH", `${P}/notifications/${notification.id}`, { responses: [{ questionId: question.id, answer: "SQLite" }] });
  await client.next((one) => one.type === "task.updated" && one.task.status === "closed");
  const seen = client.packets.flatMap((one) => (one.type === "task.updated" ? [one.task.status] : []));
  expect(seen[0]).toBe("open");
  expect(seen.at(-1)).toBe("closed");
  expect(client.packets.findIndex((one) => one.type === "notification.resolved")).toBeLessThan(
    client.packets.findLastIndex((one) => one.type === "task.updated"),
  );
  const other = await connect(server.url);
  await other.send({ type: "subscribe", project: "shop", after: 0 });
  await other.next((one) => one.type === "task.updated" && one.task.status === "closed");
  expect((await api("GET", `${P}/tasks?status=closed&kind=task`)).body.tasks).toMatchObject([{ id: made.id, summary: "Built." }]);
  expect(await api("PATCH", `${P}/tasks/${made.id}`, { title: "x" })).toMatchObject({
    status: 409,
    body: { error: { code: "task_closed" } },
  });
  other.close();
  client.close();
});

test("[TK15] invalid input is refused with the reason", async () => {
  const { api } = await served({}, { agents });
  expect(await api("POST", `${P}/tasks`, { title: "x", kind: "chore", msgId: "m" })).toMatchObject({ status: 400 });
  expect(await api("POST", `${P}/tasks`, { title: "x" })).toMatchObject({ status: 400 });
  expect(await api("POST", `${P}/tasks`, { title: "x", kind: "feedback", dependsOn: ["nothing"], msgId: "m" })).toMatchObject({
    status: 404,
  });
  const { body: one } = await api("POST", `${P}/tasks`, { title: "One", kind: "feedback", msgId: "m1" });
  const { body: two } = await api("POST", `${P}/tasks`, { title: "Two", kind: "feedback", dependsOn: [one.id], msgId: "m2" });
  expect((await api("PATCH", `${P}/tasks/${one.id}`, { dependsOn: [two.id] })).body.error.code).toBe("circle");
  expect((await api("PATCH", `${P}/tasks/${one.id}`, { close: "not needed" })).body).toMatchObject({
    status: "closed",
    summary: "not needed",
  });
  expect((await api("GET", `${P}/tasks/ready`)).body.tasks).toMatchObject([{ id: two.id }]);
});

test("[D15] changing a task, dismissing a notice and revoking a grant each happen once per msgId", async () => {
  const { api, project } = await served({ coder: [call("record_decision", { title: "Queue", decision: "One." }), done] }, { agents });
  const { body: task } = await api("POST", `${P}/tasks`, { title: "Build", kind: "feedback", msgId: "m1" });
  const change = { title: "Build it", msgId: "m2" };
  const close = { close: "not needed", msgId: "m3" };
  for (const body of [change, close, change, close]) {
    expect(await api("PATCH", `${P}/tasks/${task.id}`, body)).toMatchObject({ status: 200, body: { title: "Build it" } });
  }
  expect(project.tasks.get(task.id).history.map(({ what }) => what)).toEqual(["created", "changed", "closed"]);
  const reused = { status: 409, body: { error: { code: "msg_id_reused" } } };
  expect(await api("PATCH", `${P}/tasks/${task.id}`, { title: "Other", msgId: "m2" })).toMatchObject(reused);
  expect(await api("DELETE", `${P}/grants/none`, { msgId: "m3" })).toMatchObject(reused);
  expect(await api("DELETE", `${P}/grants/none`, { msgId: "m4" })).toMatchObject({ status: 404 });
  const { rootId } = (await api("POST", `${P}/dialogs`, { content: "go", msgId: "m5" })).body;
  await project.dialogs.quiet(rootId);
  const [notice] = (await api("GET", `${P}/notifications?status=open&kind=notice`)).body.notifications;
  for (let nth = 0; nth < 2; nth++) {
    expect(await api("PATCH", `${P}/notifications/${notice.id}`, { dismissed: true, msgId: "m6" })).toMatchObject({
      status: 200,
      body: { notification: { status: "resolved" } },
    });
  }
});

test("[TK19] [TK20] a task's autonomy, order and questions over HTTP", async () => {
  const { api, project } = await served({ coder: [asks] }, { agents });
  const { body: first } = await api("POST", `${P}/tasks`, { kind: "feedback", title: "First", msgId: "m1" });
  const { body: made } = await api("POST", `${P}/tasks`, { title: "Build", msgId: "m2" });
  await api("PATCH", `${P}/tasks/${first.id}`, { close: "" });
  const order = async (query: string) =>
    ((await api("GET", `${P}/tasks${query}`)).body.tasks as { title: string }[]).map(({ title }) => title);
  expect(await order("")).toEqual(["First", "Build"]);
  expect(await order("?order=current")).toEqual(["Build", "First"]);
  expect(await order("?order=current&limit=1")).toEqual(["Build"]);
  expect(await api("GET", `${P}/tasks?order=odd`)).toMatchObject({ status: 400 });
  expect((await api("GET", `${P}/tasks/${made.id}/autonomy`)).body).toMatchObject({
    from: "project",
    isReadable: true,
    hilConfig: { scopeChanges: "notify_and_proceed" },
  });
  expect(await api("GET", `${P}/tasks/ffffff/autonomy`)).toMatchObject({ status: 404 });
  await project.tasks.run();
  const [dialog] = project.tasks.get(made.id).dialogs;
  expect((await api("GET", `${P}/questions?dialog=${dialog}`)).body.questions).toMatchObject([
    { headline: "Which database?", status: "open" },
  ]);
  expect((await api("GET", `${P}/questions?dialog=${dialog}&status=answered`)).body.questions).toEqual([]);
  expect(await api("GET", `${P}/questions?dialog=nothing`)).toMatchObject({ status: 404 });
});

test("[TK16] a notice is a notification that is sent, listed, dismissed and stored", async () => {
  const dir = mkdtempSync(join(tmpdir(), "shop-"));
  writeFileSync(join(dir, "colloquy.yaml"), "language: en\n");
  const shell = defineTool({ name: "run_command", description: "Runs.", input: z.strictObject({ command: z.string() }), run: () => "ok" });
  const { server, api, project } = await served(
    { lead: [call("run_command", { command: "npm i zod" }), say("done")] },
    { dir, agents: [{ id: "lead", name: "Lead", role: "x", tools: [shell], default: true }] },
  );
  const [{ id: pid }] = (await api("GET", "/projects")).body;
  const client = await connect(server.url);
  await client.send({ type: "subscribe", project: pid });
  await project.dialogs.create({ content: "go" });
  const added = await client.next((one) => one.type === "notification.added");
  const id = added.type === "notification.added" ? added.notification.id : "";
  expect(added).toMatchObject({
    notification: { kind: "notice", notice: { headline: "Run: npm i zod", class: "dependencyModifications" } },
  });
  const path = `/projects/${pid}/notifications`;
  expect((await api("GET", `${path}?status=open`)).body.notifications).toMatchObject([{ id, kind: "notice" }]);
  expect(await api("PATCH", `${path}/${id}`, { approved: true })).toMatchObject({ status: 400 });
  expect((await api("PATCH", `${path}/${id}`, { dismissed: true })).body).toMatchObject({ notification: { status: "resolved" } });
  await client.next((one) => one.type === "notification.resolved");
  expect((await api("GET", `${path}?status=open`)).body.notifications).toEqual([]);
  expect((await api("GET", `${path}?status=resolved`)).body.notifications).toMatchObject([{ id }]);
  expect((await api("GET", `${path}?kind=notice&limit=1`)).body.notifications).toMatchObject([{ id }]);
  expect((await api("GET", `${path}?kind=question`)).body.notifications).toEqual([]);
  client.close();
});
