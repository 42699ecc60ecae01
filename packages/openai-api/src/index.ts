export { errorResponse } from "./errors.ts";
export { openAiApi, type OpenAiApi, PROTOCOL } from "./openai-api.ts";
