import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { Fault, type Usage } from "@colloquy/schema";
import type { ModelChunk } from "../port.ts";

interface Segment {
  readonly kind: "thinking" | "saying";
  readonly id: string;
  opaque: SharedV4ProviderMetadata | undefined;
  isShown: boolean;
}

type CallPart = Extract<LanguageModelV4StreamPart, { type: "tool-call" }>;

/** The connection ended before the answer did. */
export class Cut extends Error {
  override readonly name = "Cut";
}

/** The answer is empty but shouldn't be: worth a retry. */
export class EmptyAnswer extends Error {
  override readonly name = "EmptyAnswer";
}

/**
 * Turns a provider's stream into chunks whose segments never overlap. Part ids repeat within a stream, so an id means the open segment.
 * A call inside a segment waits for its end; any other disorder is a fault.
 */
export async function* chunksInOrder(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  options: { readonly toolName: (legal: string) => string; readonly mustAnswer: boolean; readonly from: string },
): AsyncGenerator<ModelChunk> {
  let open: Segment | undefined;
  let waiting: CallPart[] = [];
  let isEmpty = true;
  const disorder = (what: string) => new Fault("model_malformed", "later", `${options.from} sent a stream out of order: ${what}.`);

  for await (const part of parts) {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const kind = part.type === "text-start" ? "saying" : "thinking";
        if (open) throw disorder(`${kind} began while ${open.kind} was open`);
        open = { kind, id: part.id, opaque: part.providerMetadata, isShown: kind === "thinking" };
        // An empty text has no segment; an empty thought may still be wanted back.
        if (open.isShown) yield { type: "thinking.started" };
        break;
      }
      case "text-delta":
      case "reasoning-delta": {
        const kind = part.type === "text-delta" ? "saying" : "thinking";
        if (open?.kind !== kind || open.id !== part.id) throw disorder(`${kind} continued without having begun`);
        open.opaque = merged(open.opaque, part.providerMetadata);
        if (part.delta === "") break;
        if (!open.isShown) yield { type: `${kind}.started` };
        open.isShown = true;
        isEmpty = false;
        yield { type: `${kind}.chunk`, text: part.delta };
        break;
      }
      case "text-end":
      case "reasoning-end": {
        const kind = part.type === "text-end" ? "saying" : "thinking";
        if (open?.kind !== kind || open.id !== part.id) throw disorder(`${kind} ended that was not open`);
        const opaque = merged(open.opaque, part.providerMetadata);
        if (open.isShown) yield { type: `${kind}.finished`, ...(opaque && { opaque }) };
        open = undefined;
        yield* waiting.map((call) => callChunk(call, options.toolName));
        waiting = [];
        break;
      }
      case "tool-call":
        // Tools that the provider runs itself are never requested.
        if (part.providerExecuted) break;
        isEmpty = false;
        if (open) waiting.push(part);
        else yield callChunk(part, options.toolName);
        break;
      case "error":
        throw part.error;
      case "finish":
        if (part.finishReason.unified === "interrupted") throw new Cut();
        if (open) throw disorder(`the answer ended while ${open.kind} was open`);
        if (part.finishReason.unified === "error") throw disorder("it ended with an error that it did not name");
        if (isEmpty && part.finishReason.unified === "content-filter")
          throw new Fault("model_refused", "never", `${options.from} declined to answer (${part.finishReason.raw ?? "content filter"}).`);
        if (isEmpty && options.mustAnswer) throw new EmptyAnswer();
        yield {
          type: "finished",
          usage: usageOf(part.usage),
          sessionId: undefined,
          ...(part.finishReason.unified === "length" && { reason: "length" as const }),
        };
        return;
      default:
        break;
    }
  }
  throw new Cut();
}

function callChunk({ toolName: legal, input: raw, providerMetadata }: CallPart, toolName: (legal: string) => string): ModelChunk {
  const call = { type: "call" as const, tool: toolName(legal), ...(providerMetadata && { opaque: providerMetadata }) };
  if (raw.trim() === "") return { ...call, input: {} };
  try {
    return { ...call, input: JSON.parse(raw) };
  } catch {
    // The tool's schema will reject it and the model reads why; the text shows what it sent.
    return { ...call, input: undefined, raw };
  }
}

function merged(
  before: SharedV4ProviderMetadata | undefined,
  more: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (!before || !more) return before ?? more;
  return Object.fromEntries([...Object.keys(before), ...Object.keys(more)].map((key) => [key, { ...before[key], ...more[key] }]));
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  const cachedInput = inputTokens.cacheRead;
  return { input: inputTokens.total ?? 0, output: outputTokens.total ?? 0, ...(cachedInput !== undefined && { cachedInput }) };
}
