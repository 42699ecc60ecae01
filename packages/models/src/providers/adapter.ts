import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelRequest } from "../port.ts";

/**
 * What to give up so that a refused request passes: `summary` readable thinking, `binding` thinking from another start of the history,
 * `thinking` sending any thinking back, `usage` the usage report, `voices` separate messages for people's words.
 */
export type Concession = "summary" | "binding" | "thinking" | "usage" | "voices";
export type Concessions = ReadonlySet<Concession>;

/** A provider's specifics. Pure except `load`. */
export interface Adapter {
  /** Imports the provider's library, which is heavy, at the first call. */
  load(given: Concessions): Promise<LanguageModelV4>;
  options(request: ModelRequest, given: Concessions): LanguageModelV4CallOptions;
  /** What to give up after a refusal (a 400), by its text. `lasting`: the endpoint always refuses it; otherwise only this request. */
  concede(refusal: string): { readonly give: Concession; readonly lasting: boolean } | undefined;
  /** Corrects the deviations of such endpoints, before the order of the stream is checked. */
  mend?(parts: AsyncIterable<LanguageModelV4StreamPart>): AsyncIterable<LanguageModelV4StreamPart>;
  /** An empty answer is a fault of the endpoint, not an end. */
  readonly mustAnswer: boolean;
}

/** What an adapter needs to reach its model. */
export interface Reach {
  /** `provider/id`: thinking of this model may be sent back to it. */
  readonly name: string;
  readonly id: string;
  readonly apiKey: string | undefined;
  readonly baseURL: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
}
