import type { Model, ModelChunk, ModelRequest } from "@colloquy/models";

/** A model's reply: a text, or calls. */
export type Reply = (request: ModelRequest) => {
  readonly say?: string;
  readonly calls?: readonly { readonly tool: string; readonly input: unknown }[];
};

/** Answers at once, so that only our own time is measured. */
export function instantModel(reply: Reply): Model {
  return {
    name: "bench/instant",
    provider: "bench",
    contextWindow: undefined,
    price: undefined,
    async *stream(request): AsyncGenerator<ModelChunk> {
      const { say, calls = [] } = reply(request);
      if (say !== undefined) {
        yield { type: "saying.started" };
        yield { type: "saying.chunk", text: say };
        yield { type: "saying.finished" };
      }
      for (const call of calls) yield { type: "call", ...call };
      yield { type: "finished", usage: { input: 10, output: 10 }, sessionId: undefined };
    },
  };
}

export const WORDS = "The order service answers within its limits again; the pool was too small for the new workers. ";
