import { mkdtempSync } from "node:fs";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { serve } from "@hono/node-server";
import fastify from "fastify";
import { Hono } from "hono";
import { afterEach, expect, test } from "vitest";
import { askPerson, say } from "@colloquy/testing";
import { toldModel } from "@colloquy/testing/internals";
import { defineAgent, type EmbeddedProject, type EmbedOptions, handlers, nodeHandler, openProject } from "../src/index.ts";

const lead = defineAgent({ id: "lead", role: "You lead.", default: true });
const opened: EmbeddedProject[] = [];
afterEach(async () => {
  for (const project of opened.splice(0)) await project.close();
});

async function shop(over: Partial<EmbedOptions> = {}): Promise<EmbeddedProject> {
  const model = toldModel({
    lead: ({ messages }) => (messages.length === 1 ? askPerson("Which?", { options: ["red", "blue"] }) : say("Painted.")),
  });
  const dir = join(mkdtempSync(join(tmpdir(), "colloquy-embed-")));
  const project = await openProject({ dir, agents: [lead], model: model.name, findModel: () => model, ...over });
  opened.push(project);
  return project;
}

/** Trusts a header, which a real program would not. */
const authenticate: EmbedOptions["authenticate"] = (request) => {
  const [user, role] = (request.headers.get("x-user") ?? "").split(":");
  return user && role ? { user, role: role as "viewer" } : undefined;
};

type Fetch = (request: Request) => Promise<Response> | Response;

