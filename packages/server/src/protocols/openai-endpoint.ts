import type { OpenAiApi } from "@colloquy/openai-api";
import { parsedBody } from "../api/handler.ts";
import { problemOf, STATUS } from "../http/problem.ts";
import type { Bridges } from "./bridges.ts";
import type { ProgramRequest } from "./program-routes.ts";

interface Endpoint {
  readonly bridges: Bridges;
  readonly report: (error: unknown) => void;
}

const PREFIX = "/v1";

/** OpenAI's API at `/v1`: the caller's projects, their agents as models. */
export class OpenAiEndpoint {
  readonly #endpoint: Endpoint;
  #api: OpenAiApi | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Every problem has the API's own shape, a missing token too. */
  async answer(admitted: () => Promise<ProgramRequest>): Promise<Response> {
    const { openAiApi, errorResponse, PROTOCOL } = await import("@colloquy/openai-api");
    const { bridges, report } = this.#endpoint;
    try {
      const { request, caller } = await admitted();
      const { pathname } = new URL(request.url);
      this.#api ??= openAiApi({ now: Date.now, messageOf: (error) => problemOf(error, report).message });
      const projects = bridges.of(caller, request.method === "GET" ? "viewer" : "member", PROTOCOL);
      const body = request.method === "POST" ? parsedBody(new Uint8Array(await request.arrayBuffer())) : undefined;
      return await this.#api.answer(request, pathname.slice(PREFIX.length), { projects, body });
    } catch (error) {
      const { code, message } = problemOf(error, report);
      return errorResponse({ status: STATUS[code], message, code: code === "unauthorized" ? "invalid_api_key" : code });
    }
  }
}
