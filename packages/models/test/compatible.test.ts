import { expect, test } from "vitest";
import { fakeProvider } from "../../testing/src/fake-provider.ts";
import { ask, call, called, KEY, listDir, listIn, modelAt, other, result, said, user } from "./support.ts";

const config = { provider: "openai-compatible", id: "qwen" } as const;
const ok = { parts: [{ say: "ok" }] };
const saidIn = (chunks: readonly { readonly type: string }[]) => chunks.map(({ type }) => type);

test("[M1] [M2] [M40] [M41] the whole request: one system text, plain texts by turns, no key", async () => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  const model = modelAt(fake, config);
  await ask(model, [user("hi"), other("[Coder]: done"), said(model.name, { saying: "A" }, { saying: "B" }), user("and?")], {
    tools: [listDir],
  });

  expect(fake.requests[0]?.path).toBe("/v1/chat/completions");
  expect(fake.requests[0]?.headers.authorization).toBeUndefined();
  expect(fake.requests[0]?.body).toEqual({
    model: "qwen",
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: "system", content: "You help.\n\nToday is Monday." },
      { role: "user", content: "hi" },
      { role: "user", content: "[Coder]: done" },
      { role: "assistant", content: "A\n\nB" },
      { role: "user", content: "and?" },
    ],
    tools: [{ type: "function", function: { name: "list_dir", description: "Lists a folder.", parameters: listDir.input } }],
  });
});

test.each([400, 500])(
  "[M14] an endpoint that wants users and assistants by turns (%i) gets them joined, and is not asked twice",
  async (status) => {
    await using fake = await fakeProvider();
    fake.reply({ status, body: { error: { message: "Conversation roles must alternate user/assistant/user/assistant/..." } } }, ok, ok);
    const model = modelAt(fake, config);
    await ask(model, [user("hi"), other("[Coder]: done\nall")]);
    await ask(model, [user("hi"), other("[Coder]: done\nall")]);
    const sent = fake.requests.map((request) => listIn<{ role: string; content: string }>(request, "messages").slice(1));
    const joined = [{ role: "user", content: "hi\n\n[Coder]: done\nall\n[/Coder]" }];
    expect(sent).toEqual([
      [
        { role: "user", content: "hi" },
        { role: "user", content: "[Coder]: done\nall\n[/Coder]" },
      ],
      joined,
      joined,
    ]);
  },
);

test("[M41] a configured key is sent", async () => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  await ask(modelAt(fake, { ...config, apiKeyEnv: "MY_KEY" }, { MY_KEY: KEY }), [user("hi")]);
  expect(fake.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
});

test("[M42] reasoning between tags is thinking", async () => {
  await using fake = await fakeProvider();
  fake.reply({ parts: [{ say: ["<thi", "nk>Hm.</th", "ink>\n\nHello"] }] });
  expect(await ask(modelAt(fake, config), [user("hi")])).toEqual([
    { type: "thinking.started" },
    { type: "thinking.chunk", text: "Hm." },
    { type: "thinking.finished" },
    { type: "saying.started" },
    { type: "saying.chunk", text: "Hello" },
    { type: "saying.finished" },
    { type: "finished", usage: undefined, sessionId: undefined },
  ]);
});

test("[M43] an empty answer is retried at most twice, and then ends the step", async () => {
  await using fake = await fakeProvider();
  fake.reply({ parts: [] }, { parts: [] }, { parts: [] });
  expect(await ask(modelAt(fake, config), [user("hi")])).toEqual([{ type: "finished", usage: undefined, sessionId: undefined }]);
  expect(fake.requests).toHaveLength(3);
  fake.reply({ parts: [] }, ok);
  expect((await ask(modelAt(fake, config), [user("hi")])).map(({ type }) => type)).toContain("saying.chunk");
  expect(fake.requests).toHaveLength(5);
});

test("[S19] an answer cut off at the output limit is marked", async () => {
  await using fake = await fakeProvider();
  fake.reply({ parts: [{ say: ["Half of"] }], finish: "length" });
  expect((await ask(modelAt(fake, config), [user("hi")])).at(-1)).toMatchObject({ type: "finished", reason: "length" });
});

test("[M44] reasoning goes back until somebody else speaks", async () => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  const model = modelAt(fake, config);
  const step = (thinking: string, id: string) => [said(model.name, { thinking }, called(call(id), "list_dir")), result(call(id), "x.ts")];
  await ask(model, [user("one"), ...step("old", "a"), user("two"), ...step("new", "b")]);
  const thoughts = listIn<{ reasoning_content?: string }>(fake.requests[0], "messages").map((message) => message.reasoning_content);
  expect(thoughts.filter((one) => one !== undefined)).toEqual(["new"]);
});

test("[M45] an endpoint that refuses an extension is not sent it again", async () => {
  await using fake = await fakeProvider();
  fake.reply({ status: 400, body: { error: { message: "Unrecognized request argument supplied: stream_options" } } }, ok, ok);
  const model = modelAt(fake, config);
  await ask(model, [user("hi")]);
  await ask(model, [user("hi")]);
  expect(fake.requests.map(({ body }) => "stream_options" in body)).toEqual([true, false, false]);
});

test("[M46] [M51] calls with the same id are all passed on, after their text", async () => {
  await using fake = await fakeProvider();
  const one = { call: "list_dir", id: "call_0" };
  fake.reply({
    parts: [{ say: "I look." }, { ...one, input: { path: "a" } }, { ...one, input: { path: "b" } }, { say: " There." }],
    usage: { input: 3, output: 2 },
  });
  const chunks = await ask(modelAt(fake, config), [user("hi")], { tools: [listDir] });
  expect(saidIn(chunks)).toEqual(["saying.started", "saying.chunk", "saying.chunk", "saying.finished", "call", "call", "finished"]);
  expect(chunks.filter(({ type }) => type === "call")).toMatchObject([{ input: { path: "a" } }, { input: { path: "b" } }]);
  expect(chunks.at(-1)).toMatchObject({ usage: { input: 3, output: 2, cachedInput: 0 } });
});
