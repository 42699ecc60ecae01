import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { call, say } from "@colloquy/testing/internals";
import { defineAgent } from "@colloquy/library";
import { ask } from "@colloquy/testing";
import { expect, test } from "vitest";
import { served, TOKEN } from "./support.ts";

const P = "/projects/shop";
const asking = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };
const create = { content: "Decide", msgId: "m1" };

test("[SV1] every route's response matches its schema", async () => {
  const { api, project } = await served(asking);
  expect(await api("GET", "/health", undefined, {})).toMatchObject({ status: 200, body: { status: "ok" } });
  expect(await api("GET", "/me")).toMatchObject({ body: { user: "owner", role: "owner" } });
  const { body: made } = await api("POST", `${P}/dialogs`, create);
  await project.dialogs.quiet(made.rootId);
  expect((await api("GET", "/projects")).body).toEqual([{ id: "shop", name: "shop", questions: 1, running: 0 }]);
  const D = `${P}/dialogs/${made.rootId}`;
  expect((await api("GET", D)).body).toMatchObject({
    agentId: "lead",
    state: "asking",
    phase: "chat",
    currentCourse: 1,
    generating: false,
  });
  expect((await api("GET", `${D}/tree`)).body).toMatchObject({ selfId: made.rootId, waitsFor: ["person"], children: [] });
  expect((await api("GET", `${D}/events`)).body.events).toHaveLength(4);
  expect((await api("GET", `${P}/dialogs?status=running`)).body.dialogs).toMatchObject([{ rootId: made.rootId, state: "asking" }]);
  const { body: list } = await api("GET", `${P}/questions?status=open`);
  const [{ id, shown }] = list.questions;
  const Q = `${P}/questions/${id}`;
  expect((await api("GET", Q)).body).toMatchObject({ headline: "Which one?", status: "open" });
  expect((await api("GET", `${P}/notifications?status=open`)).body.notifications).toMatchObject([{ kind: "question", status: "open" }]);
  expect(await api("POST", `${D}/messages`, { content: "Hurry", msgId: "m2" })).toMatchObject({ status: 202, body: { seq: 5 } });
  expect(await api("POST", `${Q}/answer`, { choice: "A", shown, msgId: "m3" })).toMatchObject({ status: 200 });
  await project.dialogs.quiet(made.rootId);
  expect((await api("GET", `${P}/questions`)).body.questions).toMatchObject([
    { status: "answered", answer: { by: "owner", choice: ["A"] } },
  ]);
  expect((await api("PATCH", D, { title: "Chosen", msgId: "m4" })).status).toBe(200);
  expect((await api("POST", `${D}/reminders`, { content: "Be kind" })).status).toBe(200);
  expect((await api("GET", `${D}/reminders`)).body.reminders).toMatchObject([{ content: "Be kind" }]);
  expect((await api("PATCH", `${D}/reminders/1`, { content: "Be brief" })).status).toBe(200);
  expect((await api("DELETE", `${D}/reminders/1`)).status).toBe(200);
  expect((await api("POST", `${D}/change-mind`, { selector: "goals", content: "Win." })).status).toBe(200);
  expect((await api("GET", `${D}/taskdoc`)).body.sections).toMatchObject({ goals: { text: "Win." } });
  expect((await api("GET", `${P}/search?q=decide`)).status).toBe(200);
  expect((await api("GET", `/locate?id=${made.rootId.slice(-6)}`)).body).toMatchObject({ page: `/d/${made.rootId}` });
  for (const path of ["grants", "settings", "memory", "usage", "usage?by=day"]) expect((await api("GET", `${P}/${path}`)).status).toBe(200);
  for (const verb of ["stop", "resume", "clear-mind", "done", "archive"]) expect((await api("POST", `${D}/${verb}`, {})).status).toBe(200);
});