function client(fetch: Fetch, base: string, as = "anna:member") {
  const ask = async (method: string, path: string, body?: object) => {
    const request = new Request(`http://shop.example${base}${path}`, {
      method,
      headers: { "x-user": as, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const response = await fetch(request);
    return { status: response.status, body: (await response.json()) as never };
  };
  return { get: (path: string) => ask("GET", path), post: (path: string, body: object) => ask("POST", path, body) };
}

/** The story over HTTP: a dialog, its question, the answer, the end. */
async function story(fetch: Fetch, base: string, project: EmbeddedProject): Promise<void> {
  const { get, post } = client(fetch, base);
  const projects: { id: string }[] = (await get("/projects")).body;
  const at = `/projects/${projects[0]?.id}`;
  const made = await post(`${at}/dialogs`, { content: "Paint it", msgId: "1" });
  expect(made.status).toBe(201);
  const { rootId }: { rootId: never } = made.body;
  await project.dialogs.quiet(rootId);
  const { questions }: { questions: { id: string; shown: string }[] } = (await get(`${at}/questions?status=open`)).body;
  const viewer = await client(fetch, base, "otto:viewer").post(`${at}/questions/${questions[0]?.id}/answer`, { choice: 0, msgId: "2" });
  expect(viewer).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
  expect((await post(`${at}/questions/${questions[0]?.id}/answer`, { choice: 1, msgId: "3" })).status).toBe(200);
  expect(await project.dialogs.result(rootId)).toBe("Painted.");
  expect(await project.questions.get(questions[0]?.id as never)).toMatchObject({ answer: { by: "anna", choice: ["blue"] } });
}

test("[LB9] without authenticate every request is refused; strangers are refused; an invalid role is an error and gives no access", async () => {
  const closed = await shop();
  expect(await client(closed.fetch, "/api").get("/projects")).toMatchObject({
    status: 401,
    body: { error: { code: "unauthorized", message: expect.stringContaining("authenticate") } },
  });
  const project = await shop({ authenticate });
  expect((await client(project.fetch, "/api", "").get("/projects")).status).toBe(401);
  expect((await client(project.fetch, "/api", "eve:king").get("/projects")).status).toBe(500);
  expect((await client(project.fetch, "/elsewhere").get("/projects")).status).toBe(404);
});

test("[SV55] a page of another site changes nothing, even if the browser sends a cookie; every response has security headers", async () => {
  const project = await shop({ authenticate, origins: ["https://app.example"] });
  const ask = (headers: Readonly<Record<string, string>>, method = "POST") =>
    project.fetch(
      new Request("http://shop.example/api/projects/x/dialogs", {
        method,
        headers: { "x-user": "anna:owner", host: "shop.example", ...headers },
        ...(method === "POST" && { body: '{"content":"Paint it","msgId":"1"}' }),
      }),
    );
  const json = { "content-type": "application/json" };
  const codeOf = async (response: Response) => ((await response.json()) as { error?: { code: string } }).error?.code;
  // An allowed request gets as far as a not_found.
  expect(await codeOf(await ask(json))).toBe("not_found");
  expect(await codeOf(await ask({ ...json, origin: "http://shop.example" }))).toBe("not_found");
  expect(await codeOf(await ask({ ...json, origin: "https://app.example" }))).toBe("not_found");
  expect(await codeOf(await ask({ "content-type": "application/json; charset=utf-8" }))).toBe("not_found");
  for (const origin of [
    "http://evil.example",
    "http://shop.example:81",
    "http://shop.example.evil.example",
    "null",
    "https://app.example.evil",
  ])
    expect(await codeOf(await ask({ ...json, origin }))).toBe("wrong_origin");
  expect(await codeOf(await ask({ ...json, "sec-fetch-site": "cross-site" }))).toBe("wrong_origin");
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain; application/json",
    "",
  ])
    expect(await codeOf(await ask({ "content-type": type, "content-length": "34" }))).toBe("bad_request");
  expect(project.dialogs.count()).toBe(0);
  for (const response of [
    await ask(json),
    await ask({ origin: "http://evil.example" }),
    await ask({}, "GET"),
    await ask({ "x-user": "" }),
  ]) {
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  }
});

test("[LB9] the whole story through the function alone, under a base path", async () => {
  const project = await shop({ authenticate, basePath: "/team/api/" });
  await story(project.fetch, "/team/api", project);
});

test("[LB10] a handler per method, as for Next.js, works while the project is being opened", async () => {
  const opening = shop({ authenticate, basePath: "/api/colloquy" });
  const { GET, POST } = handlers(opening);
  await story((request) => (request.method === "GET" ? GET(request) : POST(request)), "/api/colloquy", await opening);
});

test("[LB10] mounted in Hono on a real socket, with live events", async () => {
  const project = await shop({ authenticate });
  const app = new Hono().mount("/colloquy", project.fetch);
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  try {
    await new Promise<void>((up) => server.once("listening", up));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/colloquy`;
    await story((request) => fetch(request.url.replace("http://shop.example", url), request), "/api", project);
    const headers = { "x-user": "anna:member", "last-event-id": "2" };
    const [entry] = project.dialogs.list();
    const projects = (await (await fetch(`${url}/api/projects`, { headers })).json()) as { id: string }[];
    const stream = await fetch(`${url}/api/projects/${projects[0]?.id}/dialogs/${entry?.rootId}/stream`, { headers });
    expect(stream.headers.get("content-type")).toContain("text/event-stream");
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("Painted.")) text += (await reader?.read())?.value ?? "";
    await reader?.cancel();
    // An id ends each commit, so that a returning reader gets whole commits.
    expect(text.match(/(?<=^id: )\d+/gm)).toEqual(["4", "5", "6"]);
    expect(text.match(/(?<="seq":)\d+/g)).toEqual(["3", "4", "5", "6"]);
  } finally {
    server.close();
  }
});

test("[LB16] opened again, it has the same function, and the last authenticate counts", async () => {
  const project = await shop({ authenticate });
  const { fetch } = project;
  expect((await client(fetch, "/api").get("/projects")).status).toBe(200);
  const again = await openProject({ dir: project.dir, authenticate: () => undefined });
  expect(again).toBe(project);
  expect(again.fetch).toBe(fetch);
  expect((await client(fetch, "/api").get("/projects")).status).toBe(401);
});

test("[LB10] mounted in Fastify on a real socket, as docs/EMBEDDING.md has it", async () => {
  const project = await shop({ authenticate });
  const app = fastify();
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, body, done) => done(null, body));
    scope.all("/colloquy/*", async (request, reply) => {
      const { method, headers, body } = request;
      const url = `http://${request.host}${request.url.replace("/colloquy", "")}`;
      const sent = body ? { body: Readable.toWeb(body as Readable), duplex: "half" } : {};
      return reply.send(await project.fetch(new Request(url, { method, headers, ...sent } as RequestInit)));
    });
  });
  try {
    const url = `${await app.listen({ port: 0, host: "127.0.0.1" })}/colloquy`;
    await story((request) => fetch(request.url.replace("http://shop.example", url), request), "/api", project);
    const [entry] = project.dialogs.list();
    const headers = { "x-user": "anna:member", "last-event-id": "2" };
    const [row] = (await (await fetch(`${url}/api/projects`, { headers })).json()) as { id: string }[];
    const stream = await fetch(`${url}/api/projects/${row?.id}/dialogs/${entry?.rootId}/stream`, { headers });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("Painted.")) text += (await reader?.read())?.value ?? "";
    await reader?.cancel();
  } finally {
    await app.close();
  }
});

