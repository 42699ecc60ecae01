import { mkdirSync, mkdtempSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call } from "@colloquy/testing/internals";
import { ROUTES, type Route, SIGN_IN_ROUTES } from "@colloquy/schema";
import { describe, expect, test } from "vitest";
import { served, TOKEN } from "./support.ts";

const asking = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] })] };

/** Reproducible pseudo-random numbers. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The server's whole reply to these bytes; undefined if it neither replies nor closes. */
function said(port: number, request: string | Buffer, { isHalf = false } = {}): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, "127.0.0.1");
    let text = "";
    const end = (answer: string | undefined) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end(undefined), 100_000);
    socket.on("connect", () => {
      socket.write(request);
      if (isHalf) socket.end();
    });
    socket.on("data", (part) => {
      text += part.toString("latin1");
      if (isWhole(text)) end(text);
    });
    // A server may refuse and close before it has read everything; its reply counts.
    socket.on("close", () => end(text));
    socket.on("error", () => end(text));
  });
}

function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, head))?.[1];
  return length === undefined ? text.startsWith("HTTP/1.1 101") || text.endsWith("0\r\n\r\n") : text.length >= head + 4 + Number(length);
}

const statusOf = (answer: string | undefined): number => Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer ?? "")?.[1] ?? 0);

const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const VALUES = [
  "x",
  "%",
  "%zz",
  "%00",
  "%ff%fe",
  "..%2f..%2fetc",
  "0".repeat(32),
  "a".repeat(5_000),
  "__proto__",
  "constructor",
  "-1",
  "1e999",
  "NaN",
  "[]",
  "é",
  "%E2%80%AE",
];
const BODIES = [
  "",
  "{",
  "[]",
  "null",
  '"text"',
  "0",
  '{"__proto__":{"a":1}}',
  '{"content":1}',
  '{"content":null,"msgId":[]}',
  '{"content":{},"msgId":{}}',
  "[".repeat(30_000),
  '{"a":'.repeat(20_000),
  `{"${"k".repeat(100_000)}":1}`,
  `{"a":[${"0,".repeat(60_000)}0]}`,
  `{${Array.from({ length: 20_000 }, (_, nth) => `"k${nth}":0`).join(",")}}`,
  "\u0000\u0001",
  "\ufeff{}",
  '{"content":"\\ud800","msgId":"1","x":1}',
];
const METHODS = ["GET", "POST", "PATCH", "DELETE", "PUT", "OPTIONS", "TRACE", "HEAD", "PROPFIND", "CONNECT", "BREW", "get"];
const HEADERS = [
  "",
  "X-A: 1\r\nX-A: 2\r\n",
  "Host: other\r\n",
  "Content-Type: application/json; charset=utf-7\r\n",
  "Content-Type: \u0000\r\n",
  "Content-Type: x/\r\n",
  "Cookie: =;;;=\r\n",
  `X-Long: ${"y".repeat(40_000)}\r\n`,
  "Transfer-Encoding: gzip\r\n",
  "Expect: 100-continue\r\n",
  "Expect: nonsense\r\n",
  "Origin: null\r\n",
  "Last-Event-ID: x\r\n",
  "Last-Event-ID: -1\r\n",
  "Authorization: Basic eDp5\r\n",
  "Content-Length: -5\r\n",
  "Upgrade: h2c\r\nConnection: Upgrade\r\n",
  "Upgrade: websocket\r\nConnection: Upgrade\r\n",
  "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 99\r\nSec-WebSocket-Key: x\r\n",
  "Accept-Encoding: \u0001\r\n",
  'If-None-Match: "\r\n',
  "Range: bytes=9-1\r\n",
];

