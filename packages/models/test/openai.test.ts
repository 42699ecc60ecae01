import { expect, test } from "vitest";
import { fakeProvider } from "../../testing/src/fake-provider.ts";
import { ask, call, called, listDir, listIn, modelAt, other, result, said, user } from "./support.ts";

const config = { provider: "openai", id: "gpt-5.5" } as const;
const ok = { parts: [{ say: "ok" }] };

test("[M1] [M30] [M33] the whole request: nothing stored, encrypted reasoning, others as users", async () => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  await ask(modelAt(fake, config), [user("hi"), other("[Coder]: done")], { tools: [listDir], dialog: "d".repeat(200) });

  expect(fake.requests[0]?.path).toBe("/v1/responses");
  expect(fake.requests[0]?.body).toEqual({
    model: "gpt-5.5",
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { summary: "auto" },
    prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    input: [
      { role: "developer", content: "You help." },
      { role: "developer", content: "Today is Monday." },
      { role: "user", content: [{ type: "input_text", text: "hi" }] },
      { role: "user", content: [{ type: "input_text", text: "[Coder]: done" }] },
    ],
    tools: [{ type: "function", name: "list_dir", description: "Lists a folder.", parameters: listDir.input, strict: false }],
  });
});

test("[M31] [M34] [M50] [M57] reasoning goes back encrypted, and only to an account that can read it", async () => {
  await using fake = await fakeProvider();
  fake.reply(
    {
      parts: [{ think: "Hm.", signature: "enc" }, { think: "" }, { say: "Hello" }, { call: "list_dir", input: {} }],
      usage: { input: 100, output: 7, cached: 40 },
    },
    ok,
  );
  const model = modelAt(fake, config);
  const chunks = await ask(model, [user("hi")], { tools: [listDir] });
  const opaque = { openai: { itemId: "rs_0", reasoningEncryptedContent: "enc" } };
  const lost = { openai: { itemId: "rs_1", reasoningEncryptedContent: null } };
  expect(chunks).toEqual([
    { type: "thinking.started" },
    { type: "thinking.chunk", text: "Hm." },
    { type: "thinking.finished", opaque },
    { type: "thinking.started" },
    { type: "thinking.finished", opaque: lost },
    { type: "saying.started" },
    { type: "saying.chunk", text: "Hello" },
    { type: "saying.finished" },
    { type: "call", tool: "list_dir", input: {} },
    { type: "finished", usage: { input: 100, output: 7, cachedInput: 40 }, sessionId: undefined },
  ]);

  const parts = [
    { thinking: "Hm.", opaque },
    { thinking: "", opaque: lost },
    { saying: "Hello", opaque: { openai: { phase: "commentary" } } },
    called(call("a"), "list_dir", { path: "." }),
  ];
  await ask(model, [user("hi"), said(model.name, ...parts), result(call("a"), "x.ts")]);
  expect(listIn<unknown>(fake.requests[1], "input").slice(3)).toEqual([
    { type: "reasoning", id: "rs_0", encrypted_content: "enc", summary: [{ type: "summary_text", text: "Hm." }] },
    { role: "assistant", content: "Hello", phase: "commentary" },
    { type: "function_call", call_id: call("a"), name: "list_dir", arguments: '{"path":"."}' },
    { type: "function_call_output", call_id: call("a"), output: "x.ts" },
  ]);
});

test("[M32] an account without access to summaries is not asked for them again", async () => {
  await using fake = await fakeProvider();
  const message = "Your organization must be verified to generate reasoning summaries.";
  fake.reply(
    { status: 400, body: { error: { message, type: "invalid_request_error", param: "reasoning.summary", code: "unsupported_value" } } },
    ok,
    ok,
  );
  const model = modelAt(fake, config);
  expect((await ask(model, [user("hi")])).at(-1)).toMatchObject({ type: "finished" });
  await ask(model, [user("hi")]);
  expect(fake.requests.map(({ body }) => body.reasoning)).toEqual([{ summary: "auto" }, undefined, undefined]);
});

test("[M26] refused reasoning is left out of that one request", async () => {
  await using fake = await fakeProvider();
  const message = "The encrypted content for item rs_0 could not be verified.";
  fake.reply({ status: 400, body: { error: { message, type: "invalid_request_error", code: "invalid_encrypted_content" } } }, ok);
  const model = modelAt(fake, config);
  const opaque = { openai: { itemId: "rs_0", reasoningEncryptedContent: "enc" } };
  await ask(model, [user("hi"), said(model.name, { thinking: "Hm.", opaque }, { saying: "a" }), user("b")]);
  expect(fake.requests.map(({ body }) => JSON.stringify(body.input).includes("rs_0"))).toEqual([true, false]);
});

test("[M30] no reasoning is requested from a model without it", async () => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  await ask(modelAt(fake, { ...config, id: "gpt-4o" }), [user("hi")]);
  expect(fake.requests[0]?.body).not.toHaveProperty("reasoning");
  expect(fake.requests[0]?.body).not.toHaveProperty("include");
});
