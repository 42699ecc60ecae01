import { createHash } from "node:crypto";
import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Part } from "@colloquy/schema";
import type { Adapter, Concessions, Reach } from "./adapter.ts";
import { type AssistantMessage, turnsOf } from "./history.ts";
import type { ModelRequest } from "../port.ts";
import { isRecord, sdkMessage, sdkTools } from "./sdk-prompt.ts";

/**
 * OpenAI through its Responses endpoint, the only one that takes reasoning back. Nothing is stored at the provider: the log is the
 * truth, and a dialog may wait longer than they keep data, so reasoning travels with us in encrypted form.
 */
export function openaiAdapter(reach: Reach): Adapter {
  return {
    mustAnswer: false,
    async load() {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const { apiKey, baseURL, fetch } = reach;
      return createOpenAI({ ...(apiKey && { apiKey }), ...(baseURL && { baseURL }), ...(fetch && { fetch }) }).responses(reach.id);
    },
    options: (request, given) => ({
      prompt: openaiPrompt(request, reach.name, given),
      tools: sdkTools(request.tools),
      providerOptions: {
        openai: { store: false, promptCacheKey: cacheKey(request), ...(!given.has("summary") && { reasoningSummary: "auto" }) },
      },
    }),
    concede(refusal) {
      if (/reasoning\.summary|reasoning summar/i.test(refusal)) return { give: "summary", lasting: true };
      if (/encrypted|reasoning['"`]? item/i.test(refusal)) return { give: "thinking", lasting: false };
      return undefined;
    },
    mend: withoutItemIds,
  };
}

/** Nothing is stored there, so ids of stored texts and calls are useless; other metadata is kept. */
async function* withoutItemIds(parts: AsyncIterable<LanguageModelV4StreamPart>): AsyncGenerator<LanguageModelV4StreamPart> {
  for await (const part of parts) {
    if ((part.type !== "text-start" && part.type !== "text-end" && part.type !== "tool-call") || !part.providerMetadata) {
      yield part;
      continue;
    }
    const { providerMetadata, ...bare } = part;
    const { itemId: _, ...rest } = providerMetadata.openai ?? {};
    yield Object.keys(rest).length === 0 ? bare : { ...bare, providerMetadata: { openai: rest } };
  }
}

function openaiPrompt(request: ModelRequest, model: string, given: Concessions): LanguageModelV4Prompt {
  const turns = turnsOf(request.messages, model, (part, message) => !given.has("thinking") && isReadable(part, message), request.images);
  return [
    ...request.system.filter((text) => text.trim() !== "").map((text) => ({ role: "system" as const, content: text })),
    ...turns.map(sdkMessage),
  ];
}

/** Reasoning without its encrypted form can no longer be read. It comes with the last part of an item. */
const isReadable = (part: Part, { parts }: AssistantMessage): boolean =>
  parts.some((other) => openaiOf(other).itemId === openaiOf(part).itemId && Boolean(openaiOf(other).reasoningEncryptedContent));

function openaiOf({ opaque }: Part): Readonly<Record<string, unknown>> {
  const own = isRecord(opaque) ? opaque.openai : undefined;
  return isRecord(own) ? own : {};
}

/** Requests with the same key are routed to where their start is cached; the provider accepts at most 64 characters. */
const cacheKey = ({ dialog, agent }: ModelRequest): string => createHash("sha256").update(`${dialog} ${agent}`).digest("hex").slice(0, 32);
