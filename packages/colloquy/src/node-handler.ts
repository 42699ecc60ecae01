import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { requestHead } from "@colloquy/server/node-request";
import { type Opening, openingOf } from "./handlers.ts";

/** A Node request. `body`: set if it was already read, as `express.json()` does. */
type NodeRequest = IncomingMessage & { readonly body?: unknown };
type NodeHandler = (request: NodeRequest, response: ServerResponse, next?: (error?: unknown) => void) => Promise<void>;

/**
 * For servers with Node's own requests and responses, such as Express: `app.use("/colloquy", nodeHandler(project))`, or
 * `createServer(nodeHandler(project))`. An error before the response begins goes to `next`, if there is one.
 */
export function nodeHandler(project: Opening): NodeHandler {
  const opening = openingOf(project);
  return async (incoming, outgoing, next) => {
    const over = new AbortController();
    outgoing.once("close", () => over.abort());
    try {
      const request = requestOf(incoming, over.signal);
      if (request === undefined) return void outgoing.writeHead(400, { "x-content-type-options": "nosniff" }).end();
      await answer(await (await opening()).fetch(request), outgoing);
    } catch (error) {
      if (over.signal.aborted) return; // the client has left
      if (outgoing.headersSent) outgoing.destroy();
      else if (next) next(error);
      else outgoing.writeHead(500).end();
    }
  };
}

/** Undefined for a request that a web `Request` can't express. */
function requestOf(incoming: NodeRequest, signal: AbortSignal): Request | undefined {
  // A Host header may contain a path or a password; only its name and port count.
  const origin = URL.parse(`http://${incoming.headers.host}`)?.origin ?? "http://localhost";
  const head = requestHead(incoming, origin);
  if (typeof head === "string") return undefined;
  const { method, address, headers } = head;
  if (method === "GET" || method === "HEAD") return new Request(address, { method, headers, signal });
  if (!incoming.readableEnded)
    return new Request(address, { method, headers, signal, body: Readable.toWeb(incoming), duplex: "half" } as RequestInit);
  // It was already read and parsed: its length no longer matches the header.
  headers.delete("content-length");
  const { body } = incoming;
  const text = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body ?? {});
  return new Request(address, { method, headers, signal, body: text } as RequestInit);
}

async function answer({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.setHeaders(headers);
  outgoing.writeHead(status);
  if (!body) return void outgoing.end();
  outgoing.flushHeaders(); // a stream may stay silent for long
  await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
}
