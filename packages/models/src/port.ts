import type { ModelMessage, Usage } from "@colloquy/schema";

/** A tool as shown to a model. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ModelRequest {
  /** Before the history, stable parts first. Adapters may mark it for caching. */
  readonly system: readonly string[];
  /** Append-only and shared: a model reads it and keeps no reference. */
  readonly messages: readonly ModelMessage[];
  /** The bytes of its images, by name. */
  readonly images?: ReadonlyMap<string, Uint8Array>;
  readonly tools: readonly ToolOffer[];
  readonly agent: string;
  readonly course: number;
  /** The number of this step within its turn, from 1. */
  readonly step: number;
  /** Names the dialog and agent, for models that keep something per dialog. */
  readonly dialog: string;
  /** The provider's session id, if one was returned before. */
  readonly sessionId: string | undefined;
}

/**
 * A model's output, in order. `thinking` and `saying` segments never overlap: each is opened, filled and closed before the next.
 * `opaque` is provider data to send back with that part.
 */
export type ModelChunk =
  | { readonly type: "thinking.started" }
  | { readonly type: "thinking.chunk"; readonly text: string }
  | { readonly type: "thinking.finished"; readonly opaque?: unknown }
  | { readonly type: "saying.started" }
  | { readonly type: "saying.chunk"; readonly text: string }
  | { readonly type: "saying.finished"; readonly opaque?: unknown }
  /** `input` is parsed; if that failed, `raw` has the original text. The provider's own call id is not used. */
  | { readonly type: "call"; readonly tool: string; readonly input: unknown; readonly raw?: string; readonly opaque?: unknown }
  /** Last, and always present unless something was thrown. `usage` is absent if the provider reported none. */
  | {
      readonly type: "finished";
      readonly usage: Usage | undefined;
      readonly sessionId: string | undefined;
      /** The provider cut it off at its output limit. */
      readonly reason?: "length";
    };

/** Prices per million tokens, in dollars. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number | undefined;
}

/** One model of one provider. Throws `Fault` with a `model_*` code whose message says what a person can do. */
export interface Model {
  /** `provider/id`, as in the configuration. */
  readonly name: string;
  /** Requests to models with the same key share a limit and a pause. */
  readonly provider: string;
  readonly contextWindow: number | undefined;
  readonly price: Price | undefined;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelChunk>;
}

/** Finds a model by its configured name. Throws `Fault` if it isn't available (`model_no_key`, `model_unknown`). */
export type FindModel = (name: string) => Model;
