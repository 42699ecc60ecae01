import { createHash, createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, say, world } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { SESSION_HEADER } from "@colloquy/schema";
import { Sessions } from "../src/access/sessions.ts";
import { newToken } from "../src/server-file.ts";
import { startServer } from "../src/server.ts";
import { tokenHash } from "../src/access/token-hash.ts";
import { api, connect, served, TOKEN } from "./support.ts";

const asking = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };
const P = "/projects/shop";
/** The cookie's name contains the port, so a restarted server must use the same one. */
const portToKeep = (): number => 20_000 + (process.pid % 10_000);

/** A folder with people in its settings; their tokens are their names. */
function people(users: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-server-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const lines = Object.entries(users).map(([name, role]) => `  ${name}: { role: ${role}, tokenHash: "${tokenHash(`token-of-${name}`)}" }`);
  writeFileSync(join(dir, "colloquy.yaml"), `users:\n${lines.join("\n")}\n`);
  return dir;
}
const as = (name: string) => ({ authorization: `Bearer token-of-${name}` });

test("[SV40] without a valid token nothing can be read or changed", async () => {
  const w = await served(asking);
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: TOKEN }, { cookie: "colloquy-1=x" }]) {
    for (const path of ["/projects", `${P}/dialogs`, `${P}/settings`])
      expect(await w.api("GET", path, undefined, headers)).toMatchObject({ status: 401, body: { error: { code: "unauthorized" } } });
    expect(await w.api("POST", `${P}/dialogs`, { content: "x", msgId: "1" }, headers)).toMatchObject({ status: 401 });
  }
  await expect(connect(w.server.url, { token: "wrong" })).rejects.toThrow("refused");
  await expect(connect(w.server.url, { token: "" })).rejects.toThrow("refused");
  expect(w.project.dialogs.count()).toBe(0);
});

