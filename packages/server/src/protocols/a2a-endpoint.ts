import { mayAct, Refused } from "@colloquy/schema";
import type { Caller } from "../access/caller.ts";
import { demand } from "../api/context.ts";
import { notFound, problemOf } from "../http/problem.ts";
import type { Bridged, Bridges } from "./bridges.ts";
import type { PushOutboxes } from "./push-outboxes.ts";
import type { ProgramRequest } from "./program-routes.ts";

interface Endpoint {
  readonly bridges: Bridges;
  readonly outboxes: PushOutboxes;
  readonly version: string;
  readonly report: (error: unknown) => void;
  /** The server's address as the client sees it. */
  readonly origin: string;
}

/** The card of the whole team. Without a token it says how to reach the team, and not who is in it. */
export async function answerTeamCard(
  caller: Caller | undefined,
  { bridges, version, origin, hasPush }: Endpoint & { readonly hasPush: boolean },
): Promise<Response> {
  const { PROTOCOL, teamCard } = await import("@colloquy/a2a");
  const all = caller ? bridges.of(caller, "viewer", PROTOCOL) : [];
  const prefix = (id: string) => (all.length > 1 ? `${id}/` : "");
  const agents = all.flatMap(({ id, bridge }) => bridge.team().map((agent) => ({ ...agent, id: prefix(id) + agent.id })));
  return teamCard({ url: `${origin}/a2a`, version, agents, hasPush });
}

/** A2A at `/a2a`, `/a2a/AGENT`, and with several projects `/a2a/PROJECT/AGENT`. `path`: decoded already. */
export async function answerA2a({ request, caller }: ProgramRequest, path: string, endpoint: Endpoint): Promise<Response> {
  const { bridges, outboxes, version, report, origin } = endpoint;
  const { a2a, placeOf, PROTOCOL } = await import("@colloquy/a2a");
  const place = placeOf(request.method, path);
  if (!place) throw new Refused({ code: "method_not_allowed", message: "There is no such address of A2A. JSON-RPC is sent by POST." });
  const all = bridges.of(caller, "viewer", PROTOCOL);
  const found = addressed(all, place.agent);
  if (!found) {
    const known = all.flatMap(({ id, bridge }) => bridge.team().map((agent) => `/a2a/${all.length > 1 ? `${id}/` : ""}${agent.id}`));
    throw notFound(`There is no agent at /a2a/${place.agent.slice(0, 100)}. Agents: ${known.join(", ")}.`);
  }
  if (request.method !== "GET") demand(caller, found.id, "member", mayAct);
  const url = `${origin}/a2a${place.agent === "" ? "" : `/${place.agent.split("/").map(encodeURIComponent).join("/")}`}`;
  return a2a(found.bridge, {
    request,
    agentId: found.agentId,
    route: place.route,
    url,
    version,
    by: found.by,
    push: await outboxes.of(found.served),
    problemOf: (error) => problemOf(error, report),
  });
}

/** The agent at an address; undefined if there is none. */
function addressed(all: readonly Bridged[], address: string): (Bridged & { readonly agentId: string }) | undefined {
  const parts = address === "" ? [] : address.split("/");
  const isAlone = all.length === 1 && parts.length < 2;
  const [projectId, named] = isAlone ? [all[0]?.id, parts[0]] : parts;
  const project = parts.length > 2 ? undefined : all.find(({ id }) => id === projectId);
  const agentId = named ?? project?.bridge.defaultAgent;
  return project && agentId !== undefined && project.bridge.team().some(({ id }) => id === agentId) ? { ...project, agentId } : undefined;
}
