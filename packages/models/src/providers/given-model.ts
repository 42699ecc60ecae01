import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { Refused } from "@colloquy/schema";
import type { Adapter, Reach } from "./adapter.ts";
import { type AiModel, isAiModel } from "./ai-model.ts";
import { anthropicAdapter } from "./anthropic-adapter.ts";
import { compatibleOptions } from "./compatible-adapter.ts";
import { knownModel } from "../catalog/known-models.ts";
import type { Model } from "../port.ts";
import { openaiAdapter } from "./openai-adapter.ts";
import { sdkModel } from "./sdk-model.ts";
import { isRecord } from "./sdk-prompt.ts";

type SdkModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

/** Throws `Refused` unless it is a model's name or an AI SDK model. `what`: where it is given. */
export function demandModel(given: unknown, what: string): void {
  if ((typeof given === "string" && given !== "") || isAiModel(given)) return;
  const valid = 'a name such as "anthropic/claude-sonnet-5", or a model of the AI SDK such as google("…")';
  throw new Refused({ code: "bad_request", message: `${what}: ${valid}.` });
}

const models = new WeakMap<AiModel, Model>();

/** The model that an AI SDK model is; always the same one. */
export function givenModel(given: AiModel, now: () => number = Date.now): Model {
  const made = models.get(given) ?? newModel(given, now);
  models.set(given, made);
  return made;
}

function newModel(given: AiModel, now: () => number): Model {
  const { provider, modelId: id } = given;
  // "anthropic.messages", "openai.responses": the company and the interface.
  const [company = provider] = provider.split(".");
  const name = `${company}/${id}`;
  const known = knownModel(company, id);
  const facts = {
    name,
    provider,
    contextWindow: known?.contextWindow,
    price: known?.price,
    endpoint: { label: company, host: "", model: id, keyEnv: undefined, key: undefined, knownModels: [] },
    now,
  };
  return sdkModel(
    facts,
    givenAdapter(async () => given, provider, { name, id, apiKey: undefined, baseURL: undefined, fetch: undefined }),
  );
}

/** A provider that has an adapter of ours gets its options; others get what every provider understands. */
export function givenAdapter(load: () => Promise<AiModel>, provider: string, reach: Reach): Adapter {
  const current = async () => asCurrent(await load());
  if (/^anthropic\b/.test(provider)) return { ...anthropicAdapter(reach), load: current };
  if (/^openai\.responses$/.test(provider)) return { ...openaiAdapter(reach), load: current };
  return { ...compatibleOptions(reach), load: current };
}

/** An older interface, used as the current one. Only what a step needs is translated. */
function asCurrent(given: AiModel): LanguageModelV4 {
  const model = given as SdkModel;
  if (model.specificationVersion === "v4") return model;
  const isV2 = model.specificationVersion === "v2";
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: () => Promise.reject(new TypeError("Only streams are used.")),
    async doStream(options) {
      const { stream, ...rest } = await model.doStream(olderOptions(options) as never);
      const translate = new TransformStream<unknown, LanguageModelV4StreamPart>({
        transform: (part, controller) => controller.enqueue((isV2 ? withCurrentEnd(part) : part) as LanguageModelV4StreamPart),
      });
      return { ...rest, stream: (stream as ReadableStream<unknown>).pipeThrough(translate) } as Awaited<
        ReturnType<LanguageModelV4["doStream"]>
      >;
    },
  };
}

/** Older interfaces take a file's data as it is. */
function olderOptions(options: LanguageModelV4CallOptions): unknown {
  const prompt = options.prompt.map((message) => ({
    ...message,
    ...(typeof message.content !== "string" && {
      content: message.content.map((part) =>
        part.type === "file" && part.data.type === "data" ? { ...part, data: part.data.data } : part,
      ),
    }),
  }));
  return { ...options, prompt };
}

/** V2 ends with a plain reason and plain counts. */
function withCurrentEnd(part: unknown): unknown {
  if (!isRecord(part) || part.type !== "finish") return part;
  const usage = isRecord(part.usage) ? part.usage : {};
  return {
    ...part,
    finishReason: { unified: part.finishReason === "unknown" ? "other" : part.finishReason, raw: undefined },
    usage: {
      inputTokens: { total: usage.inputTokens, cacheRead: usage.cachedInputTokens },
      outputTokens: { total: usage.outputTokens, reasoning: usage.reasoningTokens },
    },
  };
}
