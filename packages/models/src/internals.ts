// The parts of a real provider's model, for Colloquy's own tests.
export type { Adapter } from "./providers/adapter.ts";
export { anthropicAdapter } from "./providers/anthropic-adapter.ts";
export { compatibleAdapter } from "./providers/compatible-adapter.ts";
export { openaiAdapter } from "./providers/openai-adapter.ts";
export { sdkModel } from "./providers/sdk-model.ts";
