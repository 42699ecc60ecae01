import { type Telling, world, type World, type WorldOptions } from "@colloquy/testing/internals";
import { type ClientPacket, type Method, ROUTES, type Route, ServerPacket, type ServerPacketOf, WireError } from "@colloquy/schema";
import { onTestFinished } from "vitest";
import { type Server, type ServerOptions, startServer } from "../src/server.ts";

export const TOKEN = "a-token-for-tests-that-is-long-enough-0123";

/** A server over a project in memory, closed after the test. */
export async function served(
  telling: Telling,
  options: Partial<WorldOptions> & { readonly server?: Partial<ServerOptions> } = {},
): Promise<World & { readonly server: Server; readonly api: Api; readonly reports: readonly string[] }> {
  const { server: more, ...rest } = options;
  const w = await world({ telling, dir: "/projects/shop", ...rest });
  const reports: string[] = [];
  const server = await startServer({
    projects: [w.project],
    token: TOKEN,
    port: 0,
    version: "test",
    report: (message) => reports.push(message),
    ...more,
  });
  onTestFinished(async () => {
    await server.close();
    await w.project.close();
  });
  return Object.assign(w, { server, reports, api: api(server.url) });
}

export interface Answered {
  readonly status: number;
  // The test names the type it expects; the route's schema has been checked.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}
export type Api = (method: Method, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answered>;

/** Sends a request and checks the response against the route's schema. */
export function api(url: string): Api {
  return async (method, path, body, headers = { authorization: `Bearer ${TOKEN}` }) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const given: unknown = await response.json();
    const route = routeOf(method, path.split("?")[0] ?? "");
    if (response.ok) {
      if (!route?.answer || route.status !== response.status) throw new Error(`${method} ${path} answered ${response.status}`);
      route.answer.parse(given);
    } else WireError.parse(given);
    return { status: response.status, body: given };
  };
}

const routeOf = (method: string, path: string): Route | undefined =>
  ROUTES.find((route: Route) => route.method === method && new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]+")}$`).test(path));

type Sent = ClientPacket extends infer Packet ? (Packet extends ClientPacket ? Omit<Packet, "requestId"> : never) : never;

/** A client over a real socket; every packet is checked against its schema. */
export class Client {
  readonly packets: ServerPacket[] = [];
  readonly #ws: WebSocket;
  readonly #waiting = new Set<() => void>();
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  #requests = 0;
  #problem: Error | undefined;
  #isClosed = false;

  constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.addEventListener("message", ({ data }) => {
      const parsed = ServerPacket.safeParse(JSON.parse(String(data)));
      if (parsed.success) this.packets.push(parsed.data);
      else this.#problem = new Error(`a packet that fits no schema: ${String(data)}\n${parsed.error.message}`);
      this.#look();
    });
    this.closed = new Promise((resolve) => {
      ws.addEventListener("close", ({ code, reason }) => {
        this.#isClosed = true;
        resolve({ code, reason });
        this.#look();
      });
    });
  }

  sendRaw(text: string): void {
    this.#ws.send(text);
  }

  /** Resolves with the server's reply. */
  async send(packet: Sent): Promise<ServerPacketOf<"accepted"> | ServerPacketOf<"refused">> {
    const requestId = `r${++this.#requests}`;
    this.#ws.send(JSON.stringify({ ...packet, requestId }));
    return this.next((one) => (one.type === "accepted" || one.type === "refused") && one.requestId === requestId) as never;
  }

  /** The first matching packet, received already or later. */
  async next(fits: (packet: ServerPacket) => boolean): Promise<ServerPacket> {
    for (;;) {
      const found = this.packets.find(fits);
      if (found) return found;
      if (this.#problem) throw this.#problem;
      if (this.#isClosed) throw new Error("the socket was closed");
      await new Promise<void>((go) => this.#waiting.add(go));
    }
  }

  of<Type extends ServerPacket["type"]>(type: Type): readonly ServerPacketOf<Type>[] {
    return this.packets.filter((one) => one.type === type) as never;
  }

  close(): void {
    this.#ws.close();
  }

  #look(): void {
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }
}

export interface Connecting {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function connect(url: string, { token = TOKEN, headers = {} }: Connecting = {}): Promise<Client> {
  const ws = new WebSocket(`${url.replace("http", "ws")}/ws`, {
    protocols: ["colloquy", ...(token === "" ? [] : [`colloquy.${token}`])],
    headers: { ...headers },
  } as never);
  const client = new Client(ws);
  onTestFinished(() => client.close());
  await new Promise<void>((resolve, reject) => {
    ws.addEventListener("open", () => resolve());
    ws.addEventListener("error", () => reject(new Error("refused")));
  });
  await client.next(({ type }) => type === "welcome");
  return client;
}