/** As Express mounts it: the prefix is stripped, and the body may already be parsed. */
async function mounted<Value>(
  handle: ReturnType<typeof nodeHandler>,
  isParsed: boolean,
  work: (url: string, failures: unknown[]) => Promise<Value>,
): Promise<Value> {
  const failures: unknown[] = [];
  const server = createServer(async (request: IncomingMessage & { body?: unknown }, response) => {
    request.url = request.url?.replace("/colloquy", "") ?? "/";
    if (isParsed && request.method === "POST") request.body = await json(request);
    await handle(request, response, (error) => {
      failures.push(error);
      response.writeHead(503).end("{}");
    });
  });
  await new Promise<void>((up) => server.listen(0, "127.0.0.1", up));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/colloquy`, failures);
  } finally {
    server.closeAllConnections();
    await new Promise((over) => server.close(over));
  }
}

test.each([false, true])("[LB29] as a handler of Node's own requests, with the body parsed before it: %s", async (isParsed) => {
  const project = await shop({ authenticate });
  await mounted(nodeHandler(project), isParsed, async (url, failures) => {
    await story((request) => fetch(request.url.replace("http://shop.example", url), request), "/api", project);
    expect(failures).toEqual([]);
  });
});

test("[LB29] it streams until one side disconnects", async () => {
  const gone: AbortSignal[] = [];
  const project = await shop({
    authenticate: (request) => {
      gone.push(request.signal);
      return { user: "anna", role: "member" };
    },
  });
  const { id } = await project.dialogs.create({ content: "Paint it" });
  await mounted(nodeHandler(project), false, async (url) => {
    const [served] = (await (await fetch(`${url}/api/projects`)).json()) as { id: string }[];
    const leaving = new AbortController();
    const stream = await fetch(`${url}/api/projects/${served?.id}/dialogs/${id}/stream?after=0`, { signal: leaving.signal });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("question.asked")) text += (await reader?.read())?.value ?? "";
    await project.questions.answer((await project.questions.list())[0]?.id ?? "", "red");
    while (!text.includes("Painted.")) text += (await reader?.read())?.value ?? "";
    const ended = new Promise((over) => gone.at(-1)?.addEventListener("abort", over));
    leaving.abort();
    await ended;
  });
});

test.each(["shop.example", "anna:secret@shop.example", "shop.example/else?", "no host at all"])(
  "[LB29] a Host header of %j does not change the path",
  async (host) => {
    const project = await shop({ authenticate: () => ({ user: "anna", role: "member" }) });
    await mounted(nodeHandler(project), false, async (url, failures) => {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        get(`${url}/api/projects`, { headers: { host } }, resolve).on("error", reject);
      });
      expect(response.statusCode).toBe(200);
      expect(failures).toEqual([]);
      response.resume();
    });
  },
);

test("[LB29] an error before the response goes to next, or is a 500 if there is no next", async () => {
  const broken = nodeHandler(() => Promise.reject(new Error("no such folder")));
  await mounted(broken, false, async (url, failures) => {
    expect((await fetch(`${url}/api/projects`)).status).toBe(503);
    expect(failures).toMatchObject([{ message: "no such folder" }]);
  });
  await mounted(
    (request, response) => broken(request, response),
    false,
    async (url) => {
      expect((await fetch(`${url}/api/projects`)).status).toBe(500);
    },
  );
});
