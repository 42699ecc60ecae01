import { Readable } from "node:stream";
import { DIALOG_FILE, mayAct, type Method, type Route, type RouteName, ROUTES, Refused } from "@colloquy/schema";
import type { Caller } from "../access/caller.ts";
import { parsedJson } from "../http/json-text.ts";
import { errorBody, notFound, problemOf, read, STATUS } from "../http/problem.ts";
import { type Asked, type Context, demand, projectOf } from "./context.ts";
import * as dialogs from "./dialogs.ts";
import * as effects from "./effects.ts";
import * as questions from "./questions.ts";
import * as settings from "./settings.ts";
import * as tasks from "./tasks.ts";
import * as transfer from "./transfer.ts";

/** More than any message needs; a larger body is refused. */
export const BODY_BYTES = 4 * 1024 * 1024;
/** Timeout for receiving a body. */
const BODY_MS = 60_000;

type Answerer = (asked: Asked<never, never>) => unknown;
const ANSWERERS: Readonly<Record<RouteName, Answerer>> = { ...dialogs, ...effects, ...questions, ...settings, ...tasks, ...transfer };

/** A request's body, read once: at once, or part by part. */
export interface Incoming {
  readonly bytes: () => Promise<Uint8Array>;
  readonly parts: () => AsyncIterable<Uint8Array>;
}

/** The whole HTTP API: from a request and its caller to a response. Knows nothing of sockets, ports and cookies. */
export type Handler = (request: Request, caller: Caller | undefined, incoming?: Incoming) => Promise<Response>;

/** `base`: the prefix of the routes' paths. */
export function apiHandler(context: Context, base = "/api"): Handler {
  return async (request, caller, incoming = incomingOf(request)) => {
    try {
      const { pathname, searchParams } = new URL(request.url);
      const found = findRoute(request.method, pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : "");
      demandAccess(found, caller, context);
      const query: unknown = found.route.query ? read(found.route.query, Object.fromEntries(searchParams), "Query") : {};
      const body: unknown = found.route.body ? read(found.route.body, parsedBody(await incoming.bytes()), "Body") : undefined;
      const asked: Asked = { params: found.params, query, body, caller: caller ?? NOBODY, request, context, file: incoming.parts };
      const answer = await ANSWERERS[found.route.name as RouteName](asked as Asked<never, never>);
      return answer instanceof Response ? answer : json(found.route.status, answer);
    } catch (error) {
      return problemResponse(problemOf(error, context.report));
    }
  };
}

/** Checked before the body is read. */
function demandAccess({ route, params }: RouteMatch, caller: Caller | undefined, context: Context): void {
  if (route.needs === "nobody") return;
  if (!caller) throw unauthorized();
  if (context.isStopping() && route.method !== "GET")
    throw new Refused({ code: "unavailable", message: "The server is about to stop. Try again in a moment." });
  if (params.pid !== undefined) demand(caller, projectOf({ params, caller, context }).id, route.needs, mayAct);
}

const NOBODY: Caller = { user: "nobody", nameIn: () => "nobody", roleIn: () => undefined, refresh: async () => undefined };

export const unauthorized = (): Refused =>
  new Refused({
    code: "unauthorized",
    message: "A token is needed: Authorization: Bearer TOKEN. The link that the server printed has it.",
  });

export function parsedBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  try {
    return parsedJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes), "Body");
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused({ code: "bad_request", message: "Body: not JSON." });
  }
}

/**
 * Changes must be JSON, or a file of dialogs: browsers let a page of another site send these only after a preflight, which this server does
 * not grant.
 */
export function demandJson(method: string, type: string | null | undefined): void {
  if (method === "GET" || method === "HEAD" || type === null || type === undefined) return;
  if (/^application\/json\s*(?:;|$)/i.test(type) || type.toLowerCase() === DIALOG_FILE) return;
  throw new Refused({ code: "bad_request", message: "Send changes with Content-Type: application/json." });
}

const incomingOf = (request: Request): Incoming => ({
  bytes: () => bytesOf(request),
  parts: () => (request.body ? (Readable.fromWeb(request.body as never) as AsyncIterable<Uint8Array>) : Readable.from([])),
});

async function bytesOf(request: Request): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES) throw tooLarge();
  const parts: Uint8Array[] = [];
  let length = 0;
  const over = AbortSignal.timeout(BODY_MS);
  for await (const part of Readable.fromWeb(request.body as never, { signal: over })) {
    parts.push(part as Uint8Array);
    length += (part as Uint8Array).length;
    if (length > BODY_BYTES) throw tooLarge();
  }
  return parts.length === 1 ? (parts[0] ?? new Uint8Array()) : Buffer.concat(parts);
}

export const tooLarge = (most = BODY_BYTES): Refused =>
  new Refused({
    code: "too_large",
    message: `A body may have at most ${most >= 1024 * 1024 ? `${most / 1024 / 1024} MB` : `${most} bytes`}.`,
  });

const json = (status: number, value: unknown): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  });

export function problemResponse(problem: Refused): Response {
  const response = json(STATUS[problem.code], errorBody(problem));
  const { retryAfterMs } = problem;
  if (retryAfterMs !== undefined) response.headers.set("retry-after", String(Math.max(1, Math.ceil(retryAfterMs / 1_000))));
  if (problem.code === "unauthorized") response.headers.set("www-authenticate", "Bearer");
  return response;
}

interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

const TABLE = ROUTES.map((route: Route) => ({ route, parts: route.path.split("/").slice(1) }));

function findRoute(method: string, path: string): RouteMatch {
  const parts = path.split("/").slice(1);
  const fitting = TABLE.flatMap(({ route, parts: pattern }) => {
    const params = match(pattern, parts);
    return params ? [{ route, params }] : [];
  });
  const found = fitting.find(({ route }) => route.method === (method as Method));
  if (found) return found;
  if (fitting.length === 0) throw notFound("There is no such route. docs/API.md lists them.");
  throw new Refused({ code: "method_not_allowed", message: `Allowed methods: ${fitting.map(({ route }) => route.method).join(", ")}.` });
}

function match(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [nth, piece] of pattern.entries()) {
    const part = parts[nth] ?? "";
    if (!piece.startsWith(":")) {
      if (piece !== part) return undefined;
      continue;
    }
    const value = decoded(part);
    if (value === undefined || value === "") return undefined;
    params[piece.slice(1)] = value;
  }
  return params;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined; // matches no route
  }
}
