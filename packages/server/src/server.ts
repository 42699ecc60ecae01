import { existsSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fastifyStatic from "@fastify/static";
import fastifyWebsocket from "@fastify/websocket";
import type { Project } from "@colloquy/library";
import { Refused, SESSION_HEADER } from "@colloquy/schema";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { Access, type Credentials, demandOrigin, tooMany } from "./access/access.ts";
import type { Context } from "./api/context.ts";
import { apiHandler, BODY_BYTES, demandJson, parsedBody, problemResponse, unauthorized } from "./api/handler.ts";
import type { Caller } from "./access/caller.ts";
import { demandHost, demandOneHost } from "./http/demand-host.ts";
import { Connection } from "./live/connection.ts";
import { SECURITY_HEADERS } from "./http/headers.ts";
import { figures, type LoopDelay, metricsText, newLoopDelay, sendFigures } from "./metrics.ts";
import { plainPage } from "./http/plain-page.ts";
import { bytesOf } from "./http/raw-body.ts";
import { send, toRequest } from "./http/fastify-reply.ts";
import { problemOf } from "./http/problem.ts";
import { answerClientError, answerExpectation, refuseUpgrade } from "./http/raw-refusal.ts";
import { startNostr } from "./nostr/start-nostr.ts";
import { programRoutes } from "./protocols/program-routes.ts";
import { projectIds, ServedProject } from "./served-project.ts";
import { Sessions } from "./access/sessions.ts";
import { signInRoutes } from "./access/sign-in.ts";

export interface ServerOptions {
  readonly projects: readonly Project[];
  readonly token: string;
  readonly host?: string;
  readonly port?: number;
  /** If the port is taken, try the next ones. */
  readonly nextPorts?: boolean;
  readonly origins?: readonly string[];
  readonly version: string;
  /** The folder of the built web app. */
  readonly webDir?: string;
  readonly report: (message: string) => void;
  /** The sessions' file. If absent, browsers are signed out when the server stops. */
  readonly sessionsFile?: string;
  /** Makes and stores a new server token. */
  readonly rotateToken?: () => string;
  /** Timeout for receiving a request's head and body. */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 60_000;
/** A token is short. */
const SIGN_IN_BYTES = 10_000;

/** A larger frame closes the socket; one above the limit for bodies is only refused. */
const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024;
const MAX_PORTS_TRIED = 20;
const LOOK_MS = 1_000;

/** A running server. */
export class Server {
  readonly url: string;
  readonly port: number;
  /** Project ids, in the given order. */
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

  /** An address that signs in one browser as the owner, once. */
  newLink(): string {
    return `${this.url}/#token=${this.#newLink()}`;
  }

  /** Bytes buffered for readers. */
  get buffered(): number {
    return [...this.#connections].reduce((sum, connection) => sum + connection.buffered, 0);
  }

  /** Accepts nothing new, tells sockets to reconnect later and frees the port. The projects stay open. */
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
  let url = "";
  const report = (error: unknown) => options.report(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const ids = projectIds(options.projects.map(({ dir }) => dir));
  const served = await Promise.all(
    options.projects.map((project, nth) => ServedProject.open(ids[nth] ?? String(nth), project, { report })),
  );
  const context: Context = { version: options.version, projects: () => served, isStopping: () => isStopping, pageUrl: () => url, report };
  const handle = apiHandler(context);
  const connections = new Set<Connection>();
  const callers = new WeakMap<IncomingMessage, Caller>();
  const requests = new Map<number, number>();
  // The cookie's name contains the port, because all servers on this machine share the host's cookies.
  const cookieName = () => `colloquy-${port}`;
  let port = options.port ?? 5740;

  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const app = fastify({
    logger: false,
    bodyLimit: BODY_BYTES,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    requestTimeout: requestTimeoutMs,
    // A missing host is refused below, where the response gets its security headers.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: Math.min(requestTimeoutMs, 5_000), requireHostHeader: false },
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
    frameworkErrors: (error, request, reply) => {
      // No hooks run here, so a socket that asked for an upgrade would stay open.
      reply.raw.once("finish", () => request.raw.socket.destroySoon());
      void send(reply.headers(SECURITY_HEADERS), problemResponse(problemOf(error, report))).catch(report);
    },
  });
  app.server.on("checkExpectation", answerExpectation);
  const access = new Access(options.token, cookieName, () => served, {
    sessions: new Sessions({ file: options.sessionsFile, key: options.token }),
  });
  const callerOf = (request: FastifyRequest): Promise<Caller | undefined> => access.callerOf(credentialsOf(request), request.ip);

  // Not in the first hook: Fastify never releases a socket refused there, and the server could not close.
  app.addHook("preValidation", async (request) => {
    demandOneHost(request.raw.rawHeaders);
    demandHost(request.headers.host, { listening: host, reachedAt: request.socket.localAddress, origins });
  });
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
      // One packet per turn of the event loop, so that a client that sends hundreds at once does not block others.
      allowSynchronousEvents: false,
      // The other offered subprotocol contains a secret.
      handleProtocols: (offered: Set<string>) => (offered.has("colloquy") ? "colloquy" : false),
    },
  });

  app.addHook("onRequest", async ({ ws: isUpgrade, routeOptions, raw }) => {
    if (isUpgrade && routeOptions.url !== "/ws") throw new Refused({ code: "bad_request", message: "WebSockets are opened at /ws." });
    if (raw.headers.host === undefined && raw.httpVersion !== "1.0")
      throw new Refused({ code: "bad_request", message: "The Host header is missing." });
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
      if (isStopping) throw new Refused({ code: "unavailable", message: "The server is about to stop. Try again in a moment." });
    },
    handler: (_request, reply) =>
      void reply.code(426).send({ error: { code: "bad_request", message: "Open this address as a WebSocket." } }),
    wsHandler: (socket, request) => {
      const caller = callers.get(request.raw);
      if (!caller) return socket.terminate();
      const connection = new Connection(
        { ws: socket, stream: request.raw.socket },
        { caller, allowance: access.allowanceOf(caller) },
        context,
      );
      connections.add(connection);
      socket.on("close", () => connections.delete(connection));
    },
  });

  /** People who were removed from the settings or signed out get nothing more. */
  const lookAround = () => {
    for (const connection of connections) void connection.look().catch(report);
    for (const one of served) void one.look().catch(report);
    void programs.look().catch(report);
  };
  const { rotateToken: newOwnToken } = options;
  const rotateToken =
    newOwnToken &&
    (() => {
      const token = newOwnToken();
      // Sockets opened with the old token are closed; reconnecting with it fails.
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
        if (route.method !== "GET") lookAround();
        if (given.cookie !== undefined) reply.header("set-cookie", given.cookie);
        return reply.header("cache-control", "no-store").send(given.answer);
      },
    });

  app.all("/api/*", async (request, reply) => {
    const isChange = request.method !== "GET" && request.method !== "HEAD";
    if (isChange) demandOrigin(request.headers.origin, request.headers.host, origins);
    // Programs may omit the type. A page of another site always sends one that is not JSON, unless a preflight allows it.
    if (request.headers.origin !== undefined) demandJson(request.method, request.headers["content-type"]);
    const caller = await callerOf(request);
    if (caller) {
      const wait = access.allowanceOf(caller).take();
      if (wait > 0) throw tooMany("Too many requests.", wait);
    }
    return send(
      reply,
      await handle(toRequest(request), caller, { bytes: () => bytesOf(request.raw, BODY_BYTES), parts: () => request.raw }),
    );
  });

  const programs = programRoutes(app, { served, access, callerOf, origins, version: options.version, pageUrl: () => url, report });

  const loopDelay = newLoopDelay();
  loopDelay.enable();
  const figuresOf = (some: readonly ServedProject[], delay: LoopDelay) => {
    const bufferedBytes = [...connections].reduce((sum, connection) => sum + connection.buffered, 0);
    return figures(some, { sockets: connections.size, bufferedBytes, requests, loopDelay: delay }, Date.now());
  };
  app.get("/metrics", async (request, reply) => {
    const caller = await callerOf(request);
    if (!caller) throw unauthorized();
    const own = served.filter(({ id }) => caller.roleIn(id) !== undefined);
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(metricsText(figuresOf(own, loopDelay)));
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
    // An address within the app, which routes it itself; a missing file is a 404.
    if (request.method === "GET" && !/\.[a-z0-9]+$/i.test(request.url.split("?")[0] ?? "")) return page(reply);
    return send(reply, problemResponse(new Refused({ code: "not_found", message: "Not found." })));
  });

  const watching = setInterval(lookAround, LOOK_MS).unref();

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
  url = `http://${shownHost}:${port}`;
  const stopSending = await Promise.all(served.map((one) => sendFigures(one, (delay) => figuresOf([one], delay))));
  const onNostr = await Promise.all(served.map(({ project }) => startNostr(project, options.report)));
  const close = async () => {
    isStopping = true;
    for (const connection of connections) connection.dismiss();
    for (const nostr of onNostr) await nostr?.close();
    await programs.close();
    await Promise.all(stopSending.map((stop) => stop()));
    await Promise.all(served.map((one) => one.close()));
    loopDelay.disable();
    clearInterval(watching);
    await app.close();
  };
  return new Server({ url, port, projectIds: ids, connections, newLink: access.newLink, close });
}

/** Beside the bundle, or where the build puts it if the sources run directly. */
function builtApp(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const places = [join(here, "web"), join(here, "../../../dist/web")];
  return places.find((place) => existsSync(join(place, "index.html"))) ?? join(here, "web");
}

/** Assets' names contain a hash of their content; all other files are revalidated. */
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
