import type { LanguageModelV4StreamResult } from "@ai-sdk/provider";
import type { Adapter, Concession } from "./adapter.ts";
import { complaintOf } from "./complaint.ts";
import { type Endpoint, faultOf } from "./fault.ts";
import type { Model, ModelRequest, Price } from "../port.ts";
import { chunksInOrder, EmptyAnswer } from "./stream-order.ts";
import { toolNameReader } from "./tool-names.ts";

export interface SdkModelFacts {
  readonly name: string;
  readonly provider: string;
  readonly contextWindow: number | undefined;
  readonly price: Price | undefined;
  readonly endpoint: Endpoint;
  readonly now: () => number;
}

/** How often an empty answer is retried; then it counts as an empty end, which the agent is told. */
const MAX_EMPTY_RETRIES = 2;

/** A model of a real provider: one call to it per step, by the AI SDK's provider models and without its loop. */
export function sdkModel(facts: SdkModelFacts, adapter: Adapter): Model {
  const { name, provider, contextWindow, price, endpoint } = facts;
  // What this endpoint has refused before; asking again would only cost a round trip.
  const lasting = new Set<Concession>();

  async function begin(request: ModelRequest, signal: AbortSignal, given: ReadonlySet<Concession>): Promise<LanguageModelV4StreamResult> {
    try {
      const model = await adapter.load(given);
      return await model.doStream({ ...adapter.options(request, given), abortSignal: signal });
    } catch (error) {
      const concession = refusal(error);
      if (!concession || given.has(concession.give)) throw error;
      if (concession.lasting) lasting.add(concession.give);
      return begin(request, signal, new Set([...given, concession.give]));
    }
  }

  function refusal(error: unknown) {
    const complaint = complaintOf(error);
    // Some local servers respond with 500 if a model's template refuses the request.
    return complaint && [400, 422, 500].includes(complaint.status ?? 0) ? adapter.concede(complaint.message) : undefined;
  }

  return {
    name,
    provider,
    contextWindow,
    price,
    async *stream(request, signal) {
      for (let retries = 0; ; retries++) {
        try {
          signal.throwIfAborted();
          const { stream } = await begin(request, signal, new Set(lasting));
          const parts = adapter.mend?.(stream) ?? stream;
          const mustAnswer = adapter.mustAnswer && retries < MAX_EMPTY_RETRIES;
          return yield* chunksInOrder(parts, { toolName: toolNameReader(request.tools), mustAnswer, from: endpoint.label });
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof EmptyAnswer)) throw faultOf(error, endpoint, facts.now());
        }
      }
    },
  };
}
