import { call, say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { Access } from "../src/access/access.ts";
import { Allowance } from "../src/access/allowance.ts";
import { problemResponse } from "../src/api/handler.ts";
import type { Refused } from "@colloquy/schema";
import { api, served, TOKEN } from "./support.ts";

const P = "/projects/shop";
const asking = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };

test("[SV45] many wrong tokens from one address get a 429 with a time to wait; right ones still work", async () => {
  let now = 0;
  const access = new Access(
    TOKEN,
    () => "cookie",
    () => [],
    { now: () => now },
  );
  const tried = (token: string, address: string) =>
    access.callerOf({ authorization: `Bearer ${token}`, cookie: undefined, protocol: undefined, session: undefined }, address).then(
      () => "in",
      (problem: Refused) => problem,
    );
  for (let nth = 0; nth < 20; nth++) expect(await tried("wrong", "10.0.0.1")).toMatchObject({ code: "unauthorized" });
  const problem = await tried("wrong", "10.0.0.1");
  expect(problem).toMatchObject({ code: "rate_limited" });
  const response = problemResponse(problem as Refused);
  expect(response.status).toBe(429);
  expect(response.headers.get("retry-after")).toBe("1");
  expect(await tried(TOKEN, "10.0.0.1")).toBe("in");
  expect(await tried("wrong", "10.0.0.2")).toMatchObject({ code: "unauthorized" });
  now += 1_000;
  expect(await tried("wrong", "10.0.0.1")).toMatchObject({ code: "unauthorized" });
  expect(await tried("wrong", "10.0.0.1")).toMatchObject({ code: "rate_limited" });
});

test("[SV46] a person who sends more than ten thousand requests a second has to wait", () => {
  let now = 0;
  const allowance = new Allowance(10_000, 20_000, () => now);
  const granted = () => {
    let count = 0;
    while (allowance.take() === 0) count++;
    return count;
  };
  expect(granted()).toBe(20_000);
  expect(allowance.take()).toBeCloseTo(0.1);
  now += 1_000;
  expect(granted()).toBe(10_000);
});

test("[SV47] a body that is too large is read to its end and refused; the connection stays open", async () => {
  const { server, project } = await served(asking);
  const ask = api(server.url);
  const huge = JSON.stringify({ content: "x".repeat(5 * 1024 * 1024), msgId: "1" });
  expect(await ask("POST", `${P}/dialogs`, huge)).toMatchObject({ status: 413, body: { error: { code: "too_large" } } });
  expect(await ask("GET", "/projects")).toMatchObject({ status: 200 });
  expect(project.dialogs.count()).toBe(0);
});

test("[SV48] every response's headers forbid framing and foreign scripts and styles", async () => {
  const { server } = await served(asking);
  for (const path of ["/", "/api/health", "/api/projects", "/nothing.js", "/d/x"]) {
    const { headers } = await fetch(`${server.url}${path}`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
});

test("[SV29] server-sent events resume after Last-Event-ID, in whole commits", async () => {
  const { server, project } = await served(asking);
  const ask = api(server.url);
  const { body: made } = await ask("POST", `${P}/dialogs`, { content: "Decide", msgId: "1" });
  await project.dialogs.quiet(made.rootId);
  const read = async (headers: Readonly<Record<string, string>>, query: string, until: number) => {
    const stop = new AbortController();
    const response = await fetch(`${server.url}/api${P}/dialogs/${made.rootId}/stream${query}`, {
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      signal: stop.signal,
    });
    let text = "";
    for await (const part of response.body ?? []) {
      text += Buffer.from(part).toString();
      if (text.includes(`id: ${until}\n`)) break;
    }
    stop.abort();
    return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => (JSON.parse(data ?? "") as { seq: number }).seq);
  };
  expect(await read({}, "?after=0", 4)).toEqual([1, 2, 3, 4]);
  expect(await read({ "last-event-id": "2" }, "?after=0", 4)).toEqual([3, 4]);
  expect(await ask("GET", `${P}/dialogs/${made.rootId}/stream?after=99`)).toMatchObject({ status: 400 });
  const live = read({ "last-event-id": "4" }, "", 6);
  const [question] = await project.questions.list();
  await ask("POST", `${P}/questions/${question?.id}/answer`, { choice: 0, msgId: "2" });
  expect(await live).toEqual(expect.arrayContaining([5, 6]));
});

test("[SV30] project-wide events come as server-sent events and can be resumed", async () => {
  const { server, project } = await served(asking);
  const ask = api(server.url);
  const read = async (from: string | undefined, until: string) => {
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${TOKEN}`, ...(from !== undefined && { "last-event-id": from }) };
    const response = await fetch(`${server.url}/api${P}/stream${from === undefined ? "?after=0" : ""}`, { headers, signal: stop.signal });
    let text = "";
    for await (const part of response.body ?? []) {
      text += Buffer.from(part).toString();
      if (text.includes(until)) break;
    }
    stop.abort();
    return { types: text.match(/(?<=^event: ).*/gm) ?? [], ids: text.match(/(?<=^id: ).*/gm) ?? [] };
  };
  const { body: made } = await ask("POST", `${P}/dialogs`, { content: "Decide", msgId: "1" });
  await project.dialogs.quiet(made.rootId);
  const first = await read(undefined, "notification.added");
  expect(first.types).toEqual(expect.arrayContaining(["dialog.updated", "questions_count_update", "notification.added"]));
  const again = read(first.ids.at(-1) ?? "", "notification.resolved");
  const [question] = await project.questions.list();
  await ask("POST", `${P}/questions/${question?.id}/answer`, { choice: 0, msgId: "2" });
  expect((await again).types.filter((type) => type === "notification.added")).toHaveLength(1);
  expect(await ask("GET", `${P}/stream?after=9999`)).toMatchObject({ status: 400 });
});
