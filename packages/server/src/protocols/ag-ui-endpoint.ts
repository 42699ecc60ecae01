import { mayAct, Refused } from "@colloquy/schema";
import { demand } from "../api/context.ts";
import { parsedBody } from "../api/handler.ts";
import { notFound, problemOf } from "../http/problem.ts";
import type { Bridges } from "./bridges.ts";
import type { ProgramRequest } from "./program-routes.ts";

interface Endpoint {
  readonly bridges: Bridges;
  readonly report: (error: unknown) => void;
}

/** AG-UI at `/agui/AGENT`; with several projects `/agui/PROJECT/AGENT`. */
export async function answerAgUi({ request, caller }: ProgramRequest, path: string, { bridges, report }: Endpoint): Promise<Response> {
  if (request.method !== "POST") throw new Refused({ code: "method_not_allowed", message: "Allowed methods: POST." });
  const { agUi, PROTOCOL } = await import("@colloquy/ag-ui");
  // Decoded already.
  const [first = "", second, ...more] = path.split("/");
  const all = bridges.of(caller, "viewer", PROTOCOL);
  const [only] = all;
  const found = second === undefined ? (all.length === 1 ? only : undefined) : all.find(({ id }) => id === first);
  const agentId = second ?? first;
  if (!found || more.length > 0 || !found.bridge.team().some(({ id }) => id === agentId)) {
    const known = all.flatMap(({ id, bridge }) => bridge.team().map((agent) => `/agui/${all.length > 1 ? `${id}/` : ""}${agent.id}`));
    throw notFound(`There is no agent at /agui/${path.slice(0, 100)}. Agents: ${known.join(", ")}.`);
  }
  demand(caller, found.id, "member", mayAct);
  const body = parsedBody(new Uint8Array(await request.arrayBuffer()));
  const told = (error: unknown) => {
    const { code, message } = problemOf(error, report);
    return { code, message };
  };
  return agUi(found.bridge, { body, agentId, signal: request.signal, problemOf: told });
}
