import type { LanguageModelV4FunctionTool, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { isCall, isThinking, type Part } from "@colloquy/schema";
import type { Result, Turn } from "./history.ts";
import type { ToolOffer } from "../port.ts";
import { legalToolName } from "./tool-names.ts";

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type AssistantContent = AssistantMessage["content"][number];

/** A turn in the AI SDK's form. Adapters handle provider specifics before or after this. */
export function sdkMessage(turn: Turn): LanguageModelV4Message {
  switch (turn.role) {
    case "user":
      return { role: "user", content: [...turn.texts.map((text) => ({ type: "text" as const, text })), ...sdkImages(turn)] };
    case "assistant":
      return { role: "assistant", content: turn.parts.map(sdkPart) };
    case "results":
      return { role: "tool", content: turn.results.map(sdkResult) };
  }
}

export const sdkImages = ({ images = [] }: Extract<Turn, { role: "user" }>) =>
  images.map(({ mediaType, data }) => ({ type: "file" as const, mediaType, data: { type: "data" as const, data } }));

export const sdkTools = (tools: readonly ToolOffer[]): LanguageModelV4FunctionTool[] =>
  tools.map(({ name, description, input }) => ({
    type: "function",
    name: legalToolName(name),
    description,
    inputSchema: { type: "object", ...input },
  }));

function sdkPart(part: Part): AssistantContent {
  const back = providerOptionsOf(part.opaque);
  if (isThinking(part)) return { type: "reasoning", text: part.thinking, ...back };
  if (!isCall(part)) return { type: "text", text: part.saying, ...back };
  return { type: "tool-call", toolCallId: part.call, toolName: legalToolName(part.tool), input: objectOf(part.input), ...back };
}

const sdkResult = ({ call, tool, output, failed }: Result) => ({
  type: "tool-result" as const,
  toolCallId: call,
  toolName: legalToolName(tool),
  output: { type: failed ? ("error-text" as const) : ("text" as const), value: output },
});

/** Providers accept only objects as a call's input, even if the model sent something else. */
const objectOf = (input: unknown): Readonly<Record<string, unknown>> => (isRecord(input) ? input : { unreadable: input ?? "" });

/** `providerMetadata` goes back as `providerOptions`: the AI SDK's own convention. */
const providerOptionsOf = (opaque: unknown): { providerOptions?: SharedV4ProviderOptions } =>
  isRecord(opaque) ? { providerOptions: opaque as SharedV4ProviderOptions } : {};

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
