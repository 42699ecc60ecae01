// What a model of a real provider is made of, for tests of Colloquy itself.
export type { Adapter } from "./adapter.ts";
export { anthropicAdapter } from "./anthropic-adapter.ts";
export { compatibleAdapter } from "./compatible-adapter.ts";
export { openaiAdapter } from "./openai-adapter.ts";
export { sdkModel } from "./sdk-model.ts";
