/**
 * A model of the AI SDK, such as `google("gemini-2.5-pro")`, of every interface version that `ai` accepts. Declared by what is needed of
 * it, so that a program that compiles against us needs no types of the SDK.
 */
export interface AiModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<unknown>;
}

/** Also for callers without a compiler. */
export const isAiModel = (given: unknown): given is AiModel =>
  ((typeof given === "object" && given !== null) || typeof given === "function") &&
  typeof Reflect.get(given, "doStream") === "function" &&
  ["v2", "v3", "v4"].includes(String(Reflect.get(given, "specificationVersion")));
