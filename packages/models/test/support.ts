import { CallId, Fault, type ModelConfig, type ModelMessage, type Part } from "@colloquy/schema";
import type { FakeProvider, FakeRequest } from "../../testing/src/fake-provider.ts";
import { type Model, type ModelChunk, modelFinder, type ModelRequest } from "../src/index.ts";

/** A key that must appear in no message. */
export const KEY = "sk-test-0123456789abcdef";

export const call = (digit: string): CallId => CallId.parse(digit.repeat(32));

export const user = (text: string): ModelMessage => ({ role: "user", text });
export const other = (text: string): ModelMessage => ({ role: "system", text });
export const said = (model: string, ...parts: Part[]): ModelMessage => ({ role: "assistant", parts, model });
export const called = (id: CallId, tool: string, input: unknown = {}, opaque?: unknown): Part => ({
  call: id,
  tool,
  input,
  kind: "reads",
  ...(opaque !== undefined && { opaque }),
});
export const result = (id: CallId, output: string, failed = false): ModelMessage => ({
  role: "result",
  call: id,
  tool: "list_dir",
  output,
  failed,
});

export const request = (messages: readonly ModelMessage[], over: Partial<ModelRequest> = {}): ModelRequest => ({
  system: ["You help.", "Today is Monday."],
  messages,
  tools: [],
  agent: "lead",
  course: 1,
  step: 1,
  dialog: "dialog lead",
  sessionId: undefined,
  ...over,
});

export const listDir = {
  name: "list_dir",
  description: "Lists a folder.",
  input: { type: "object", properties: { path: { type: "string" } } },
};

/** A model of the fake provider. */
export function modelAt(
  fake: Pick<FakeProvider, "url">,
  config: Pick<ModelConfig, "provider" | "id"> & Partial<ModelConfig>,
  env: Record<string, string> = {},
): Model {
  const find = modelFinder({
    config: { models: { it: { baseURL: fake.url, ...config } } },
    env: { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, ...env },
    scriptsDir: "/nowhere",
    now: () => Date.parse("2026-11-15T12:00:00Z"),
  });
  return find("it");
}

export async function collect(chunks: AsyncIterable<ModelChunk>): Promise<readonly ModelChunk[]> {
  const all: ModelChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}

export const ask = (model: Model, messages: readonly ModelMessage[], over: Partial<ModelRequest> = {}): Promise<readonly ModelChunk[]> =>
  collect(model.stream(request(messages, over), new AbortController().signal));

/** The fault that a promise rejects with. */
export async function faultIn(doing: Promise<unknown>): Promise<Fault> {
  const error: unknown = await doing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Fault) return error;
  throw new Error("expected a fault", { cause: error });
}

/** A list in the body of a request. */
export const listIn = <One>(from: FakeRequest | undefined, field: string): readonly One[] => (from?.body[field] ?? []) as readonly One[];
