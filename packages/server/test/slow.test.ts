import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import type { Socket } from "node:net";
import { say } from "@colloquy/testing/internals";
import websocket from "@fastify/websocket";
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { Allowance } from "../src/access/allowance.ts";
import { Connection } from "../src/live/connection.ts";
import { connect, served, TOKEN } from "./support.ts";

/** A socket that speaks WebSocket by hand, so that it can stop reading. */
async function rawSocket(url: string): Promise<Socket> {
  const asked = request(`${url}/ws`, {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
      authorization: `Bearer ${TOKEN}`,
    },
  });
  asked.end();
  const [, socket] = (await once(asked, "upgrade")) as [unknown, Socket];
  return socket;
}

function maskedFrame(text: string): Buffer {
  const body = Buffer.from(text);
  const mask = randomBytes(4);
  const head = body.length < 126 ? Buffer.from([0x81, 0x80 | body.length]) : Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255]);
  return Buffer.concat([head, mask, body.map((byte, nth) => byte ^ (mask[nth % 4] ?? 0))]);
}

test("[SV27] a slow reader is disconnected and told to resume; the others get everything", async () => {
  const { server, project } = await served({ lead: () => say("Yes.") });
  const fast = await connect(server.url);
  const made = await fast.send({ type: "create_dialog", content: "Begin", msgId: "1" });
  const rootId = made.type === "accepted" ? (made.dialog?.rootId ?? "") : "";
  await project.dialogs.quiet(rootId as never);
  const slow = await rawSocket(server.url);
  slow.write(maskedFrame(JSON.stringify({ type: "subscribe", requestId: "s", dialog: { rootId } })));
  await once(slow, "data");
  slow.pause();
  await fast.send({ type: "subscribe", dialog: { rootId } });
  const content = "x".repeat(100_000);
  const from = await project.dialogs.head(rootId as never);
  let seq = 0;
  // Until it is disconnected; the operating system's buffer comes first.
  for (let nth = 0; server.buffered < 4 * 1024 * 1024; nth++) {
    expect(nth).toBeLessThan(1_000);
    const done = await fast.send({ type: "drive_dlg_by_user_msg", dialog: { rootId }, content, mentions: [], msgId: `m${nth}` });
    seq = done.type === "accepted" ? done.seq : 0;
  }
  await fast.next((one) => one.type === "recorded" && one.seq === seq);
  expect(server.buffered).toBeLessThan(6 * 1024 * 1024);
  expect(fast.of("recorded").map((one) => one.seq)).toEqual(Array.from({ length: seq - from }, (_, nth) => from + 1 + nth));
  const parts: Buffer[] = [];
  await new Promise<void>((resolve) => {
    slow.on("data", (part: Buffer) => {
      parts.push(part);
      if (part.includes("resume from your cursor")) resolve();
    });
    slow.on("close", () => resolve()).resume();
  });
  slow.destroy();
  const end = Buffer.concat(parts).subarray(-80);
  expect(end.includes(Buffer.from([4008 >> 8, 4008 & 255]))).toBe(true);
  expect(end.toString()).toContain("resume from your cursor");
});

test("[SV35] answers don't pile up for a client that sends and never reads", async () => {
  const { server } = await served({ lead: () => say("Yes.") });
  const deaf = await rawSocket(server.url);
  deaf.pause();
  // Each is refused with a text of about 2,000 characters.
  const bad = JSON.stringify({
    type: "subscribe",
    ...Object.fromEntries(Array.from({ length: 8 }, (_, nth) => [`${nth}${"x".repeat(400)}`, 1])),
  });
  for (let nth = 0; nth < 20; nth++) deaf.write(Buffer.concat(Array.from({ length: 1_000 }, () => maskedFrame(bad))));
  // The operating system's buffer comes first.
  while (server.buffered < 256 * 1024) await fetch(`${server.url}/api/health`);
  // Each of these lets the server take at least one packet, if it takes any.
  for (let nth = 0; nth < 500; nth++) await fetch(`${server.url}/api/health`);
  const held = server.buffered;
  expect(held).toBeLessThan(512 * 1024);
  // Once it reads, it is served again.
  let heard = 0;
  deaf.on("data", (part: Buffer) => (heard += part.length)).resume();
  while (heard < 30_000_000) await once(deaf, "data");
  deaf.destroy();
});

test("[SV36] a socket that keeps sending above the rate limit is closed with 4029", async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  await app.register(websocket);
  const context = { version: "test", projects: () => [], isStopping: () => false, report: () => undefined };
  const caller = { user: "anna", nameIn: () => "anna", roleIn: () => undefined, refresh: async () => undefined };
  const allowance = new Allowance(0.001, 5);
  app.get("/", { websocket: true }, (ws, { raw }) => void new Connection({ ws, stream: raw.socket }, { caller, allowance }, context));
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const hasty = new WebSocket(url.replace("http", "ws"));
  let refused = 0;
  hasty.onmessage = ({ data }) => void (String(data).includes("rate_limited") && refused++);
  await new Promise((resolve) => (hasty.onopen = resolve));
  const closed = new Promise<CloseEvent>((resolve) => (hasty.onclose = resolve));
  for (let nth = 0; nth < 20_000; nth++) hasty.send("{}");
  expect(await closed).toMatchObject({ code: 4029, reason: "too fast: slow down, then resume from your cursor" });
  expect(refused).toBeGreaterThanOrEqual(1_000);
});
