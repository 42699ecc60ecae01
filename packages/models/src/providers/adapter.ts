import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelRequest } from "../port.ts";

/**
 * What may be given up so that a refused request passes:
 * `summary` to have thinking in readable form, `binding` thinking that stood behind another beginning, `thinking` to give
 * any thinking back, `usage` to be told the usage, `voices` to keep people's words in messages of their own.
 */
export type Concession = "summary" | "binding" | "thinking" | "usage" | "voices";
export type Concessions = ReadonlySet<Concession>;

/** How one provider wants it. Pure but for `load`. */
export interface Adapter {
  /** Imports the provider's library, which is heavy, at the first call. */
  load(given: Concessions): Promise<LanguageModelV4>;
  options(request: ModelRequest, given: Concessions): LanguageModelV4CallOptions;
  /** What to give up after a refusal (a 400), from its text. `lasting`: the endpoint is like that; otherwise it was this request. */
  concede(refusal: string): { readonly give: Concession; readonly lasting: boolean } | undefined;
  /** Sets right what endpoints of this kind do otherwise, before the order of the stream is checked. */
  mend?(parts: AsyncIterable<LanguageModelV4StreamPart>): AsyncIterable<LanguageModelV4StreamPart>;
  /** An answer with nothing in it is a fault of the endpoint, not an end. */
  readonly mustAnswer: boolean;
}

/** What an adapter needs to reach its model. */
export interface Reach {
  /** `provider/id`: thinking of this model may go back to it. */
  readonly name: string;
  readonly id: string;
  readonly apiKey: string | undefined;
  readonly baseURL: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
}
