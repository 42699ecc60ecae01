import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Dialect, frames, type Answer, type Frame } from "./fake-provider-frames.ts";

/** The answer to the next request. */
export type Reply =
  | Answer
  /** A refusal before any stream. */
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** A stream in exactly these pieces, whatever the endpoint's format. `cut`: the connection breaks after them. */
  | { readonly raw: readonly string[]; readonly cut?: boolean };

export interface FakeRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The JSON body as received. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface FakeProvider extends AsyncDisposable {
  /** Ends in `/v1`, like providers' base URLs. */
  readonly url: string;
  readonly requests: readonly FakeRequest[];
  /** Queues replies, one per request. A request without a reply gets a 500 that says so. */
  reply(...replies: Reply[]): void;
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  "/v1/messages": "anthropic",
  "/v1/responses": "responses",
  "/v1/chat/completions": "chat",
};

/** OpenAI (chat completions and responses) and Anthropic over real HTTP on this machine. */
export async function fakeProvider(models: readonly string[] = []): Promise<FakeProvider> {
  const queue: Reply[] = [];
  const requests: FakeRequest[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://fake").pathname;
    if (path === "/v1/models") return json(response, 200, { object: "list", data: models.map((id) => ({ id, object: "model" })) });

    const body = JSON.parse(await bodyOf(request)) as Readonly<Record<string, unknown>>;
    requests.push({ path, headers: request.headers, body });
    const reply = queue.shift();
    const dialect = DIALECTS[path];
    if (!reply || !dialect)
      return json(response, 500, { error: { message: `no reply was queued for request ${requests.length} to ${path}` } });
    if ("status" in reply) return json(response, reply.status, reply.body, reply.headers);

    response.writeHead(200, { "content-type": "text/event-stream" });
    await send(response, "raw" in reply ? [...reply.raw, ...(reply.cut ? [{ cut: true } as const] : [])] : frames(dialect, reply));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    reply: (...replies) => void queue.push(...replies),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(response: ServerResponse, stream: readonly Frame[]): Promise<void> {
  for (const frame of stream) {
    if (typeof frame === "string") await new Promise((resolve) => response.write(frame, resolve));
    else if ("hold" in frame) await frame.hold;
    else return void response.destroy();
  }
  response.end();
}

function json(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
