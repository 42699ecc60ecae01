import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import type { Socket } from "node:net";
import { say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
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

test("[SV27] a reader who is too slow is cut with the word to resume; the others get everything", async () => {
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
  // Until it is cut; what the system keeps for the socket comes first.
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
}, 60_000);
