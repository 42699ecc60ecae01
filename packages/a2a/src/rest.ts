import {
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import { TaskNotFoundError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { RequestHandler } from "./handler.ts";
import { malformed } from "./problem.ts";

/** What a request is answered with: a value, nothing, or a stream of values, as JSON. */
export type RestAnswer = { readonly status: number; readonly body?: unknown } | AsyncGenerator<unknown, void, undefined>;

interface RestRequest {
  readonly method: string;
  /** The path behind the agent's, without a slash in front. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: () => Promise<unknown>;
}

type Routed = (handler: RequestHandler, request: RestRequest, parts: readonly string[]) => Promise<RestAnswer>;

async function* each(events: AsyncGenerator<StreamResponse, void, undefined>): AsyncGenerator<unknown, void, undefined> {
  for await (const event of events) yield StreamResponse.toJSON(event);
}

const object = async ({ body }: RestRequest): Promise<object> => {
  const given = await body();
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw malformed("Body: an object is expected.");
  return given;
};
const wholeNumber = (name: string, given: string | undefined): number | undefined => {
  if (given === undefined) return undefined;
  if (!/^\d{1,9}$/.test(given)) throw malformed(`${name}: a number is expected.`);
  return Number(given);
};
const ok = (body: unknown): RestAnswer => ({ status: 200, body });

const subscribe: Routed = async (handler, _request, [id = ""]) => each(handler.resubscribe({ tenant: "", id }));

/** The addresses of the protocol's REST binding. The first that matches the end of a path is meant. */
const ROUTES: readonly (readonly [method: string, path: RegExp, answer: Routed])[] = [
  ["GET", /extendedAgentCard$/, async (handler) => ok(AgentCard.toJSON(await handler.getAuthenticatedExtendedAgentCard()))],
  [
    "POST",
    /message:send$/,
    async (handler, request) => {
      const value = await handler.sendMessage(SendMessageRequest.fromJSON(await object(request)));
      return ok(SendMessageResponse.toJSON({ payload: { $case: "task", value } }));
    },
  ],
  [
    "POST",
    /message:stream$/,
    async (handler, request) => each(handler.sendMessageStream(SendMessageRequest.fromJSON(await object(request)))),
  ],
  ["GET", /tasks\/([^/]+):subscribe$/, subscribe],
  ["POST", /tasks\/([^/]+):subscribe$/, subscribe],
  [
    "POST",
    /tasks\/([^/]+):cancel$/,
    async (handler, _, [id = ""]) => ok(Task.toJSON(await handler.cancelTask({ tenant: "", id, metadata: {} }))),
  ],
  [
    "POST",
    /tasks\/([^/]+)\/pushNotificationConfigs$/,
    async (handler, request, [taskId = ""]) => {
      const made = await handler.createTaskPushNotificationConfig(
        TaskPushNotificationConfig.fromJSON({ ...(await object(request)), taskId }),
      );
      return { status: 201, body: TaskPushNotificationConfig.toJSON(made) };
    },
  ],
  [
    "GET",
    /tasks\/([^/]+)\/pushNotificationConfigs$/,
    async (handler, _, [taskId = ""]) => {
      const all = await handler.listTaskPushNotificationConfigs({ tenant: "", taskId, pageSize: 0, pageToken: "" });
      return ok(ListTaskPushNotificationConfigsResponse.toJSON(all));
    },
  ],
  [
    "GET",
    /tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/,
    async (handler, _, [taskId = "", id = ""]) =>
      ok(TaskPushNotificationConfig.toJSON(await handler.getTaskPushNotificationConfig({ tenant: "", taskId, id }))),
  ],
  [
    "DELETE",
    /tasks\/([^/]+)\/pushNotificationConfigs\/([^/]+)$/,
    async (handler, _, [taskId = "", id = ""]) => {
      await handler.deleteTaskPushNotificationConfig({ tenant: "", taskId, id });
      return { status: 204 };
    },
  ],
  [
    "GET",
    /tasks\/([^/]+)$/,
    async (handler, { query }, [id = ""]) => {
      const historyLength = wholeNumber("historyLength", query.historyLength);
      return ok(Task.toJSON(await handler.getTask({ tenant: "", id, historyLength })));
    },
  ],
  [
    "GET",
    /tasks$/,
    async (handler, { query }) => {
      const { includeArtifacts, ...rest } = query;
      wholeNumber("pageSize", query.pageSize);
      wholeNumber("historyLength", query.historyLength);
      const params = ListTasksRequest.fromJSON({ ...rest, includeArtifacts: includeArtifacts === "true" });
      return ok({ nextPageToken: "", tasks: [], ...(ListTasksResponse.toJSON(await handler.listTasks(params)) as object) });
    },
  ],
];

/** The route of an agent's own card. */
export const CARD_ROUTE = ".well-known/agent-card.json";

/** An agent's address and what is wanted there. */
interface Place {
  readonly agent: string;
  /** Empty: JSON-RPC. */
  readonly route: string;
}

/** Splits a path behind `/a2a/`. Undefined if it is no address of either binding. */
export function placeOf(method: string, path: string): Place | undefined {
  const split = (at: number): Place => ({ agent: path.slice(0, at).replace(/\/$/, ""), route: path.slice(at) });
  if (method === "GET" && (path === CARD_ROUTE || path.endsWith(`/${CARD_ROUTE}`))) return split(path.length - CARD_ROUTE.length);
  for (const [on, pattern] of ROUTES) {
    const found = on === method ? new RegExp(`(?<=^|/)${pattern.source}`).exec(path) : null;
    if (found) return split(found.index);
  }
  return method === "POST" ? split(path.length) : undefined;
}

export async function answerRest(handler: RequestHandler, request: RestRequest): Promise<RestAnswer> {
  for (const [on, pattern, answer] of ROUTES) {
    const found = on === request.method ? new RegExp(`^${pattern.source}`).exec(request.path) : undefined;
    if (found) return answer(handler, request, found.slice(1));
  }
  if (request.path.startsWith("tasks/")) throw new TaskNotFoundError();
  throw new UnsupportedOperationError(`There is no ${request.method} ${request.path.slice(0, 100)}.`);
}