test("[SV10] a message's image is served unchanged with its own type; no other blob is served", async () => {
  const { api, project, server } = await served({ lead: [say("A cat.")] });
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const { body: made } = await api("POST", `${P}/dialogs`, { content: "Look", images: [png.toString("base64")], msgId: "m1" });
  await project.dialogs.quiet(made.rootId);
  const { body } = await api("GET", `${P}/dialogs/${made.rootId}/events`);
  const image = body.events.find(({ event }: { event: { type: string } }) => event.type === "message.added").event.images[0];
  const get = (name: string, headers = { authorization: `Bearer ${TOKEN}` }) =>
    fetch(`${server.url}/api${P}/dialogs/${made.rootId}/images/${name}`, { headers });
  const answer = await get(image.name);
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(png);
  expect(answer.headers.get("content-type")).toBe("image/png");
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect((await get(image.name, {} as never)).status).toBe(401);
  for (const name of ["none.png", "..%2f..%2fcolloquy.yaml", "%00"]) expect((await get(name)).status).toBe(404);
});

test("[J53] files are found by part of their name, except hidden and ignored ones", async () => {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-files-"));
  for (const path of ["src/orders.ts", "src/order-form.ts", "dist/orders.js", ".env", "tasks/orders.tsk/goals.md"]) {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), "");
  }
  writeFileSync(join(dir, ".gitignore"), "dist/\n");
  const { api } = await served({ lead: [] }, { dir });
  const P = `/projects/${basename(dir)}`;
  expect((await api("GET", `${P}/files?q=orders.t`)).body).toEqual({ files: ["src/orders.ts"] });
  expect((await api("GET", `${P}/files?q=ordts`)).body).toEqual({ files: ["src/orders.ts", "src/order-form.ts"] });
  expect((await api("GET", `${P}/files?q=env`)).body).toEqual({ files: [] });
});

test("[SV2] unknown fields are refused by name and change nothing", async () => {
  const { api, project } = await served(asking);
  const wrong = [
    [{ ...create, colour: "red" }, /colour/],
    [{ content: 7, msgId: "m" }, /content/],
    [{ content: "x" }, /msgId/],
    ["{", /not JSON/],
    ["[]", /object/],
  ] as const;
  for (const [body, message] of wrong) {
    expect(await api("POST", `${P}/dialogs`, body)).toMatchObject({
      status: 400,
      body: { error: { code: "bad_request", message: expect.stringMatching(message) } },
    });
  }
  expect(await api("GET", `${P}/dialogs?colour=red`)).toMatchObject({ status: 400, body: { error: { message: /colour/ } } });
  expect(await api("GET", `${P}/dialogs?status=lost`)).toMatchObject({ status: 400 });
  expect(project.dialogs.count()).toBe(0);
});

test("[SV3] unknown ids are not_found", async () => {
  const { api } = await served(asking);
  const id = "0".repeat(32);
  for (const [path, code] of [
    ["/projects/none/dialogs", "not_found"],
    [`${P}/dialogs/${id}`, "not_found"],
    [`${P}/dialogs/nonsense`, "not_found"],
    [`${P}/questions/${id}`, "question_not_found"],
    [`${P}/tasks/${id}`, "not_found"],
    ["/nothing", "not_found"],
  ]) {
    expect(await api("GET", String(path))).toMatchObject({ status: 404, body: { error: { code } } });
  }
  expect(await api("POST", `${P}/questions/${id}/answer`, { choice: 0, msgId: "a" })).toMatchObject({ status: 404 });
  expect(await api("POST", `${P}/dialogs`, { content: "x", msgId: "b", agentId: "nobody" })).toMatchObject({
    status: 404,
    body: { error: { code: "unknown_agent" } },
  });
  expect(await api("PATCH", `${P}/questions`, {})).toMatchObject({ status: 405, body: { error: { code: "method_not_allowed" } } });
});

test("[SV4] [SV5] a second answer is refused and shows the first; a repeated one gets the same receipt", async () => {
  const { api, project } = await served(asking);
  const { body: made } = await api("POST", `${P}/dialogs`, create);
  expect((await api("POST", `${P}/dialogs`, create)).body).toEqual(made);
  await project.dialogs.quiet(made.rootId);
  const [question] = await project.questions.list();
  const path = `${P}/questions/${question?.id}/answer`;
  const first = await api("POST", path, { choice: 1, msgId: "m2" });
  expect(await api("POST", path, { choice: 1, msgId: "m2" })).toEqual(first);
  expect(await api("POST", path, { choice: 0, msgId: "m3" })).toMatchObject({
    status: 409,
    body: { error: { code: "question_not_open", question: { status: "answered", answer: { choice: ["B"] } } } },
  });
});

