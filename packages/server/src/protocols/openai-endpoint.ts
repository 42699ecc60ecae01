import type { OpenAiApi } from "@colloquy/openai-api";
import { mayAct } from "@colloquy/schema";
import type { Caller } from "../access/caller.ts";
import { demand } from "../api/context.ts";
import { parsedBody } from "../api/handler.ts";
import { problemOf, STATUS } from "../http/problem.ts";
import type { ServedProject } from "../served-project.ts";
import { Creations } from "./creations.ts";
import { libraryBridge } from "./library-bridge.ts";
import { pageIn } from "./page-in.ts";
import type { ProgramRequest } from "./program-routes.ts";

interface Endpoint {
  readonly projects: readonly ServedProject[];
  readonly pageUrl: () => string;
  readonly report: (error: unknown) => void;
}

const PREFIX = "/v1";

/** OpenAI's API at `/v1`: the caller's projects, their agents as models. */
export class OpenAiEndpoint {
  readonly #endpoint: Endpoint;
  readonly #creations = new Map<string, Creations>();
  #api: Promise<OpenAiApi> | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Every problem has the API's own shape, a missing token too. */
  async answer(admitted: () => Promise<ProgramRequest>): Promise<Response> {
    const { openAiApi, errorResponse, PROTOCOL } = await import("@colloquy/openai-api");
    const { report } = this.#endpoint;
    const messageOf = (error: unknown) => problemOf(error, report).message;
    try {
      const { request, caller } = await admitted();
      const { pathname } = new URL(request.url);
      const api = await (this.#api ??= Promise.resolve(openAiApi({ now: Date.now, messageOf })));
      const projects = this.#projectsOf(caller, request.method, PROTOCOL);
      const body = request.method === "POST" ? parsedBody(new Uint8Array(await request.arrayBuffer())) : undefined;
      return await api.answer(request, pathname.slice(PREFIX.length), { projects, body });
    } catch (error) {
      const { code, message } = problemOf(error, report);
      return errorResponse({ status: STATUS[code], message, code: code === "unauthorized" ? "invalid_api_key" : code });
    }
  }

  #projectsOf(caller: Caller, method: string, protocol: string) {
    const needs = method === "GET" ? "viewer" : "member";
    const own = this.#endpoint.projects.filter(({ id }) => caller.roleIn(id) !== undefined);
    const usable = own.filter(({ id }) => mayAct(caller.roleIn(id) ?? "viewer", needs));
    if (usable.length === 0) demand(caller, own[0]?.id ?? "", needs, mayAct);
    return usable.map(({ id, project }) => {
      const creations = this.#creations.get(id) ?? new Creations(project, protocol);
      this.#creations.set(id, creations);
      return { id, bridge: libraryBridge(project, { by: caller.nameIn(id), creations, pageOf: pageIn(this.#endpoint.pageUrl, id) }) };
    });
  }
}
