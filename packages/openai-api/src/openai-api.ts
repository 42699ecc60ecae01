import { type BridgeProject, eventStream } from "@colloquy/bridge";
import { Refused, type RootId } from "@colloquy/schema";
import { chatChunks, chatCompletion } from "./chat.ts";
import { begin, type Begun, PROTOCOL, saidBefore, type Sending } from "./conversation.ts";
import { BadRequest, errorBody, errorResponse } from "./errors.ts";
import { reply, type ReplyPart } from "./reply.ts";
import { type Asked, readChat, readResponses } from "./requests.ts";
import { responseEvents, runningResponse, wholeResponse } from "./responses.ts";

export { PROTOCOL };

/** A project of the caller. With several, a model's name begins with its project's. */
export interface Served {
  readonly id: string;
  readonly bridge: BridgeProject;
}

export interface OpenAiApi {
  /** `path` follows `/v1`. Refusals are thrown; requests that are wrong by this API's own rules are answered. */
  readonly answer: (request: Request, path: string, call: ApiCall) => Promise<Response>;
}

interface ApiCall {
  readonly projects: readonly Served[];
  /** The body, if there is one. */
  readonly body: unknown;
}

interface ApiOptions {
  readonly now: () => number;
  /** Of an error while a response is being streamed. */
  readonly messageOf: (error: unknown) => string;
}

/** Responses whose question is remembered, so that its number can be the answer. */
const MAX_REMEMBERED = 10_000;

export function openAiApi({ now, messageOf }: ApiOptions): OpenAiApi {
  const shownBy = new Map<string, NonNullable<Sending["shown"]>>();
  const seconds = () => Math.floor(now() / 1_000);

  /** Notes which question a response ends with. */
  async function* noting(id: string, parts: AsyncIterable<ReplyPart>): AsyncGenerator<ReplyPart> {
    for await (const part of parts) {
      if (part.type === "question") shownBy.set(id, { question: part.question, shown: part.shown });
      const [oldest] = shownBy.keys();
      if (shownBy.size > MAX_REMEMBERED && oldest !== undefined) shownBy.delete(oldest);
      yield part;
    }
  }
  const failing = (error: unknown) => `data: ${JSON.stringify(errorBody({ status: 500, message: messageOf(error) }))}\n\n`;

  async function chat(request: Request, asked: Asked, projects: readonly Served[]): Promise<Response> {
    const { bridge, agentId } = agentOf(projects, asked.model);
    const begun = await begin(bridge, agentId, asked, sendingOf(request));
    const options = {
      id: `chatcmpl-${begun.rootId}-${begun.after}`,
      model: asked.model,
      created: seconds(),
      includesUsage: asked.includesUsage === true,
    };
    const parts = reply(bridge, begun, request.signal);
    return named(
      asked.stream ? eventStream(chatChunks(options, parts), failing) : Response.json(await chatCompletion(options, parts)),
      begun,
    );
  }

  async function responses(request: Request, asked: Asked, projects: readonly Served[]): Promise<Response> {
    const { bridge, agentId } = agentOf(projects, asked.model);
    const previous = asked.previous === undefined ? undefined : placeIn(asked.previous);
    const shown = asked.previous === undefined ? undefined : shownBy.get(asked.previous);
    const begun = await begin(bridge, agentId, { ...asked, dialog: asked.dialog ?? previous?.rootId }, { ...sendingOf(request), shown });
    const id = `resp_${begun.rootId}_${begun.after}`;
    const options = { id, model: asked.model, created: seconds(), previous: asked.previous };
    if (asked.background) return named(Response.json(runningResponse(options)), begun);
    const parts = noting(id, reply(bridge, begun, request.signal));
    return named(
      asked.stream ? eventStream(responseEvents(options, parts), failing) : Response.json(await wholeResponse(options, parts)),
      begun,
    );
  }

  /** A response as it is now: what its dialog has said since. */
  async function retrieve(id: string, projects: readonly Served[], signal: AbortSignal): Promise<Response> {
    const { rootId, after } = placeIn(id);
    for (const { bridge, id: project } of projects) {
      const view = await bridge.view(rootId).catch((error: unknown) => {
        if (error instanceof Refused && error.code === "not_found") return undefined;
        throw error;
      });
      if (!view) continue;
      const model = nameOf(projects, project, view.agentId);
      const options = { id, model, created: Math.floor(Date.parse(view.createdAt) / 1_000), previous: undefined };
      const said = await saidBefore(bridge, view.rootId, after);
      if (said) return Response.json(await wholeResponse(options, [{ type: "text", text: said.join("\n\n") }]));
      if (view.needsDrive || view.generating) return Response.json(runningResponse(options));
      return Response.json(await wholeResponse(options, noting(id, reply(bridge, { rootId: view.rootId, after, missed: [] }, signal))));
    }
    throw new Refused({ code: "not_found", message: `There is no response ${id}.` });
  }

  async function answer(request: Request, path: string, { projects, body }: ApiCall): Promise<Response> {
    const { method } = request;
    const [kind = "", id, ...more] = path
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
    if (method === "POST" && path === "/chat/completions") return chat(request, readChat(body), projects);
    if (method === "POST" && path === "/responses") return responses(request, readResponses(body), projects);
    if (method === "GET" && kind === "responses" && id !== undefined && more.length === 0) return retrieve(id, projects, request.signal);
    if (method === "GET" && path === "/models") return Response.json({ object: "list", data: modelsOf(projects) });
    if (method === "GET" && kind === "models" && id !== undefined) {
      const name = [id, ...more].join("/");
      agentOf(projects, name);
      return Response.json(modelsOf(projects).find((model) => model.id === name));
    }
    return errorResponse({ status: 404, message: `There is no ${method} /v1${path}.`, code: "unknown_url" });
  }

  return {
    async answer(request, path, call) {
      try {
        return await answer(request, path, call);
      } catch (error) {
        if (!(error instanceof BadRequest)) throw error;
        return errorResponse({
          status: error.code === "model_not_found" ? 404 : 400,
          message: error.message,
          code: error.code,
          param: error.param,
        });
      }
    },
  };
}

