import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { isSaying } from "@colloquy/schema";
import type { Adapter, Concessions, Reach } from "./adapter.ts";
import { beginningWithUser, endingWithUser, type Turn, turnsOf, withoutVoices } from "./history.ts";
import type { ModelRequest } from "../port.ts";
import { sdkImages, sdkMessage, sdkTools } from "./sdk-prompt.ts";
import { thinkTagsAsReasoning } from "./think-tags.ts";

/**
 * Any endpoint that speaks OpenAI's chat completions: local servers, gateways, other providers. Their models' templates are stricter
 * than the protocol: one system message at the beginning, each message a plain text, and for some user and assistant alternating.
 */
export function compatibleAdapter(reach: Reach & { readonly baseURL: string }): Adapter {
  return {
    ...compatibleOptions(reach),
    async load(given) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { apiKey, baseURL, fetch } = reach;
      return createOpenAICompatible({
        name: "compatible",
        baseURL,
        includeUsage: !given.has("usage"),
        ...(apiKey && { apiKey }),
        ...(fetch && { fetch }),
      })(reach.id);
    },
  };
}

/** What every endpoint understands. */
export function compatibleOptions(reach: Reach): Omit<Adapter, "load"> {
  return {
    mustAnswer: true,
    options: (request, given) => ({ prompt: compatiblePrompt(request, reach.name, given), tools: sdkTools(request.tools) }),
    concede(refusal) {
      if (/stream_options|include_usage/.test(refusal)) return { give: "usage", lasting: true };
      if (/reasoning_content/.test(refusal)) return { give: "thinking", lasting: true };
      if (/alternat|consecutive|after user/i.test(refusal)) return { give: "voices", lasting: true };
      return undefined;
    },
    mend: thinkTagsAsReasoning,
  };
}

function compatiblePrompt(request: ModelRequest, model: string, given: Concessions): LanguageModelV4Prompt {
  // Endpoints that want their reasoning back want it until somebody else speaks, and some refuse it after that.
  const lastHeard = request.messages.findLastIndex(({ role }) => role === "user" || role === "system");
  const turns = turnsOf(request.messages, model, (_, __, at) => at > lastHeard && !given.has("thinking"), request.images);
  const system = request.system.filter((text) => text.trim() !== "").join("\n\n");
  return [
    ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
    ...endingWithUser(beginningWithUser(given.has("voices") ? withoutVoices(turns) : turns)).map(plainMessage),
  ];
}

/** Joins texts of one voice, with a blank line between. */
function plainMessage(turn: Turn): LanguageModelV4Message {
  if (turn.role === "user") return { role: "user", content: [{ type: "text", text: turn.texts.join("\n\n") }, ...sdkImages(turn)] };
  if (turn.role === "results") return sdkMessage(turn);
  const first = turn.parts.findIndex(isSaying);
  return sdkMessage({
    role: "assistant",
    parts: turn.parts.map((part, at) => (isSaying(part) && at > first ? { ...part, saying: `\n\n${part.saying}` } : part)),
  });
}
