import { A2A_CONTENT_TYPE, A2A_VERSION_HEADER, AgentCard, formatSSEErrorEvent, formatSSEEvent } from "@a2a-js/sdk";
import { A2AError, restStatusFor, toJsonRpcError, toRestErrorBody } from "@a2a-js/sdk/errors";
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from "@a2a-js/sdk/server";
import { type BridgeProject, eventStream } from "@colloquy/bridge";
import type { Refused } from "@colloquy/schema";
import { agentCard, type CardOptions } from "./card.ts";
import { RequestHandler } from "./handler.ts";
import type { PushOutbox } from "./push-outbox.ts";
import { protocolError } from "./problem.ts";
import { answerRest, CARD_ROUTE } from "./rest.ts";

/** A request to an agent. */
export interface A2aCall {
  readonly request: Request;
  readonly agentId: string;
  /** The path behind the agent's address. Empty: JSON-RPC. */
  readonly route: string;
  /** The agent's address. */
  readonly url: string;
  readonly version: string;
  /** The caller's name. */
  readonly by: string;
  readonly push?: PushOutbox | undefined;
  /** What went wrong, in words for the caller. */
  readonly problemOf: (error: unknown) => Refused;
}

/** Answers one request to an agent, in either binding. */
export async function a2a(
  project: BridgeProject,
  { request, agentId, route, url, version, by, push, problemOf }: A2aCall,
): Promise<Response> {
  const name = project.team().find(({ id }) => id === agentId)?.name ?? agentId;
  const described = (agents: readonly { readonly id: string; readonly name: string }[]) =>
    agentCard({
      name: `${name} (${project.name})`,
      description: `${name} of the team ${project.name}.`,
      url,
      version,
      agents,
      hasPush: push?.isOff === false,
    });
  const card = described(project.team().filter(({ id }) => id === agentId));
  if (route === CARD_ROUTE) return cardResponse(card);
  const handler = failing(
    new RequestHandler({ project, agentId, card, extendedCard: described(project.team()), signal: request.signal, by, push }),
    problemOf,
  );
  const requestedVersion = request.headers.get(A2A_VERSION_HEADER) ?? "";
  return route === ""
    ? overJsonRpc(request, handler, { card, requestedVersion })
    : overRest(request, handler, { card, requestedVersion, route });
}

/** The card of a team, for agents that look for one. */
export const teamCard = (team: Omit<CardOptions, "name" | "description">): Response =>
  cardResponse(agentCard({ ...team, name: "Colloquy", description: "A team of AI agents and people." }));

const cardResponse = (card: AgentCard): Response =>
  new Response(JSON.stringify(AgentCard.toJSON(card)), { headers: { "content-type": "application/json", "cache-control": "no-store" } });

interface Binding {
  readonly card: AgentCard;
  readonly requestedVersion: string;
}

async function overJsonRpc(request: Request, handler: RequestHandler, { card, requestedVersion }: Binding): Promise<Response> {
  const text = await request.text();
  const context = new ServerCallContext({ requestedVersion });
  const json = (body: unknown) => Response.json(body, { headers: { "cache-control": "no-store" } });
  const failed = (error: unknown) => ({ jsonrpc: "2.0", id: idIn(text), error: toJsonRpcError(error) });
  try {
    validateVersion(context.requestedVersion, card, "JSONRPC");
    const answer = await new JsonRpcTransportHandler(handler).handle(text, context);
    if (!(Symbol.asyncIterator in answer)) return json(answer);
    return await streamed(answer, (error) => `data: ${JSON.stringify(failed(error))}\n\n`);
  } catch (error) {
    return json(failed(error));
  }
}

async function overRest(
  request: Request,
  handler: RequestHandler,
  { card, requestedVersion, route }: Binding & { readonly route: string },
): Promise<Response> {
  const headers = { "content-type": A2A_CONTENT_TYPE, "cache-control": "no-store" };
  try {
    validateVersion(new ServerCallContext({ requestedVersion }).requestedVersion, card, "HTTP+JSON");
    const { searchParams } = new URL(request.url);
    const body = async () => JSON.parse((await request.text()) || "{}") as unknown;
    const answer = await answerRest(handler, { method: request.method, path: route, query: Object.fromEntries(searchParams), body });
    if (Symbol.asyncIterator in answer)
      return await streamed(answer, (error) => formatSSEErrorEvent(toRestErrorBody(error, restStatusFor(error))));
    return new Response(answer.body === undefined ? null : JSON.stringify(answer.body), { status: answer.status, headers });
  } catch (error) {
    const status = error instanceof SyntaxError ? 400 : restStatusFor(error);
    return new Response(JSON.stringify(toRestErrorBody(error, status)), { status, headers });
  }
}

/** What fails before the first event is an error of the request, not of the stream. */
async function streamed(events: AsyncGenerator<unknown, void, undefined>, onError: (error: unknown) => string): Promise<Response> {
  const first = await events.next();
  async function* all(): AsyncGenerator<string> {
    if (!first.done) yield formatSSEEvent(first.value);
    for await (const event of events) yield formatSSEEvent(event);
  }
  return eventStream(all(), onError);
}

/** The id of a JSON-RPC request that was not understood. */
function idIn(body: string): string | number | null {
  try {
    const { id } = JSON.parse(body) as { id?: unknown };
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch {
    return null; // no JSON
  }
}

/** The same handler, whose refusals are the protocol's errors. */
function failing(handler: RequestHandler, problemOf: (error: unknown) => Refused): RequestHandler {
  const known = (error: unknown): unknown => (error instanceof A2AError ? error : protocolError(problemOf(error)));
  async function* stream<Event>(events: AsyncGenerator<Event, void, undefined>): AsyncGenerator<Event, void, undefined> {
    try {
      yield* events;
    } catch (error) {
      throw known(error);
    }
  }
  return new Proxy(handler, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== "function") return method;
      return (...given: readonly unknown[]) => {
        const answer: unknown = Reflect.apply(method, target, given);
        if (answer instanceof Promise) return answer.catch((error: unknown) => Promise.reject(known(error)));
        return stream(answer as AsyncGenerator<unknown, void, undefined>);
      };
    },
  });
}
