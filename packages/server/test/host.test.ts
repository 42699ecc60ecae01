import { connect as connectTo } from "node:net";
import { say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { served, TOKEN } from "./support.ts";

/** One hand-written request: `fetch` does not allow a Host header of its own. */
const raw = (port: number, lines: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = "";
    const socket = connectTo(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      answer += text;
      // After a request to switch protocols, the connection stays open.
      if (lines.includes("Connection: Upgrade") && answer.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });

const status = (answer: string): number => Number(answer.split(" ")[1]);
const get = (path: string, host: string, more: readonly string[] = []) => [
  `GET ${path} HTTP/1.1`,
  `Host: ${host}`,
  "Connection: close",
  ...more,
];
const bearer = `Authorization: Bearer ${TOKEN}`;

test.each([
  "evil.example",
  "evil.example:5740",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "127.0.0.1@evil.example",
  "0.0.0.0",
  "192.0.2.7",
  "[2001:db8::1]",
  "a b",
])("[SV52] a request that names %s is refused, whatever it asks for and whatever it brings", async (host) => {
  const { server } = await served({ lead: [say("Hello.")] });
  for (const path of ["/api/health", "/api/projects", "/", "/metrics", "/no/such/page"]) {
    const answer = await raw(server.port, get(path, host, [bearer]));
    expect([path, status(answer)]).toEqual([path, 403]);
    expect(answer).toContain('"code":"wrong_origin"');
  }
  const upgrade = ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", bearer];
  const socket = [`GET /ws HTTP/1.1`, `Host: ${host}`, "Connection: Upgrade", `Origin: http://${host}`, ...upgrade];
  expect(status(await raw(server.port, socket))).toBe(403);
});

test.each([
  "127.0.0.1",
  "127.0.0.1:1",
  "localhost:5740",
  "LOCALHOST",
  "127.9.9.9",
  "[::1]:5740",
  "agents.example.org",
  "agents.example.org:443",
  "shop.lan",
])("[SV52] %s is a name of this machine, of what it listens on, or of its settings", async (host) => {
  const { server } = await served(
    { lead: [say("Hello.")] },
    { server: { origins: ["https://agents.example.org", "http://shop.lan:8080"] } },
  );
  expect(status(await raw(server.port, get("/api/projects", host, [bearer])))).toBe(200);
});

test("[SV52] when listening on all addresses, the one that received the request is valid, and so is no name", async () => {
  const { server } = await served({ lead: [say("Hello.")] }, { server: { host: "0.0.0.0" } });
  expect(status(await raw(server.port, get("/api/projects", "127.0.0.1", [bearer])))).toBe(200);
  expect(status(await raw(server.port, get("/api/projects", "evil.example", [bearer])))).toBe(403);
  expect(status(await raw(server.port, ["GET /api/projects HTTP/1.0", bearer]))).toBe(200);
});

test.each([["127.0.0.1"], ["evil.example"]])("[SV53] a second Host header (%s) is refused", async (other) => {
  const { server } = await served({ lead: [say("Hello.")] });
  for (const path of ["/api/health", "/api/projects", "/"]) {
    const answer = await raw(server.port, get(path, "127.0.0.1", [`host: ${other}`, bearer]));
    expect([path, status(answer)]).toEqual([path, 400]);
    expect(answer).toContain("content-security-policy");
  }
});
