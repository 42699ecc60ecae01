import type { HttpMcp } from "@colloquy/mcp-server";
import { mayAct, Refused } from "@colloquy/schema";
import { demand } from "../api/context.ts";
import { unauthorized } from "../api/handler.ts";
import type { Caller } from "../access/caller.ts";
import { notFound } from "../http/problem.ts";
import type { ServedProject } from "../served-project.ts";
import { libraryProject } from "./library-project.ts";

interface Endpoint {
  readonly version: string;
  readonly projects: readonly ServedProject[];
  readonly pageUrl: () => string;
  readonly report: (error: unknown) => void;
}

/** MCP over HTTP at `/mcp`; with several projects at `/mcp/PROJECT`. The protocol's code is loaded by the first request. */
export class McpEndpoint {
  readonly #endpoint: Endpoint;
  readonly #served = new Map<string, Promise<HttpMcp>>();

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  async answer(request: Request, caller: Caller | undefined, named: string | undefined): Promise<Response> {
    if (!caller) throw unauthorized();
    const served = this.#projectOf(caller, named);
    demand(caller, served.id, "member", mayAct);
    const mcp = await this.#mcpOf(served);
    return mcp.fetch(request, caller.nameIn(served.id));
  }

  async close(): Promise<void> {
    for (const mcp of this.#served.values()) await (await mcp).close();
  }

  #projectOf(caller: Caller, named: string | undefined): ServedProject {
    const own = this.#endpoint.projects.filter(({ id }) => caller.roleIn(id) !== undefined);
    const found = named === undefined ? own[0] : own.find(({ id }) => id === named);
    if (!found) throw notFound(`There is no project "${named ?? ""}" here.`);
    if (named === undefined && own.length > 1)
      throw new Refused({ code: "bad_request", message: `Name the project: /mcp/${own.map(({ id }) => id).join(" or /mcp/")}` });
    return found;
  }

  #mcpOf({ id, project }: ServedProject): Promise<HttpMcp> {
    const known = this.#served.get(id);
    if (known) return known;
    const { version, pageUrl, report } = this.#endpoint;
    const pageOf = (questionId: string) => `${pageUrl()}/p/${encodeURIComponent(id)}/q/${questionId}`;
    const opening = import("@colloquy/mcp-server").then(({ serveHttp }) =>
      serveHttp((by) => libraryProject(project, by, pageOf), { version, report }),
    );
    this.#served.set(id, opening);
    opening.catch(() => this.#served.delete(id));
    return opening;
  }
}
