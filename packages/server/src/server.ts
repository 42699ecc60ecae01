import { existsSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import fastifyWebsocket from "@fastify/websocket";
import { type Project, Refused } from "@colloquy/library";
import { SESSION_HEADER } from "@colloquy/schema";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { Access, type Credentials, demandOrigin, tooMany } from "./access/access.ts";
import type { Context } from "./api/context.ts";
import { apiHandler, BODY_BYTES, demandJson, parsedBody, problemResponse, tooLarge, unauthorized } from "./api/handler.ts";
import type { Caller } from "./access/caller.ts";
import { demandHost } from "./http/demand-host.ts";
import { Connection } from "./live/connection.ts";
import { SECURITY_HEADERS } from "./http/headers.ts";
import { metricsText } from "./metrics.ts";
import { plainPage } from "./http/plain-page.ts";
import { Problem, problemOf } from "./http/problem.ts";
import { answerClientError, answerExpectation, refuseUpgrade } from "./http/raw-refusal.ts";
import { projectIds, ServedProject } from "./served-project.ts";
import { Sessions } from "./access/sessions.ts";
import { signInRoutes } from "./access/sign-in.ts";

export interface ServerOptions {
  readonly projects: readonly Project[];
  readonly token: string;
  readonly host?: string;
  readonly port?: number;
  /** When the port is taken, the next ones are tried. */
  readonly nextPorts?: boolean;
  readonly origins?: readonly string[];
  readonly version: string;
  /** The folder of the built web app. */
  readonly webDir?: string;
  readonly report: (message: string) => void;
  /** Where signed-in browsers are remembered; absent: they are signed out when the server ends. */
  readonly sessionsFile?: string;
  /** Makes a new token of the server's own and keeps it. */
  readonly rotateToken?: () => string;
  /** How long a request may take to come in, head and body. */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 60_000;
/** A token is short. */
const SIGN_IN_BYTES = 10_000;

/** A frame larger than this ends the socket; one larger than a body may be is only refused. */
const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024;
const MAX_PORTS_TRIED = 20;
const LOOK_MS = 1_000;

/** A running server. */
export class Server {
  readonly url: string;
  readonly port: number;
  /** Of each project, in the order given. */
  readonly projectIds: readonly string[];
  readonly #connections: ReadonlySet<Connection>;
  readonly #newLink: () => string;
  readonly #close: () => Promise<void>;

  constructor({ url, port, projectIds: ids, connections, newLink, close }: RunningServer) {
    this.url = url;
    this.port = port;
    this.projectIds = ids;
    this.#connections = connections;
    this.#newLink = newLink;
    this.#close = close;
  }

  /** An address that signs one browser in with the owner's rights, once. */
  newLink(): string {
    return `${this.url}/#token=${this.#newLink()}`;
  }

  /** Bytes that wait for readers. */
  get buffered(): number {
    return [...this.#connections].reduce((sum, connection) => sum + connection.buffered, 0);
  }

  /** Takes nothing new, tells the sockets to come back later, and lets go of the port. The projects stay open. */
  close(): Promise<void> {
    return this.#close();
  }
}

interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly projectIds: readonly string[];
  readonly connections: ReadonlySet<Connection>;
  readonly newLink: () => string;
  readonly close: () => Promise<void>;
}

function notListening(host: string, port: number, error: unknown, isTaken: boolean): string {
  if (isTaken) return `Port ${port} on ${host} is taken. Choose another with --port, or leave it out: then the next free one is taken.`;
  return `Cannot listen on ${host}, port ${port}: ${error instanceof Error ? error.message : String(error)}`;
}

export async function startServer(options: ServerOptions): Promise<Server> {
  const { host = "127.0.0.1", origins = [] } = options;
  if (options.token === "") throw new Refused({ code: "bad_request", message: "A server needs a token." });
  let isStopping = false;
  const report = (error: unknown) => options.report(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const ids = projectIds(options.projects.map(({ dir }) => dir));
  const served = await Promise.all(options.projects.map((project, nth) => ServedProject.open(ids[nth] ?? String(nth), project, report)));
  const context: Context = { version: options.version, projects: () => served, isStopping: () => isStopping, report };
  const handle = apiHandler(context);
  const connections = new Set<Connection>();
  const callers = new WeakMap<IncomingMessage, Caller>();
  const requests = new Map<number, number>();
  // The cookie is named by the port: servers of one machine share the host's cookies.
  const cookieName = () => `colloquy-${port}`;
  let port = options.port ?? 5740;

  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    requestTimeout: requestTimeoutMs,
    // A missing host is refused below, with the headers of every answer.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: Math.min(requestTimeoutMs, 5_000), requireHostHeader: false },
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
    frameworkErrors: (error, request, reply) => {
      // Its hooks do not run: a socket that asked to be upgraded would stay open.
      reply.raw.once("finish", () => request.raw.socket.destroySoon());
      void send(reply.headers(SECURITY_HEADERS), problemResponse(problemOf(error, report))).catch(report);
    },
  });
  app.server.on("checkExpectation", answerExpectation);
  const access = new Access(options.token, cookieName, () => served, { sessions: new Sessions(options.sessionsFile) });
  const callerOf = (request: FastifyRequest): Promise<Caller | undefined> => access.callerOf(credentialsOf(request), request.ip);

  // Not at the first hook: a socket that is refused there is never given back, and the server would not close.
  app.addHook("preValidation", async (request) =>
    demandHost(request.headers.host, { listening: host, reachedAt: request.socket.localAddress, origins }),
  );
  app.addHook("onSend", async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    if (request.url.startsWith("/api/")) requests.set(reply.statusCode, (requests.get(reply.statusCode) ?? 0) + 1);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.setErrorHandler((error, _request, reply) => send(reply, problemResponse(problemOf(error, report))));

  await app.register(fastifyWebsocket, {
    options: {
      maxPayload: MAX_PAYLOAD_BYTES,
      // One packet per turn of the event loop: a client that sends hundreds at once does not hold up the others.
      allowSynchronousEvents: false,
      handleProtocols: (offered: Set<string>) =>
        offered.has("colloquy") ? "colloquy" : ([...offered].find((one) => one.startsWith("colloquy.")) ?? false),
    },
  });

  app.addHook("onRequest", async ({ ws: isUpgrade, routeOptions, raw }) => {
    if (isUpgrade && routeOptions.url !== "/ws") throw new Problem("bad_request", "WebSockets are opened at /ws.");
    if (raw.headers.host === undefined && raw.httpVersion !== "1.0") throw new Problem("bad_request", "The request names no host.");
  });
  app.websocketServer.on("wsClientError", (error, socket) => refuseUpgrade(error, socket));

  app.route({
    method: "GET",
    url: "/ws",
    preValidation: async (request) => {
      demandOrigin(request.headers.origin, request.headers.host, origins);
      const caller = await callerOf(request);
      if (!caller) throw unauthorized();
      callers.set(request.raw, caller);
      if (isStopping) throw new Problem("unavailable", "The server is about to stop. Come back in a moment.");
    },
    handler: (_request, reply) => void reply.code(426).send({ error: { code: "bad_request", message: "Here one speaks WebSocket." } }),
    wsHandler: (socket, request) => {
      const caller = callers.get(request.raw);
      if (!caller) return socket.terminate();
      const connection = new Connection(socket, request.raw.socket, caller, context, access.allowanceOf(caller));
      connections.add(connection);
      socket.on("close", () => connections.delete(connection));
    },
  });

  const { rotateToken: newOwnToken } = options;
  const rotateToken =
    newOwnToken &&
    (() => {
      const token = newOwnToken();
      // Sockets that were opened with the old one come back, and find that it opens nothing.
      for (const connection of connections) connection.dismiss();
      return token;
    });
  for (const { route, answer } of signInRoutes({ access, cookieName, rotateToken }))
    app.route({
      method: route.method,
      url: `/api${route.path}`,
      handler: async (request, reply) => {
        if (route.method !== "GET") demandOrigin(request.headers.origin, request.headers.host, origins);
        if (request.headers.origin !== undefined) demandJson(request.method, request.headers["content-type"]);
        const body = route.body ? parsedBody(await bytesOf(request.raw, SIGN_IN_BYTES)) : undefined;
        const isSecure = request.headers["x-forwarded-proto"] === "https";
        const given = await answer({ credentials: credentialsOf(request), address: request.ip, body, isSecure });
        if (given.cookie !== undefined) reply.header("set-cookie", given.cookie);
        return reply.header("cache-control", "no-store").send(given.answer);
      },
    });

  app.all("/api/*", async (request, reply) => {
    const isChange = request.method !== "GET" && request.method !== "HEAD";
    if (isChange) demandOrigin(request.headers.origin, request.headers.host, origins);
    // Programs may leave the type out. A page of another site can send a body without being asked only as something else.
    if (request.headers.origin !== undefined) demandJson(request.method, request.headers["content-type"]);
    const caller = await callerOf(request);
    if (caller) {
      const wait = access.allowanceOf(caller).take();
      if (wait > 0) throw tooMany("Too many requests.", wait);
    }
    return send(reply, await handle(toRequest(request), caller, () => bytesOf(request.raw, BODY_BYTES)));
  });

  const loopDelay = monitorEventLoopDelay({ resolution: 10 });
  loopDelay.enable();
  app.get("/metrics", async (request, reply) => {
    if (!(await callerOf(request))) throw unauthorized();
    const bufferedBytes = [...connections].reduce((sum, connection) => sum + connection.buffered, 0);
    const text = metricsText(served, { sockets: connections.size, bufferedBytes, requests, loopDelay }, Date.now());
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(text);
  });

  const webDir = options.webDir ?? builtApp();
  const hasWeb = existsSync(join(webDir, "index.html"));
  if (hasWeb)
    await app.register(fastifyStatic, {
      root: webDir,
      wildcard: true,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: cacheFor,
    });
  const page = (reply: FastifyReply) =>
    hasWeb
      ? reply.header("cache-control", "no-cache").sendFile("index.html")
      : reply.type("text/html; charset=utf-8").header("cache-control", "no-store").send(plainPage(options.version));
  app.get("/", async (_request, reply) => page(reply));
  app.setNotFoundHandler((request, reply) => {
    // A page of the app, which shows it by its address; a file that is not there is not.
    if (request.method === "GET" && !/\.[a-z0-9]+$/i.test(request.url.split("?")[0] ?? "")) return page(reply);
    return send(reply, problemResponse(new Problem("not_found", "There is nothing here.")));
  });

  // Whoever was taken out of the settings hears nothing more.
  const watching = setInterval(() => {
    for (const connection of connections) void connection.look().catch(report);
  }, LOOK_MS).unref();

  await app.ready();
  for (let tries = 0; ; tries++) {
    try {
      await app.listen({ host, port });
      break;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!isTaken || !options.nextPorts || tries === MAX_PORTS_TRIED) {
        clearInterval(watching);
        loopDelay.disable();
        await Promise.all(served.map((one) => one.close()));
        await app.close();
        throw new Refused({ code: "bad_config", message: notListening(host, port, error, isTaken) });
      }
      options.report(`${port} is taken; using ${port + 1}.`);
      port += 1;
    }
  }
  const address = app.server.address();
  if (address !== null && typeof address === "object") port = address.port;
  const shownHost = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const close = async () => {
    isStopping = true;
    for (const connection of connections) connection.dismiss();
    await Promise.all(served.map((one) => one.close()));
    loopDelay.disable();
    clearInterval(watching);
    await app.close();
  };
  return new Server({ url: `http://${shownHost}:${port}`, port, projectIds: ids, connections, newLink: access.newLink, close });
}

/** Beside the bundle; in a clone that runs its sources, where the build puts it. */
function builtApp(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [join(here, "web"), join(here, "../../../dist/web")];
  return places.find((place) => existsSync(join(place, "index.html"))) ?? join(here, "web");
}

/** Names of assets change with what is in them; all else is asked for again. */
const cacheFor = (response: { header(name: string, value: string): unknown }, path: string): void =>
  void response.header("cache-control", /[/\\]assets[/\\]/.test(path) ? "public, max-age=31536000, immutable" : "no-cache");

function credentialsOf({ headers }: FastifyRequest): Credentials {
  const session = headers[SESSION_HEADER];
  return {
    authorization: headers.authorization,
    cookie: headers.cookie,
    protocol: headers["sec-websocket-protocol"],
    session: typeof session === "string" ? session : undefined,
  };
}

/** Methods that a web standard request cannot have. */
const UNKNOWN_METHODS: readonly string[] = ["TRACE", "CONNECT", "TRACK"];

/** The body stays where it is: it is read when it is known who sent it. */
function toRequest(request: FastifyRequest): Request {
  const { raw } = request;
  if (UNKNOWN_METHODS.includes(request.method)) throw new Problem("method_not_allowed", `${request.method} is not supported.`);
  if (!URL.canParse(raw.url ?? "/", "http://here")) throw new Problem("bad_request", "The address cannot be read.");
  const headers = new Headers();
  for (let nth = 0; nth < raw.rawHeaders.length; nth += 2) headers.append(raw.rawHeaders[nth] ?? "", raw.rawHeaders[nth + 1] ?? "");
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.complete || raw.destroyed) gone.abort();
  });
  return new Request(new URL(raw.url ?? "/", "http://here"), {
    method: request.method === "HEAD" ? "GET" : request.method,
    headers,
    signal: gone.signal,
  });
}

async function bytesOf(raw: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of raw) {
      length += (part as Buffer).length;
      // The rest is read and dropped, so that the sender hears why.
      if (length <= most) parts.push(part as Buffer);
    }
  } catch {
    // The sender is gone, or took too long: nobody hears this.
    throw new Problem("bad_request", "The body did not come to its end.");
  }
  if (length > most) throw tooLarge(most);
  return Buffer.concat(parts);
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  if (!response.body) return reply.send();
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) return reply.send(Readable.fromWeb(response.body as never));
  return reply.send(Buffer.from(await response.arrayBuffer()));
}
