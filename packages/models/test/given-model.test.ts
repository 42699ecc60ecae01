import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { Refused } from "@colloquy/schema";
import { expect, onTestFinished, test } from "vitest";
import { fakeProvider } from "../../testing/src/fake-provider.ts";
import { demandModel, givenModel, modelFinder } from "../src/index.ts";
import { ask, call, called, faultIn, KEY, listDir, listIn, result, said, user } from "./support.ts";

const streamOf = (parts: readonly unknown[]) =>
  new ReadableStream<never>({
    start(controller) {
      for (const part of parts) controller.enqueue(part as never);
      controller.close();
    },
  });

/** A model of someone's own, with an older or the current interface. */
function own(specificationVersion: "v2" | "v3" | "v4") {
  const prompts: unknown[] = [];
  const isV2 = specificationVersion === "v2";
  const finish = isV2
    ? { finishReason: "stop", usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15, cachedInputTokens: 8 } }
    : {
        finishReason: { unified: "stop", raw: "stop" },
        usage: { inputTokens: { total: 12, cacheRead: 8 }, outputTokens: { total: 3 } },
      };
  const model = {
    specificationVersion,
    provider: "acme.chat",
    modelId: "large",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("not used")),
    doStream: (options: { prompt: unknown }) => {
      prompts.push(options.prompt);
      return Promise.resolve({
        stream: streamOf([
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: "Hello" },
          { type: "text-end", id: "1" },
          { type: "tool-call", toolCallId: "c", toolName: "list_dir", input: '{"path":"."}' },
          { type: "finish", ...finish },
        ]),
      });
    },
  };
  return { prompts, model: model as unknown as LanguageModelV2 | LanguageModelV3 | LanguageModelV4 };
}

test.each(["v2", "v3", "v4"] as const)("[M125] a model object of interface %s is a model", async (version) => {
  const { model, prompts } = own(version);
  const made = givenModel(model);
  expect(givenModel(model)).toBe(made);
  expect(made).toMatchObject({ name: "acme/large", provider: "acme.chat", price: undefined });
  const data = new Uint8Array([1, 2, 3]);
  const shown = [{ role: "user" as const, text: "Look", images: [{ name: "i", mediaType: "image/png" as const, bytes: 3 }] }];
  const chunks = await ask(made, shown as never, { tools: [listDir], images: new Map([["i", data]]) });
  expect(chunks).toEqual([
    { type: "saying.started" },
    { type: "saying.chunk", text: "Hello" },
    { type: "saying.finished" },
    { type: "call", tool: "list_dir", input: { path: "." } },
    { type: "finished", usage: { input: 12, output: 3, cachedInput: 8 }, sessionId: undefined },
  ]);
  const file = JSON.stringify(prompts[0]).match(/"type":"file".*?\}\}?/)?.[0];
  if (file !== undefined) expect(file.includes('"type":"data"')).toBe(version === "v4");
});

test("[M125] a real provider's object speaks with its endpoint: tools, results, faults", async () => {
  await using fake = await fakeProvider();
  const given = createOpenAICompatible({ name: "mistral", baseURL: fake.url, apiKey: KEY })("large");
  const model = givenModel(given);
  fake.reply({ parts: [{ call: "list_dir", input: { path: "." } }] }, { parts: [{ say: "Two files." }] } as never);
  expect(await ask(model, [user("What is here?")], { tools: [listDir] })).toContainEqual({
    type: "call",
    tool: "list_dir",
    input: { path: "." },
  });
  await ask(model, [user("What is here?"), said(model.name, called(call("a"), "list_dir", { path: "." })), result(call("a"), "a b")]);
  expect(listIn<{ role: string }>(fake.requests[1], "messages").map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
  fake.reply({ status: 401, body: { error: { message: "bad key" } } });
  expect(await faultIn(ask(model, [user("hi")]))).toMatchObject({ code: "model_wrong_key", retry: "never" });
});

test("[M125] anything else is refused with what is valid", () => {
  for (const wrong of [undefined, 7, "", {}, { specificationVersion: "v9", doStream() {} }, ["a"]])
    expect(() => demandModel(wrong, "The model")).toThrow(Refused);
});

/** A project's folder with packages of ours in its node_modules. */
async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "colloquy-npm-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const real = dirname(dirname(fileURLToPath(import.meta.resolve("@ai-sdk/openai-compatible"))));
  await mkdir(join(dir, "node_modules/@ai-sdk"), { recursive: true });
  await symlink(real, join(dir, "node_modules/@ai-sdk/openai-compatible"));
  return dir;
}

