import { setTimeout as sleep } from "node:timers/promises";
import type { OpenCall } from "@colloquy/runtime";
import type { CallToolRequest, CallToolResult, ElicitRequestParams, ElicitResult, InputRequiredResult } from "@modelcontextprotocol/client";
import { questionOf, resultOf } from "./elicitation.ts";

/** A server that asks more often than this in one call won't finish. */
const MAX_ROUNDS = 20;
/** The pause before repeating a call to a server that only wants it repeated. */
const PAUSE_MS = 250;

/**
 * A server's response that asks for something first, instead of a result. The call isn't in progress on its side; repeated with the
 * answers and the server's own state, it continues. So a round can be recorded and resumed by any process.
 */
interface Round {
  readonly nth: number;
  readonly requests: Readonly<Record<string, { readonly method: string; readonly params?: unknown }>>;
  readonly state?: string;
  /** The server refused until a URL has been visited; it takes no answers, only the same call again. */
  readonly isPlain?: boolean;
}

type Params = CallToolRequest["params"];

/** Repeats the call until there is a result, asking people in between. */
export async function inRounds(
  params: Params,
  context: OpenCall,
  send: (params: Params) => Promise<CallToolResult | InputRequiredResult>,
): Promise<CallToolResult> {
  let round = context.resume as Round | undefined;
  for (;;) {
    const next = await answered(params, round, context);
    let result: CallToolResult | InputRequiredResult;
    try {
      result = await send(next);
    } catch (error) {
      const addresses = addressesOf(error);
      if (!addresses) throw error;
      const requests = addresses.map((visit, at) => [String(at), { method: "elicitation/create", params: visit }] as const);
      round = { nth: (round?.nth ?? 0) + 1, requests: Object.fromEntries(requests), isPlain: true };
      continue;
    }
    if (!isInputRequired(result)) return result;
    const { inputRequests = {}, requestState } = result;
    round = { nth: (round?.nth ?? 0) + 1, requests: inputRequests, ...(requestState !== undefined && { state: requestState }) };
    if (round.nth > MAX_ROUNDS) throw new Error(`The server asked ${MAX_ROUNDS} times and gave no result.`);
    if (Object.keys(inputRequests).length === 0) await sleep(PAUSE_MS, undefined, { signal: context.signal });
  }
}

async function answered(params: Params, round: Round | undefined, { ask }: OpenCall): Promise<Params> {
  if (!round) return params;
  const responses: Record<string, ElicitResult> = {};
  for (const [key, { method, params: asked }] of Object.entries(round.requests)) {
    if (method !== "elicitation/create") throw new Error(`The server asks for ${method}, which it is not given.`);
    const answer = await ask({ ...questionOf(asked as ElicitRequestParams), key: `${round.nth}:${key}`, resume: round });
    if (round.isPlain && answer.action !== "accept") throw new Error("The address that the server wants to be visited first was declined.");
    responses[key] = resultOf(answer);
  }
  if (round.isPlain) return params;
  const hasResponses = Object.keys(responses).length > 0;
  return { ...params, ...(hasResponses && { inputResponses: responses }), ...(round.state !== undefined && { requestState: round.state }) };
}

const isInputRequired = (result: CallToolResult | InputRequiredResult): result is InputRequiredResult =>
  "resultType" in result && result.resultType === "input_required";

/** For a refusal until URLs have been visited. */
function addressesOf(error: unknown): readonly ElicitRequestParams[] | undefined {
  const { code, data } = (error ?? {}) as {
    readonly code?: unknown;
    readonly data?: { readonly elicitations?: readonly ElicitRequestParams[] };
  };
  return code === -32_042 ? data?.elicitations : undefined;
}
