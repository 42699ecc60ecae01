import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, say } from "@colloquy/testkit";
import { expect, onTestFinished, test } from "vitest";
import { tokenHash } from "../src/access.ts";
import { api, connect, served, TOKEN } from "./support.ts";

const asking = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };
const P = "/projects/shop";

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
  expect(w.project.count()).toBe(0);
});

test("[SV41] the link's token becomes a cookie and leaves the address", async () => {
  const { server } = await served(asking);
  const response = await fetch(`${server.url}/?token=${TOKEN}&x=1`, { redirect: "manual" });
  expect(response.status).toBe(303);
  expect(response.headers.get("location")).toBe("/?x=1");
  const cookie = response.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
  expect(await api(server.url)("GET", "/projects", undefined, { cookie: cookie.split(";")[0] ?? "" })).toMatchObject({ status: 200 });
  const wrong = await fetch(`${server.url}/?token=wrong`, { redirect: "manual" });
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get("set-cookie")).toBeNull();
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
  expect(w.project.count()).toBe(0);
});

test("[SV43] [SV44] a viewer reads, a member acts, an owner does the rest; the token says who it was", async () => {
  const dir = people({ vera: "viewer", mia: "member", otto: "owner" });
  const { api: ask, project, server } = await served(asking, { dir });
  const id = (await ask("GET", "/projects")).body[0].id;
  const P = `/projects/${id}`;
  const { body: made } = await ask("POST", `${P}/dialogs`, { content: "Decide", msgId: "1" }, as("mia"));
  await project.quiet(made.rootId);
  const [question] = await project.questions();
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
