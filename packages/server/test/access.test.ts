import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, say } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { SESSION_HEADER } from "@colloquy/schema";
import { tokenHash } from "../src/access/token-hash.ts";
import { api, connect, served, TOKEN } from "./support.ts";

const asking = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };
const P = "/projects/shop";
/** Cookies are named by the port, so a server that comes back must have the same. */
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

test("[SV40] without a token, or with a wrong one, nothing is read and nothing is done", async () => {
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

/** A browser at the door: what it was answered, and both halves of its session. */
async function signIn(url: string, token: string) {
  // A server of the same port may take its place: no connection is kept for it.
  const headers = { "content-type": "application/json", origin: url, connection: "close" };
  const response = await fetch(`${url}/api/session`, { method: "POST", headers, body: JSON.stringify({ token }) });
  const body = (await response.json()) as { page?: string; user?: string; error?: { code: string; message: string } };
  const setCookie = response.headers.get("set-cookie") ?? "";
  return { status: response.status, body, setCookie, cookie: setCookie.split(";")[0] ?? "", page: body.page ?? "" };
}
const linkToken = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get("token") ?? "";

test("[SV41] a link signs one browser in, once; its cookie and its page's half open nothing alone", async () => {
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

test("[SV41] no page of another site, or of another port, signs in or reads with a person's cookie", async () => {
  const { server } = await served(asking);
  const headers = { "content-type": "application/json", origin: "http://127.0.0.1:1" };
  const body = JSON.stringify({ token: linkToken(server.newLink()) });
  expect((await fetch(`${server.url}/api/session`, { method: "POST", headers, body })).status).toBe(403);
  expect((await fetch(`${server.url}/?token=${TOKEN}`, { redirect: "manual" })).headers.get("set-cookie")).toBeNull();
});

test("[SV49] sessions outlive the server, and end with sign-out and with their token", async () => {
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

test("[SV49] only the server's owner makes links and replaces its token", async () => {
  const dir = people({ otto: "owner" });
  const { server } = await served(asking, { dir });
  for (const path of ["links", "token"]) {
    expect((await fetch(`${server.url}/api/${path}`, { method: "POST", headers: as("otto") })).status).toBe(403);
    expect((await fetch(`${server.url}/api/${path}`, { method: "POST" })).status).toBe(401);
  }
  const own = await signIn(server.url, "token-of-otto");
  expect(own.body.user).toBe("otto");
});

test("[SV42] a page of another origin may open no socket and change nothing", async () => {
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
