import { expect, test } from "vitest";
import { fakeProvider } from "../../testing/src/fake-provider.ts";
import { ask, call, called, listDir, listIn, modelAt, other, result, said, user } from "./support.ts";

const config = { provider: "anthropic", id: "claude-opus-5-5" } as const;
const ok = { parts: [{ say: "ok" }] };
const MARK = { cache_control: { type: "ephemeral" } };
const refusal = (message: string) => ({ status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } });
const DIFFERENT = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";

test("[M1] [M2] [M20] the whole request: marks for the cache, others as users, one message for neighbours", async () => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  const model = modelAt(fake, config);
  await ask(model, [user("hi"), other("[Coder]: done"), said(model.name, { saying: "Hello" }), user("and?")], { tools: [listDir] });

  expect(fake.requests[0]?.path).toBe("/v1/messages");
  expect(fake.requests[0]?.body).toEqual({
    model: "claude-opus-5-5",
    max_tokens: 128_000,
    stream: true,
    thinking: { type: "adaptive", display: "summarized" },
    system: [
      { type: "text", text: "You help.", ...MARK },
      { type: "text", text: "Today is Monday.", ...MARK },
    ],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "text", text: "[Coder]: done", ...MARK },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      { role: "user", content: [{ type: "text", text: "and?", ...MARK }] },
    ],
    tools: [{ name: "list_dir", description: "Lists a folder.", input_schema: listDir.input }],
  });
});

test("[M3] [M4] [M9] [M10] calls go back under our own ids, each with one result in the next message", async () => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  const model = modelAt(fake, config);
  const calls = [called(call("a"), "list_dir", { path: "." }), called(call("b"), "list_dir", "{oops"), called(call("c"), "list_dir")];
  await ask(model, [
    user("go"),
    said(model.name, { saying: "I look." }, ...calls),
    result(call("b"), "not an object", true),
    result(call("a"), "x.ts"),
    user("and?"),
  ]);

  const input = { unreadable: "{oops" };
  expect(fake.requests[0]?.body.messages).toMatchObject([
    { role: "user" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: call("a"), name: "list_dir", input: { path: "." } },
        { type: "tool_use", id: call("b"), input },
        { type: "tool_use", id: call("c"), input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: call("a"), content: "x.ts" },
        { type: "tool_result", tool_use_id: call("b"), content: "not an object", is_error: true },
        { type: "tool_result", tool_use_id: call("c"), content: "No result was recorded.", is_error: true },
        { type: "text", text: "and?", ...MARK },
      ],
    },
  ]);
});

test("[M21] [M22] the first message is a user's, and so is the last", async () => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  const model = modelAt(fake, config);
  await ask(model, [said(model.name, { saying: "Hello" })]);
  expect(listIn<{ role: string }>(fake.requests[0], "messages").map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("[M23] [M50] [M57] thinking is streamed, and goes back with its signature to this model only", async () => {
  await using fake = await fakeProvider();
  fake.reply(
    {
      parts: [{ think: "Hm.", signature: "c2ln" }, { say: ["Hel", "lo"] }, { call: "list_dir", input: { path: "." } }],
      usage: { input: 100, output: 7, cached: 40 },
    },
    ok,
    ok,
  );
  const model = modelAt(fake, config);
  const opaque = { anthropic: { signature: "c2ln" } };
  expect(await ask(model, [user("hi")], { tools: [listDir] })).toEqual([
    { type: "thinking.started" },
    { type: "thinking.chunk", text: "Hm." },
    { type: "thinking.finished", opaque },
    { type: "saying.started" },
    { type: "saying.chunk", text: "Hel" },
    { type: "saying.chunk", text: "lo" },
    { type: "saying.finished" },
    { type: "call", tool: "list_dir", input: { path: "." } },
    { type: "finished", usage: { input: 100, output: 7, cachedInput: 40 }, sessionId: undefined },
  ]);

  const parts = [{ thinking: "Hm.", opaque }, { thinking: "unsigned" }, called(call("a"), "list_dir")];
  await ask(model, [user("hi"), said(model.name, ...parts), result(call("a"), "x.ts")]);
  await ask(model, [user("hi"), said("anthropic/claude-sonnet-5", ...parts), result(call("a"), "x.ts")]);
  const contents = fake.requests.slice(1).map(({ body }) => (body.messages as { content: { type: string }[] }[])[1]?.content);
  expect(contents[0]?.[0]).toEqual({ type: "thinking", thinking: "Hm.", signature: "c2ln" });
  expect(contents.map((content) => content?.map(({ type }) => type))).toEqual([["thinking", "tool_use"], ["tool_use"]]);
});

test.each([
  ["claude-opus-5-5", true],
  ["claude-sonnet-4-6", true],
  ["claude-opus-9", true],
  ["claude-haiku-4-5-20251001", false],
  ["claude-sonnet-4-20250514", false],
  ["claude-3-haiku-20240307", false],
])("[M24] %s is asked to show its thinking: %s", async (id, isAsked) => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  await ask(modelAt(fake, { ...config, id }), [user("hi")]);
  expect(fake.requests[0]?.body.thinking).toEqual(isAsked ? { type: "adaptive", display: "summarized" } : undefined);
});

test("[M25] an endpoint that refuses thinking after a changed prefix is asked to drop it from then on", async () => {
  await using fake = await fakeProvider();
  fake.reply(refusal(DIFFERENT), ok, ok);
  const model = modelAt(fake, config);
  expect((await ask(model, [user("hi")])).at(-1)).toMatchObject({ type: "finished" });
  await ask(model, [user("again")]);
  const drop = { block_binding: { prefix_mismatch_behavior: "drop_block" } };
  expect(fake.requests.map(({ body }) => body.thinking)).toMatchObject([{ type: "adaptive" }, drop, drop]);
  expect(fake.requests[0]?.body.thinking).not.toMatchObject(drop);
});

test("[M26] refused thinking is left out of that one request", async () => {
  await using fake = await fakeProvider();
  fake.reply(refusal("messages.1.content.0: `thinking` blocks in the latest assistant message cannot be modified."), ok, ok);
  const model = modelAt(fake, config);
  const history = [
    user("hi"),
    said(model.name, { thinking: "Hm.", opaque: { anthropic: { signature: "c2ln" } } }, { saying: "a" }),
    user("b"),
  ];
  await ask(model, history);
  await ask(model, history);
  const thoughts = fake.requests.map(({ body }) => JSON.stringify(body.messages).includes('"thinking":"Hm."'));
  expect(thoughts).toEqual([true, false, true]);
});