const named = (response: Response, { rootId }: Begun): Response => {
  response.headers.set("x-colloquy-dialog", rootId);
  response.headers.set("cache-control", "no-store");
  return response;
};

function sendingOf({ headers }: Request): Sending {
  const key = headers.get("idempotency-key") ?? undefined;
  return { isRetry: Number(headers.get("x-stainless-retry-count") ?? 0) > 0, key };
}

function placeIn(response: string): { readonly rootId: RootId; readonly after: number } {
  const [, rootId, seq] = /^resp_([0-9a-f]{32}|[0-9a-f]{64})_(\d{1,12})$/.exec(response) ?? [];
  if (rootId === undefined) throw new BadRequest(`There is no response "${response.slice(0, 100)}".`, { param: "previous_response_id" });
  return { rootId: rootId as RootId, after: Number(seq) };
}

const nameOf = (projects: readonly Served[], project: string, agent: string): string =>
  projects.length > 1 ? `${project}/${agent}` : agent;

const modelsOf = (projects: readonly Served[]) =>
  projects.flatMap(({ id: project, bridge }) =>
    bridge.team().map(({ id }) => ({ id: nameOf(projects, project, id), object: "model", created: 0, owned_by: bridge.name })),
  );

function agentOf(projects: readonly Served[], model: string): { readonly bridge: BridgeProject; readonly agentId: string } {
  for (const { id: project, bridge } of projects)
    for (const { id } of bridge.team()) if (nameOf(projects, project, id) === model) return { bridge, agentId: id };
  const names = modelsOf(projects).map(({ id }) => id);
  const message = `There is no agent "${model.slice(0, 100)}". The models are the agents: ${names.join(", ") || "there are none yet"}.`;
  throw new BadRequest(message, { param: "model", code: "model_not_found" });
}
