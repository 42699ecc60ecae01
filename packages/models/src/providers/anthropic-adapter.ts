import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Adapter, Concessions, Reach } from "./adapter.ts";
import { beginningWithUser, endingWithUser, turnsOf } from "./history.ts";
import type { ModelRequest } from "../port.ts";
import { sdkMessage, sdkTools } from "./sdk-prompt.ts";

const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } };

export function anthropicAdapter(reach: Reach): Adapter {
  return {
    mustAnswer: false,
    async load() {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      const { apiKey, baseURL, fetch } = reach;
      return createAnthropic({ ...(apiKey && { apiKey }), ...(baseURL && { baseURL }), ...(fetch && { fetch }) })(reach.id);
    },
    options: (request, given) => ({
      prompt: anthropicPrompt(request, reach.name, given),
      tools: sdkTools(request.tools),
      providerOptions: { anthropic: { toolStreaming: false, ...thinkingOption(reach.id, given) } },
    }),
    concede(refusal) {
      if (/bound to a different conversation|block_binding/.test(refusal)) return { give: "binding", lasting: true };
      if (/thinking\.(type|display)|adaptive thinking/.test(refusal)) return { give: "summary", lasting: true };
      if (/thinking/.test(refusal) && /signature|cannot be modified|must remain|must contain/.test(refusal))
        return { give: "thinking", lasting: false };
      return undefined;
    },
  };
}

function anthropicPrompt(request: ModelRequest, model: string, given: Concessions): LanguageModelV4Prompt {
  // Thinking without its signature is refused.
  const turns = turnsOf(request.messages, model, (part) => part.opaque !== undefined && !given.has("thinking"), request.images);
  const history = endingWithUser(beginningWithUser(turns)).map(sdkMessage);
  // The provider reads its cache up to a mark that an earlier request set: mark the end of that request, and of this one.
  const lastAnswer = history.findLastIndex(({ role }) => role === "assistant");
  return [
    ...systemOf(request.system),
    ...history.map((message, at) => (at === lastAnswer - 1 || at === history.length - 1 ? cached(message) : message)),
  ];
}

/** Marks the head without its last, changing part: it stays cached when only that part changes. */
const systemOf = (texts: readonly string[]): LanguageModelV4Message[] =>
  texts
    .filter((text) => text.trim() !== "")
    .map((text, at, all) => ({ role: "system", content: text, ...(at >= all.length - 2 && { providerOptions: CACHED }) }));

const cached = (message: LanguageModelV4Message): LanguageModelV4Message => ({ ...message, providerOptions: CACHED });

/** Newer models think by default but show it only on request; older ones don't know the option. */
function thinkingOption(id: string, given: Concessions) {
  const showsThinking = id.includes("claude-") && !/claude-(?:\d|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:[-@]\d{8})?$)/.test(id);
  if (!showsThinking || given.has("summary")) return {};
  const blockBinding = given.has("binding") ? { blockBinding: { prefixMismatchBehavior: "drop_block" } } : {};
  return { thinking: { type: "adaptive", display: "summarized", ...blockBinding } };
}
