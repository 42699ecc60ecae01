// What a model of a real provider is made of, for tests of Colloquy itself.
export type { Adapter } from "./providers/adapter.ts";
export { anthropicAdapter } from "./providers/anthropic-adapter.ts";
export { compatibleAdapter } from "./providers/compatible-adapter.ts";
export { openaiAdapter } from "./providers/openai-adapter.ts";
export { sdkModel } from "./providers/sdk-model.ts";