/** A browser that tries to sign in: the response, and both halves of its session. */
async function signIn(url: string, token: string) {
  // Another server may take over the port, so no connection is reused.
  const headers = { "content-type": "application/json", origin: url, connection: "close" };
  const response = await fetch(`${url}/api/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
  const body = (await response.json()) as { page?: string; user?: string; error?: { code: string; message: string } };
  const setCookie = response.headers.get("set-cookie") ?? "";
  return { status: response.status, body, setCookie, cookie: setCookie.split(";")[0] ?? "", page: body.page ?? "" };
}
const linkToken = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get("token") ?? "";

test("[SV41] a link signs in one browser, once; neither half of its session gives access alone", async () => {
  const { server } = await served(asking);
  const token = linkToken(server.newLink());
  expect(token).not.toBe(TOKEN);
  const { status, setCookie, cookie, page, body } = await signIn(server.url, token);
  expect({ status, user: body.user }).toEqual({ status: 200, user: "owner" });
  expect(setCookie).toMatch(/HttpOnly; SameSite=Strict/);
  for (const secret of [token, TOKEN, page]) expect(setCookie).not.toContain(secret);

  const projects = (headers: Readonly<Record<string, string>>) => api(server.url)("GET", "/projects", undefined, headers);
  expect(await projects({ cookie, [SESSION_HEADER]: page })).toMatchObject({ status: 200 });
  for (const headers of [
    { cookie },
    { [SESSION_HEADER]: page },
    { cookie, [SESSION_HEADER]: "other" },
    { cookie: `${cookie}x`, [SESSION_HEADER]: page },
  ])
    expect(await projects(headers)).toMatchObject({ status: 401 });
  await connect(server.url, { token: `session.${page}`, headers: { cookie } });
  await expect(connect(server.url, { token: `session.${page}` })).rejects.toThrow("refused");
  await expect(connect(server.url, { token: "", headers: { cookie } })).rejects.toThrow("refused");

  expect(await signIn(server.url, token)).toMatchObject({
    status: 401,
    setCookie: "",
    body: { error: { code: "link_used", message: "This link has been used already. Get a new one: colloquy open" } },
  });
  expect(await signIn(server.url, "wrong")).toMatchObject({ status: 401, setCookie: "", body: { error: { code: "unauthorized" } } });
  expect(await signIn(server.url, linkToken(server.newLink()))).toMatchObject({ status: 200 });
});

test("[SV41] a cookie with the same name set by another port signs nobody out", async () => {
  const { server } = await served(asking);
  const { cookie, page } = await signIn(server.url, linkToken(server.newLink()));
  const [name] = cookie.split("=");
  const me = (cookies: string) => api(server.url)("GET", "/me", undefined, { cookie: cookies, [SESSION_HEADER]: page });
  for (const cookies of [`${name}=evil; ${cookie}`, `${name}; ${name}=; ${cookie}`, `${cookie}; ${name}=evil`])
    expect(await me(cookies)).toMatchObject({ status: 200, body: { user: "owner" } });
  expect(await me(`${name}=evil`)).toMatchObject({ status: 401 });
  const leave = { cookie: `${name}=evil; ${cookie}`, "content-type": "application/json", origin: server.url };
  await fetch(`${server.url}/api/session`, { method: "DELETE", headers: leave });
  expect(await me(cookie)).toMatchObject({ status: 401 });
});

test("[SV41] the response to a socket never repeats an offered secret", async () => {
  const { server } = await served(asking);
  const { cookie, page } = await signIn(server.url, linkToken(server.newLink()));
  for (const [protocols, answered] of [
    [`colloquy.${TOKEN}`, undefined],
    [`colloquy.${TOKEN}, colloquy`, "colloquy"],
    [`colloquy.session.${page}`, undefined],
  ] as const) {
    const headers = {
      cookie,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      "sec-websocket-protocol": protocols,
    };
    const upgraded = await new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
      const asked = request(`${server.url}/ws`, { headers });
      asked.on("upgrade", (response, socket) => {
        socket.destroy();
        resolve(response.headers);
      });
      asked.on("response", ({ statusCode }) => reject(new Error(`refused with ${statusCode}`)));
      asked.on("error", reject).end();
    });
    expect(upgraded["sec-websocket-protocol"]).toBe(answered);
  }
});

test("[SV41] pages of other sites or ports can neither sign in nor read with a person's cookie", async () => {
  const { server } = await served(asking);
  const headers = { "content-type": "application/json", origin: "http://127.0.0.1:1" };
  const body = JSON.stringify({ token: linkToken(server.newLink()) });
  expect((await fetch(`${server.url}/api/session`, { method: "POST", headers, body })).status).toBe(403);
  expect((await fetch(`${server.url}/?token=${TOKEN}`, { redirect: "manual" })).headers.get("set-cookie")).toBeNull();
});

test("[SV49] sessions survive a restart, and end with sign-out or with their token", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "colloquy-server-")), "sessions.json");
  onTestFinished(() => rmSync(join(file, ".."), { recursive: true, force: true }));
  let token = TOKEN;
  const rotateToken = () => (token = `${TOKEN}-${token.length}`);
  const options = { server: { sessionsFile: file, rotateToken, port: portToKeep() } };
  const first = await served(asking, options);
  const one = await signIn(first.server.url, TOKEN);
  const two = await signIn(first.server.url, linkToken(first.server.newLink()));
  expect(readFileSync(file, "utf8")).not.toMatch(new RegExp([TOKEN, one.page, one.cookie.split("=")[1]].join("|")));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await first.server.close();

  const { server } = await served(asking, options);
  const me = ({ cookie, page }: { cookie: string; page: string }) =>
    fetch(`${server.url}/api/me`, { headers: { cookie, [SESSION_HEADER]: page } }).then(({ status }) => status);
  expect(await me(one)).toBe(200);
  const owner = { authorization: `Bearer ${TOKEN}` };
  const sessions = await fetch(`${server.url}/api/sessions`, { headers: owner });
  expect(await sessions.json()).toMatchObject({ sessions: [{ user: "owner" }, { user: "owner" }] });
  const out = await fetch(`${server.url}/api/session`, { method: "DELETE", headers: { cookie: one.cookie } });
  expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
  expect([await me(one), await me(two)]).toEqual([401, 200]);

  const socket = await connect(server.url, { token: TOKEN });
  expect((await fetch(`${server.url}/api/token`, { method: "POST", headers: owner })).status).toBe(200);
  expect((await socket.closed).code).toBe(1012);
  expect(await me(two)).toBe(401);
  expect((await fetch(`${server.url}/api/me`, { headers: owner })).status).toBe(401);
  expect((await fetch(`${server.url}/api/me`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
});

test("[TR13] sessions not signed with the server's token are ignored", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "colloquy-server-")), "sessions.json");
  onTestFinished(() => rmSync(join(file, ".."), { recursive: true, force: true }));
  // colloquy.yaml, which everyone can read, contains the hash of a user's token.
  const dir = people({ otto: "owner" });
  const hash = (value: string) => createHash("sha256").update(value).digest("hex");
  const token = /sha256:\w{64}/.exec(readFileSync(join(dir, "colloquy.yaml"), "utf8"))?.[0] ?? "";
  const session = { cookie: hash("c"), page: hash("p"), token, since: "2026-01-01", lastUsed: "2026-01-01" };
  for (const more of [
    {},
    { seal: "" },
    {
      seal: createHmac("sha256", "")
        .update(JSON.stringify([session]))
        .digest("hex"),
    },
  ]) {
    writeFileSync(file, JSON.stringify({ sessions: [session], ...more }), { mode: 0o600 });
    const { server } = await served(asking, { dir, server: { sessionsFile: file } });
    const { cookie } = await signIn(server.url, "token-of-otto");
    const forged = { cookie: `${cookie.split("=")[0]}=c`, [SESSION_HEADER]: "p" };
    expect((await fetch(`${server.url}/api/me`, { headers: forged })).status).toBe(401);
    await server.close();
  }
});

/** Resolves when the server ends the stream. */
async function streamOf(url: string, headers: Readonly<Record<string, string>>): Promise<{ readonly ended: Promise<string> }> {
  const response = await fetch(url, { headers });
  expect(response.status).toBe(200);
  return { ended: response.text() };
}

test("[SV49] event streams and sockets end with their session, token or user", async () => {
  const dir = people({ anna: "viewer" });
  let token = TOKEN;
  const { server, api: ask, project } = await served(asking, { dir, server: { rotateToken: () => (token = `${TOKEN}-2`) } });
  const feed = `${server.url}/api/projects/${(await ask("GET", "/projects")).body[0].id}/stream`;
  const { rootId } = await project.dialogs.create({ content: "Hello" }).then(({ id }) => ({ rootId: id }));
  const owner = { authorization: `Bearer ${token}` };

  const { cookie, page } = await signIn(server.url, linkToken(server.newLink()));
  const browser = await streamOf(feed, { cookie, [SESSION_HEADER]: page });
  const socket = await connect(server.url, { token: `session.${page}`, headers: { cookie } });
  await socket.send({ type: "subscribe", dialog: { rootId } });
  await fetch(`${server.url}/api/session`, { method: "DELETE", headers: { cookie } });
  await browser.ended;
  expect((await socket.closed).code).toBe(4001);

  const removed = await streamOf(feed, as("anna"));
  const tree = await streamOf(`${feed.slice(0, -"/stream".length)}/dialogs/${rootId}/stream`, as("anna"));
  const program = await streamOf(feed, owner);
  writeFileSync(join(dir, "colloquy.yaml"), "language: en\n");
  await Promise.all([removed.ended, tree.ended]);

  expect((await fetch(`${server.url}/api/token`, { method: "POST", headers: owner })).status).toBe(200);
  await program.ended;
});

test("[SV49] a user removed from one project stops receiving its events, and only its events", async () => {
  const dirs = [people({ anna: "viewer" }), people({ anna: "viewer" })];
  const worlds = await Promise.all(dirs.map((dir) => world({ telling: asking, dir })));
  onTestFinished(async () => void (await Promise.all(worlds.map(({ project }) => project.close()))));
  const [left, kept] = worlds.map(({ project }) => project);
  const projects = [left, kept].flatMap((project) => project ?? []);
  const server = await startServer({ projects, token: TOKEN, port: 0, version: "test", report: () => undefined });
  onTestFinished(() => server.close());
  const socket = await connect(server.url, { token: "token-of-anna" });
  for (const project of server.projectIds) expect(await socket.send({ type: "subscribe", project })).toMatchObject({ type: "accepted" });
  writeFileSync(join(dirs[0] ?? "", "colloquy.yaml"), "language: en\n");
  const [gone = "", still = ""] = server.projectIds;
  while ((await socket.send({ type: "presence", project: gone })).type === "accepted");
  await left?.dialogs.create({ content: "A secret" });
  await kept?.dialogs.create({ content: "No secret" });
  const isAbout = (id: string) => (packet: { readonly type: string; readonly projectId?: unknown }) => packet.projectId === id;
  await socket.next((packet) => isAbout(still)(packet as never));
  expect(socket.packets.filter((packet) => isAbout(gone)(packet as never))).toEqual([]);
});

test("[SV49] repeated sign-ins end only sessions of the same token", () => {
  const sessions = new Sessions();
  const [owner, first] = [sessions.begin("owner"), sessions.begin("viewer")];
  for (let nth = 0; nth < 600; nth += 1) sessions.begin("viewer");
  expect([sessions.has(owner.cookie), sessions.has(first.cookie)]).toEqual([true, false]);
  expect(sessions.all()).toHaveLength(51);
});

test("[SV49] only the server's owner can make links and replace its token", async () => {
  const dir = people({ otto: "owner" });
  const { server } = await served(asking, { dir });
  for (const path of ["links", "token"]) {
    expect((await fetch(`${server.url}/api/${path}`, { method: "POST", headers: as("otto") })).status).toBe(403);
    expect((await fetch(`${server.url}/api/${path}`, { method: "POST" })).status).toBe(401);
  }
  const own = await signIn(server.url, "token-of-otto");
  expect(own.body.user).toBe("otto");
});

test("[SV42] a page of another origin can neither open a socket nor change anything", async () => {
  const w = await served(asking);
  const origin = "http://evil.example";
  expect(await w.api("POST", `${P}/dialogs`, { content: "x", msgId: "1" }, { authorization: `Bearer ${TOKEN}`, origin })).toMatchObject({
    status: 403,
    body: { error: { code: "wrong_origin" } },
  });
  await expect(connect(w.server.url, { headers: { origin } })).rejects.toThrow("refused");
  await connect(w.server.url, { headers: { origin: w.server.url } });
  expect(w.project.dialogs.count()).toBe(0);
});

test("[SV44] a token keeps its name in each project, even if another project names it differently", async () => {
  const [shop, mine] = [people({ boss: "member" }), people({ anna: "member" })];
  const other = readFileSync(join(shop, "colloquy.yaml"), "utf8").replace(/sha256:\w+/, tokenHash("token-of-anna"));
  writeFileSync(join(shop, "colloquy.yaml"), other);
  const first = await world({ telling: {}, dir: shop });
  onTestFinished(() => first.project.close());
  const second = await world({ telling: asking, dir: mine });
  const { project } = second;
  onTestFinished(() => project.close());
  const server = await startServer({ projects: [first.project, project], token: TOKEN, port: 0, version: "test", report: () => undefined });
  onTestFinished(() => server.close());
  const [, own] = (await api(server.url)("GET", "/projects")).body;
  const made = await api(server.url)("POST", `/projects/${own.id}/dialogs`, { content: "Hello", msgId: "1" }, as("anna"));
  await project.dialogs.quiet(made.body.rootId);
  const socket = await connect(server.url, { token: "token-of-anna" });
  await socket.send({ type: "drive_dlg_by_user_msg", project: own.id, dialog: { rootId: made.body.rootId }, content: "x", msgId: "2" });
  const events = await second.events(made.body.rootId);
  const said = events.flatMap((event) => (event.type === "message.added" ? [event.by] : []));
  expect(said).toEqual(["anna", "anna"]);
});

test("[SV43] [SV44] a viewer reads, a member acts, an owner does the rest; the token says who it was", async () => {
  const dir = people({ vera: "viewer", mia: "member", otto: "owner" });
  const { api: ask, project, server } = await served(asking, { dir });
  const id = (await ask("GET", "/projects")).body[0].id;
  const P = `/projects/${id}`;
  const { body: made } = await ask("POST", `${P}/dialogs`, { content: "Decide", msgId: "1" }, as("mia"));
  await project.dialogs.quiet(made.rootId);
  const [question] = await project.questions.list();
  const Q = `${P}/questions/${question?.id}`;
  const D = `${P}/dialogs/${made.rootId}`;
  expect(await ask("GET", D, undefined, as("vera"))).toMatchObject({ status: 200 });
  for (const [path, body] of [
    [`${Q}/answer`, { choice: 0, msgId: "2" }],
    [`${D}/messages`, { content: "x", msgId: "3" }],
    [`${D}/stop`, {}],
    [`${P}/dialogs`, { content: "x", msgId: "4" }],
  ] as const)
    expect(await ask("POST", path, body, as("vera"))).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  const viewer = await connect(server.url, { token: "token-of-vera" });
  const packet = {
    type: "drive_dialog_by_user_answer",
    questionId: question?.id ?? "",
    continuationType: "answer",
    choice: 0,
    msgId: "5",
  } as const;
  expect(await viewer.send(packet)).toMatchObject({ type: "refused", code: "forbidden" });
  expect(await viewer.send({ type: "subscribe", dialog: { rootId: made.rootId } })).toMatchObject({ type: "accepted" });
  for (const verb of ["archive", "dead"]) expect(await ask("POST", `${D}/${verb}`, {}, as("mia"))).toMatchObject({ status: 403 });
  expect(await ask("POST", `${Q}/approve`, { scope: "project", shown: "x", msgId: "6" }, as("mia"))).toMatchObject({ status: 403 });
  expect(await ask("POST", `${Q}/answer`, { choice: 0, by: "otto", msgId: "7" }, as("mia"))).toMatchObject({ status: 400 });
  expect(await ask("POST", `${Q}/answer`, { choice: 0, msgId: "8" }, as("mia"))).toMatchObject({ status: 200 });
  expect((await ask("GET", Q)).body.answer).toMatchObject({ by: "mia" });
  expect(await ask("POST", `${D}/archive`, {}, as("otto"))).toMatchObject({ status: 200 });
  expect((await ask("GET", `${P}/settings`)).body.users).toContainEqual({ name: "vera", role: "viewer" });
});

test("[K101] a token never begins with a dash", () => {
  const tokens = Array.from({ length: 2_000 }, newToken);
  expect(tokens.filter((token) => token.startsWith("-"))).toEqual([]);
  expect(new Set(tokens).size).toBe(tokens.length);
});
