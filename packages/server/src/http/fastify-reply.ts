import { Readable } from "node:stream";
import { DIALOG_FILE, Refused } from "@colloquy/schema";
import type { FastifyReply, FastifyRequest } from "fastify";
import { requestHead } from "./node-request.ts";

export function toRequest({ raw }: FastifyRequest): Request {
  const head = requestHead(raw, "http://here");
  if (head === "method") throw new Refused({ code: "method_not_allowed", message: `${raw.method} is not supported.` });
  if (head === "address") throw new Refused({ code: "bad_request", message: "The address is invalid." });
  const { method, address, headers } = head;
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.complete || raw.destroyed) gone.abort();
  });
  return new Request(address, { method: method === "HEAD" ? "GET" : method, headers, signal: gone.signal });
}

export async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  if (!response.body) return reply.send();
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream") || type === DIALOG_FILE) return reply.send(Readable.fromWeb(response.body as never));
  return reply.send(Buffer.from(await response.arrayBuffer()));
}
