import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Access, demandOrigin, tooMany } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import { BODY_BYTES, unauthorized } from "../api/handler.ts";
import { send, toRequest } from "../http/fastify-reply.ts";
import { bytesOf } from "../http/raw-body.ts";
import { McpEndpoint } from "../mcp/mcp-endpoint.ts";
import type { ServedProject } from "../served-project.ts";
import { answerAgUi } from "./ag-ui-endpoint.ts";
import { Bridges } from "./bridges.ts";
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

/** The addresses that programs use with a protocol of theirs. The code of each is loaded by its first request. */
export function programRoutes(app: FastifyInstance, options: ProgramRoutes): { readonly close: () => Promise<void> } {
  const { served, access, callerOf, origins, version, pageUrl, report } = options;

  /** Only programs with a token: a browser's cookie opens nothing here, so no other site can use it. */
  async function admitted(request: FastifyRequest, reply: FastifyReply): Promise<ProgramRequest> {
    if (request.headers.authorization === undefined) throw unauthorized();
    demandOrigin(request.headers.origin, request.headers.host, origins);
    const caller = await callerOf(request);
    if (!caller) throw unauthorized();
    const wait = access.allowanceOf(caller).take();
    if (wait > 0) throw tooMany("Too many requests.", wait);
    const body = request.method === "POST" ? { body: new Uint8Array(await bytesOf(request.raw, BODY_BYTES)) } : {};
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    return { request: new Request(toRequest(request), { ...body, signal: gone.signal }), caller };
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

  return { close: () => mcp.close() };
}