test("[SV53] five thousand malformed requests over every route cause no 5xx and no hanging request", async () => {
  const dir = join(mkdtempSync(join(tmpdir(), "colloquy-raw-")), "shop");
  mkdirSync(dir);
  const w = await served(asking, { dir });
  const { id: rootId } = await w.project.dialogs.create({ content: "Decide" });
  await w.project.dialogs.quiet(rootId);
  const before = await w.events(rootId);
  const number = numbersFrom(20_261_117);
  const one = <Value>(values: readonly Value[]): Value => values[number(values.length)] as Value;
  const routes: readonly Route[] = [...ROUTES, ...SIGN_IN_ROUTES].filter(({ name }) => !["testModel", "rotateToken"].includes(name));
  const requests = Array.from({ length: 5_000 }, () => {
    const route = one(routes);
    const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
      name === "pid" && number(4) > 0 ? "shop" : name === "id" && number(3) > 0 ? rootId : one(VALUES),
    );
    const isStream = path.endsWith("/stream") || path.endsWith("/quiet");
    const query =
      number(2) === 0 && !isStream ? "" : `?${one(["after", "before", "limit", "cursor", "q", "status", "x", "%"])}=${one(VALUES)}`;
    const method = number(4) === 0 ? one(METHODS) : route.method;
    // With a valid body the request would be carried out, so every body is wrong.
    const body = method === "GET" ? "" : `${one(BODIES)}`;
    const isNonsense = body !== "" && method !== "GET" ? body : '{"nonsense":1}';
    const sent = method === "GET" ? "" : isNonsense;
    const place =
      number(30) === 0
        ? one(["*", "//", "http://x/y", "/api", "/api//", "/%", "/ws", "/assets/%00", "/%2e%2e/%2e%2e/etc/passwd"])
        : `/api${path}${query}`;
    const length = Buffer.byteLength(sent, "latin1");
    const head = `${method} ${place} HTTP/${number(40) === 0 ? "9.9" : "1.1"}\r\nHost: 127.0.0.1\r\n${number(8) === 0 ? "" : AUTH}${one(HEADERS)}`;
    return Buffer.from(`${head}${sent === "" ? "" : `Content-Length: ${length}\r\n`}Connection: close\r\n\r\n${sent}`, "latin1");
  });
  const strange: string[] = [];
  for (let from = 0; from < requests.length; from += 25) {
    await Promise.all(
      requests.slice(from, from + 25).map(async (request) => {
        const answer = await said(w.server.port, request);
        const status = statusOf(answer);
        if (status >= 500 || answer === undefined) strange.push(`${status || "no answer"}: ${request.toString("latin1").slice(0, 300)}`);
        else if (answer !== "" && !/^x-content-type-options: nosniff/im.test(answer) && !answer.startsWith("HTTP/1.1 100"))
          strange.push(`${status} without security headers: ${request.toString("latin1").slice(0, 300)}\n${answer.slice(0, 200)}`);
      }),
    );
  }
  expect(strange.slice(0, 12)).toEqual([]);
  expect(strange.length).toBe(0);
  expect(w.reports).toEqual([]);
  expect(await w.events(rootId)).toEqual(before);
  expect(statusOf(await said(w.server.port, "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"))).toBe(200);
}, 240_000);

describe("[SV53] input that is not HTTP is refused, with the usual headers", () => {
  test.each([
    ["garbage", "\u0000\u0001\u0002\r\n\r\n", 400],
    ["a line without a path", "GET\r\n\r\n", 400],
    ["headers without end", `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${"y".repeat(100_000)}\r\n\r\n`, 431],
    ["two lengths", "POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400],
    ["no host", "GET /api/health HTTP/1.1\r\n\r\n", 400],
    [
      "a bad upgrade",
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\n${AUTH}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      400,
    ],
    [
      "an upgrade elsewhere",
      "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      400,
    ],
    [
      "an upgrade by nobody",
      "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      401,
    ],
    [
      "an upgrade from another page",
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\n${AUTH}Origin: http://evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      403,
    ],
  ])("%s", async (_, request, status) => {
    const { server } = await served(asking);
    const answer = await said(server.port, request);
    expect(statusOf(answer)).toBe(status);
    expect(answer).toMatch(/^x-content-type-options: nosniff/im);
    expect(answer).toMatch(/^content-security-policy: /im);
  });
});

test("[SV54] without a token no body is read, and a slow sender is disconnected", async () => {
  const { server } = await served(asking, { server: { requestTimeoutMs: 300 } });
  const head = "POST /api/projects/shop/dialogs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n";
  expect(statusOf(await said(server.port, `${head}\r\n{`))).toBe(401);
  const slow = await said(server.port, `${head}${AUTH}\r\n{"content":`);
  expect([408, 0]).toContain(statusOf(slow));
  expect(slow).toBeDefined();
  const slowHead = await said(server.port, "GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow:");
  expect(statusOf(slowHead)).toBe(408);
  expect(slowHead).toMatch(/^x-content-type-options: nosniff/im);
});
