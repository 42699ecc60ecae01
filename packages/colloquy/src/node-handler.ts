import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Opening, openingOf } from "./handlers.ts";

/** A request as Node gives it. `body`: what somebody before us has read of it already, as `express.json()` does. */
type NodeRequest = IncomingMessage & { readonly body?: unknown };
type NodeHandler = (request: NodeRequest, response: ServerResponse, next?: (error?: unknown) => void) => Promise<void>;

/**
 * For servers that have Node's own requests and responses, such as Express: `app.use("/colloquy", nodeHandler(project))`, or
 * `createServer(nodeHandler(project))`. What goes wrong before there is an answer is given to `next`, where there is one.
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
      if (over.signal.aborted) return; // nobody is there any more
      if (outgoing.headersSent) outgoing.destroy();
      else if (next) next(error);
      else outgoing.writeHead(500).end();
    }
  };
}

/** Methods that a web standard request cannot have. */
const UNKNOWN_METHODS: readonly string[] = ["TRACE", "CONNECT", "TRACK"];

/** Undefined for a request that has no such form. */
function requestOf(incoming: NodeRequest, signal: AbortSignal): Request | undefined {
  const { method = "GET", url = "/" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name.startsWith(":")) continue; // HTTP/2 has some that are none
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const named = `http://${headers.get("host")}${url}`;
  const address = URL.canParse(named) ? named : `http://localhost${url}`;
  if (!URL.canParse(address) || UNKNOWN_METHODS.includes(method)) return undefined;
  if (method === "GET" || method === "HEAD") return new Request(address, { method, headers, signal });
  if (!incoming.readableEnded)
    return new Request(address, { method, headers, signal, body: Readable.toWeb(incoming), duplex: "half" } as RequestInit);
  // It was read and parsed before us; its length is no longer that of the header.
  headers.delete("content-length");
  const { body } = incoming;
  const text = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body ?? {});
  return new Request(address, { method, headers, signal, body: text } as RequestInit);
}

async function answer({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.setHeaders(headers);
  outgoing.writeHead(status);
  if (!body) return void outgoing.end();
  outgoing.flushHeaders(); // a stream may have nothing to say for long
  await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
}