test("[M126] an installed provider is found in the project's folder, and given its key, address and options", async () => {
  await using fake = await fakeProvider();
  fake.reply({ parts: [{ say: "ok" }] }, { parts: [{ say: "ok" }] });
  const dir = await folder();
  const it = { provider: "npm:@ai-sdk/openai-compatible", id: "large", baseURL: fake.url, apiKeyEnv: "MY_KEY" } as const;
  const find = modelFinder({
    config: {
      models: {
        it: { ...it, options: { name: "acme", headers: { "x-region": "eu" } } },
        named: { ...it, provider: "npm:@ai-sdk/openai-compatible#createOpenAICompatible", options: { name: "acme" } },
      },
    },
    env: { MY_KEY: KEY },
    scriptsDir: join(dir, "scripts"),
  });
  await ask(find("it"), [user("hi")]);
  await ask(find("named"), [user("hi")]);
  expect(fake.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, "x-region": "eu" });
  expect(find("it").name).toBe("npm:@ai-sdk/openai-compatible/large");
});

test("[M126] a package that can only be imported is found too", async () => {
  const dir = await folder();
  await mkdir(join(dir, "node_modules/esm-only"));
  await writeFile(
    join(dir, "node_modules/esm-only/package.json"),
    JSON.stringify({ name: "esm-only", type: "module", exports: { ".": { import: "./it.js" } } }),
  );
  await writeFile(
    join(dir, "node_modules/esm-only/it.js"),
    `const stream = () => new ReadableStream({ start(c) {
       for (const part of [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "hi" }, { type: "text-end", id: "1" },
         { type: "finish", finishReason: { unified: "stop" }, usage: { inputTokens: {}, outputTokens: {} } }]) c.enqueue(part);
       c.close(); } });
     export const createIt = () => ({ languageModel: (modelId) => ({ specificationVersion: "v4", provider: "it", modelId, supportedUrls: {},
       doStream: async () => ({ stream: stream() }) }) });`,
  );
  const find = modelFinder({
    config: { models: { it: { provider: "npm:esm-only", id: "x" } } },
    env: {},
    scriptsDir: join(dir, "scripts"),
  });
  expect(await ask(find("it"), [user("hi")])).toContainEqual({ type: "saying.chunk", text: "hi" });
});

test("[M127] a missing package says what to install, and counts once it is there", async () => {
  const dir = await mkdtemp(join(tmpdir(), "colloquy-npm-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await using fake = await fakeProvider();
  fake.reply({ parts: [{ say: "ok" }] });
  const models = {
    it: { provider: "npm:@ai-sdk/openai-compatible", id: "x", options: { name: "acme", baseURL: fake.url } },
    odd: { provider: "npm:@ai-sdk/openai-compatible#createNothing", id: "x" },
  } as const;
  const find = modelFinder({ config: { models }, env: {}, scriptsDir: join(dir, "scripts") });
  expect(await faultIn(ask(find("it"), [user("hi")]))).toMatchObject({
    code: "model_unknown",
    message: `The provider @ai-sdk/openai-compatible is not installed. In ${dir}: npm install @ai-sdk/openai-compatible`,
  });
  await symlink(join(await folder(), "node_modules"), join(dir, "node_modules"));
  expect(await ask(find("it"), [user("hi")])).toContainEqual({ type: "saying.chunk", text: "ok" });
  expect(await faultIn(ask(find("odd"), [user("hi")]))).toMatchObject({
    message: expect.stringContaining("Known: npm:@ai-sdk/openai-compatible#createOpenAICompatible"),
  });
});
