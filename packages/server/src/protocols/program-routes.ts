import { mayAct, type Role } from "@colloquy/schema";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Access, demandOrigin, tooMany } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import { BODY_BYTES, unauthorized } from "../api/handler.ts";
import { send, toRequest } from "../http/fastify-reply.ts";
import { demandSimple } from "../http/json-text.ts";
import { bytesOf } from "../http/raw-body.ts";
import { McpEndpoint } from "../mcp/mcp-endpoint.ts";
import type { ServedProject } from "../served-project.ts";
import { answerA2a, answerTeamCard } from "./a2a-endpoint.ts";
import { answerAgUi } from "./ag-ui-endpoint.ts";
import { Bridges } from "./bridges.ts";
import { PushOutboxes } from "./push-outboxes.ts";
import { OpenAiEndpoint } from "./openai-endpoint.ts";

export interface ProgramRoutes {
  readonly served: readonly ServedProject[];
  readonly access: Access;
  readonly callerOf: (request: FastifyRequest) => Promise<Caller | undefined>;
  readonly origins: readonly string[];
  readonly version: string;
  readonly pageUrl: () => string;
  readonly report: (error: unknown) => void;
}

/** A request whose sender is known and may send it. */
export interface ProgramRequest {
  readonly request: Request;
  readonly caller: Caller;
}

/** The server's address as the client wrote it, which may be that of a proxy; only the server's own names get here. */
function originOf({ headers }: FastifyRequest, otherwise: string): string {
  if (headers.host === undefined) return otherwise;
  return `${headers["x-forwarded-proto"] === "https" ? "https" : "http"}://${headers.host}`;
}

/** A request that is being answered: for hours, if it waits for a person. */
interface Exchange {
  readonly caller: Caller;
  readonly roles: ReadonlyMap<string, Role>;
  readonly end: () => void;
}

interface Programs {
  /** Ends the exchanges of callers who have lost a right since they began. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** The addresses that programs use with a protocol of theirs. The code of each is loaded by its first request. */
export function programRoutes(app: FastifyInstance, options: ProgramRoutes): Programs {
  const { served, access, callerOf, origins, version, pageUrl, report } = options;
  const exchanges = new Set<Exchange>();

  function begin(caller: Caller, reply: FastifyReply): AbortSignal {
    const gone = new AbortController();
    const roles = new Map(served.flatMap(({ id }) => [caller.roleIn(id) ?? []].flat().map((role) => [id, role] as const)));
    const exchange = { caller, roles, end: () => reply.raw.destroy() };
    exchanges.add(exchange);
    reply.raw.once("close", () => {
      exchanges.delete(exchange);
      gone.abort();
    });
    return gone.signal;
  }

  async function look(): Promise<void> {
    for (const { caller, roles, end } of exchanges) {
      await caller.refresh();
      const mayStill = [...roles].every(([id, before]) => {
        const role = caller.roleIn(id);
        return role !== undefined && mayAct(role, before);
      });
      if (!mayStill) end();
    }
  }

  /** Only programs with a token: a browser's cookie opens nothing here, so no other site can use it. */
  async function admitted(request: FastifyRequest, reply: FastifyReply): Promise<ProgramRequest> {
    if (request.headers.authorization === undefined) throw unauthorized();
    demandOrigin(request.headers.origin, request.headers.host, origins);
    const caller = await callerOf(request);
    if (!caller) throw unauthorized();
    const wait = access.allowanceOf(caller).take();
    if (wait > 0) throw tooMany("Too many requests.", wait);
    const bytes = request.method === "POST" ? new Uint8Array(await bytesOf(request.raw, BODY_BYTES)) : undefined;
    if (bytes) demandSimple(new TextDecoder().decode(bytes), "Body");
    const signal = begin(caller, reply);
    return { request: new Request(toRequest(request), { ...(bytes && { body: bytes }), signal }), caller };
  }

  const mcp = new McpEndpoint({ version, projects: served, pageUrl, report });
  app.all<{ Params: { pid?: string } }>("/mcp/:pid?", async (request, reply) => {
    const { request: asked, caller } = await admitted(request, reply);
    return send(reply, await mcp.answer(asked, caller, request.params.pid));
  });

  const bridges = new Bridges(served, pageUrl);
  const openai = new OpenAiEndpoint({ bridges, report });
  app.all("/v1/*", async (request, reply) => send(reply, await openai.answer(() => admitted(request, reply))));
  app.all<{ Params: { "*": string } }>("/agui/*", async (request, reply) =>
    send(reply, await answerAgUi(await admitted(request, reply), request.params["*"], { bridges, report })),
  );

  const outboxes = new PushOutboxes(bridges, report);
  outboxes.resume(served);
  const a2a = (request: FastifyRequest) => ({ bridges, outboxes, version, report, origin: originOf(request, pageUrl()) });
  for (const path of ["/a2a", "/a2a/*"])
    app.all<{ Params: { "*"?: string } }>(path, async (request, reply) =>
      send(reply, await answerA2a(await admitted(request, reply), request.params["*"] ?? "", a2a(request))),
    );
  app.get("/.well-known/agent-card.json", async (request, reply) => {
    const caller = request.headers.authorization === undefined ? undefined : (await admitted(request, reply)).caller;
    return send(
      reply,
      await answerTeamCard(caller, { ...a2a(request), hasPush: served.some(({ project }) => project.agents.pushOrigins.length > 0) }),
    );
  });

  return {
    look,
    async close() {
      await outboxes.close();
      await mcp.close();
    },
  };
}
