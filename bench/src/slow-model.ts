import type { Model, ModelChunk } from "@colloquy/models";

/** Takes 50 to 150 ms for each step, and always calls the tool `tick`. */
export const slowModel = (): Model => ({
  name: "bench/slow",
  provider: "bench",
  contextWindow: undefined,
  price: undefined,
  async *stream({ step }, signal): AsyncGenerator<ModelChunk> {
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 100));
    signal.throwIfAborted();
    yield { type: "call", tool: "tick", input: { nth: step } };
    yield { type: "finished", usage: { input: 10, output: 10 }, sessionId: undefined };
  },
});