test("[SV6] pages of events have no gap or overlap, forward and backward", async () => {
  const { api, project } = await served({ lead: () => say("Yes.") });
  const { body: made } = await api("POST", `${P}/dialogs`, create);
  for (let nth = 0; nth < 5; nth++) {
    await api("POST", `${P}/dialogs/${made.rootId}/messages`, { content: `m ${nth}`, msgId: `n${nth}` });
    await project.dialogs.quiet(made.rootId);
  }
  const path = `${P}/dialogs/${made.rootId}/events`;
  const { events: all } = (await api("GET", `${path}?limit=99999`)).body;
  const pages = async (from: string, key: "after" | "before") => {
    const found: { seq: number }[][] = [];
    for (let cursor: string | undefined = from; cursor !== undefined;) {
      const { body }: { body: { events: { seq: number }[]; next?: string } } = await api("GET", `${path}?${key}=${cursor}&limit=3`);
      found.push(body.events);
      cursor = body.next;
    }
    return found;
  };
  expect((await pages("0", "after")).flat()).toEqual(all);
  expect((await pages(String(all.length + 1), "before")).toReversed().flat()).toEqual(all);
});

test("[SV7] each question of a notification has its own outcome", async () => {
  const ask = (headline: string) => ({ tool: "askHuman", input: { tellaskContent: headline, options: ["A", "B"] } });
  const { api, project } = await served({ lead: [{ calls: [ask("One?"), ask("Two?")] }, say("Good.")] });
  const { body: made } = await api("POST", `${P}/dialogs`, create);
  await project.dialogs.quiet(made.rootId);
  const [notification] = (await api("GET", `${P}/notifications?status=open`)).body.notifications;
  expect(notification.questions).toHaveLength(2);
  const [one, two] = notification.questions;
  const patch = (body: unknown) => api("PATCH", `${P}/notifications/${notification.id}`, body);
  const some = await patch({
    responses: [
      { questionId: one.id, answer: { choice: 0 } },
      { questionId: two.id, answer: { choice: 7 } },
      { questionId: "f".repeat(32), answer: "?" },
    ],
  });
  expect(some.body).toMatchObject({
    outcomes: [{ seq: expect.any(Number) }, { error: { code: "bad_choice" } }, { error: { code: "question_not_found" } }],
    notification: { status: "open" },
  });
  expect((await patch({ dismissed: true })).body).toMatchObject({
    outcomes: [{ questionId: two.id }],
    notification: { status: "resolved" },
  });
});

test("[SV8] completed dialogs are counted, main and side", async () => {
  const { api, project, server } = await served(
    { lead: [ask("coder", "Write it."), say("Done.")], coder: [say("Written.")] },
    { agents: [defineAgent({ id: "lead", role: "You lead.", default: true }), defineAgent({ id: "coder", role: "You write." })] },
  );
  const { body: made } = await api("POST", `${P}/dialogs`, create);
  await project.dialogs.quiet(made.rootId);
  const completed = async () => {
    const text = await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
    return /^colloquy_dialogs_completed_total\S* (\d+)$/m.exec(text)?.[1];
  };
  expect(await completed()).toBe("1");
  await api("POST", `${P}/dialogs/${made.rootId}/done`, {});
  expect(await completed()).toBe("2");
});

test("[SV8] the figures are there for Prometheus, with a token", async () => {
  const { api, project, server } = await served(asking);
  const { body: made } = await api("POST", `${P}/dialogs`, create);
  await project.dialogs.quiet(made.rootId);
  expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
  const text = await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
  for (const line of [
    'colloquy_trees{project="shop",status="running"} 1',
    'colloquy_trees_asking{project="shop"} 1',
    'colloquy_questions_open{project="shop"} 1',
    'colloquy_dialogs_created_total{project="shop"} 1',
    'colloquy_model_calls_total{project="shop"} 1',
    'colloquy_input_tokens_total{project="shop"} 100',
    'colloquy_commits_total{project="shop"} 2',
    "colloquy_sockets 0",
  ])
    expect(text.split("\n")).toContain(line);
  for (const line of text.trimEnd().split("\n")) expect(line).toMatch(/^(# (HELP|TYPE) |colloquy_\w+(\{[^}]*\})? [\d.e+-]+$)/);
});
