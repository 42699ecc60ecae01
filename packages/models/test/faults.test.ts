import { expect, test } from "vitest";
import { fakeProvider, type Reply } from "../../testing/src/fake-provider.ts";
import type { Model } from "../src/index.ts";
import { ask, faultIn, KEY, modelAt, user } from "./support.ts";

const anthropic = { provider: "anthropic", id: "claude-sonet-5" } as const;
const openai = { provider: "openai", id: "gpt-5.5" } as const;
const local = { provider: "openai-compatible", id: "qwen" } as const;
const refused = (status: number, error: object, headers: Record<string, string> = {}): Reply => ({
  status,
  body: { type: "error", error },
  headers,
});
const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const START = frame({
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", model: "f", content: [], usage: { input_tokens: 1, output_tokens: 1 } },
});
const hello = (model: Model) => ask(model, [user("hi")]);

test.each<[string, Parameters<typeof modelAt>[1], Reply, { code: string; retry: string; message?: unknown; retryAfterMs?: number }]>([
  [
    "[M71] a wrong key",
    anthropic,
    refused(401, { type: "authentication_error", message: `invalid x-api-key ${KEY}` }),
    { code: "model_wrong_key", retry: "never", message: "anthropic refused the key in ANTHROPIC_API_KEY (401)." },
  ],
  [
    "[M71] a key that may not",
    openai,
    refused(403, { message: `Project of ${KEY} has no access`, code: null }),
    { code: "model_wrong_key", retry: "never", message: "openai refused the key in OPENAI_API_KEY (403: Project of *** has no access)." },
  ],
  [
    "[M72] a used-up quota",
    openai,
    refused(429, { type: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your current quota" }),
    {
      code: "model_no_credit",
      retry: "never",
      message: expect.stringMatching(/^openai says the quota is used up \(429 insufficient_quota\)\. This does not pass by waiting\./),
    },
  ],
  [
    "[M72] a low balance",
    anthropic,
    refused(400, { type: "invalid_request_error", message: "Your credit balance is too low to access the API." }),
    { code: "model_no_credit", retry: "never" },
  ],
  ["[M72] a payment that is asked for", local, refused(402, { message: "Payment Required" }), { code: "model_no_credit", retry: "never" }],
  [
    "[M73] a rate limit, with seconds",
    openai,
    refused(429, { type: "requests", code: "rate_limit_exceeded", message: "Rate limit reached" }, { "retry-after": "7" }),
    { code: "model_overloaded", retry: "later", retryAfterMs: 7000, message: "openai asks for fewer requests (429: Rate limit reached)." },
  ],
  [
    "[M73] a rate limit, with a date",
    anthropic,
    refused(429, { type: "rate_limit_error", message: "slow" }, { "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" }),
    { code: "model_overloaded", retry: "later", retryAfterMs: 30_000 },
  ],
  [
    "[M73] a rate limit, with milliseconds",
    openai,
    refused(429, { message: "slow" }, { "retry-after-ms": "250", "retry-after": "1" }),
    { code: "model_overloaded", retry: "later", retryAfterMs: 250 },
  ],
  [
    "[M74] an unknown model",
    anthropic,
    refused(404, { type: "not_found_error", message: "model: claude-sonet-5" }),
    {
      code: "model_unknown",
      retry: "never",
      message: 'anthropic has no model "claude-sonet-5". Did you mean "claude-sonnet-5"? colloquy models lists them.',
    },
  ],
  [
    "[M74] a model that a local server has not",
    local,
    refused(404, { message: 'model "qwen" not found, try pulling it first' }),
    { code: "model_unknown", retry: "never", message: expect.stringContaining('has no model "qwen".') },
  ],
  [
    "[M74] a wrong address",
    local,
    { status: 404, body: "<html>not found</html>" },
    { code: "model_unknown", retry: "never", message: expect.stringContaining("Check baseURL") },
  ],
  [
    "[M75] a context that is too long",
    openai,
    refused(400, { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." }),
    { code: "model_context_too_long", retry: "never" },
  ],
  [
    "[M75] a prompt that is too long",
    anthropic,
    refused(400, { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" }),
    { code: "model_context_too_long", retry: "never", message: expect.stringContaining("210000 tokens") },
  ],
  [
    "[M76] an overload",
    anthropic,
    refused(529, { type: "overloaded_error", message: "Overloaded" }),
    { code: "model_overloaded", retry: "later", message: "anthropic is overloaded (529: Overloaded)." },
  ],
  ["[M76] an error of the server", openai, { status: 502, body: "<html>bad gateway</html>" }, { code: "model_overloaded", retry: "later" }],
  [
    "[M78] another refusal",
    openai,
    refused(400, { message: "Invalid schema", type: "invalid_request_error" }),
    { code: "model_refused", retry: "never", message: "openai refused the request (400: Invalid schema)." },
  ],
  [
    "[M80] an overload within the stream",
    anthropic,
    { raw: [START, frame({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })] },
    { code: "model_overloaded", retry: "later" },
  ],
  [
    "[M80] a limit within the stream",
    openai,
    {
      raw: [
        frame({ type: "response.created", response: { id: "r", created_at: 1, model: "m" } }),
        frame({ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m" } }),
        frame({ type: "error", sequence_number: 2, code: "rate_limit_exceeded", message: "slow" }),
      ],
    },
    { code: "model_overloaded", retry: "later" },
  ],
  [
    "[M80] an error within the stream of a local server",
    local,
    { raw: [frame({ error: { message: "out of memory", type: "server_error" } })] },
    { code: "model_overloaded", retry: "later" },
  ],
  ["[M59] a stream that is not JSON", local, { raw: ["data: {oops\n\n"] }, { code: "model_malformed", retry: "later" }],
  ["[M59] a stream of another kind", anthropic, { raw: [frame({ hello: "world" })] }, { code: "model_malformed", retry: "later" }],
  [
    "[M52] a stream out of order",
    anthropic,
    {
      raw: [
        START,
        frame({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
        frame({ type: "content_block_start", index: 1, content_block: { type: "thinking", thinking: "" } }),
      ],
    },
    { code: "model_malformed", retry: "later" },
  ],
  [
    "[M58] a connection that is cut",
    anthropic,
    { parts: [{ say: "Hel" }, { cut: true }] },
    {
      code: "model_unreachable",
      retry: "later",
      message: expect.stringMatching(/^Cannot reach anthropic \(127\.0\.0\.1:\d+\): the connection was cut/),
    },
  ],
  [
    "[M58] an answer that just ends",
    openai,
    { raw: [frame({ type: "response.created", response: { id: "r", created_at: 1, model: "m" } })] },
    { code: "model_unreachable", retry: "later" },
  ],
])("[M79] %s has its own fault, and no message shows a key", async (_case, config, reply, expected) => {
  await using fake = await fakeProvider();
  fake.reply(reply);
  const fault = await faultIn(hello(modelAt(fake, config)));
  expect(fault).toMatchObject(expected);
  expect(JSON.stringify([fault.message, fault.stack, String(fault.cause)])).not.toContain(KEY);
});

test("[M71] an endpoint that requires a key, with none configured", async () => {
  await using fake = await fakeProvider();
  fake.reply({ status: 401, body: {} }, { status: 401, body: {} });
  expect((await faultIn(hello(modelAt(fake, local)))).message).toContain("apiKeyEnv of this model in colloquy.yaml");
  expect((await faultIn(hello(modelAt(fake, { ...local, apiKeyEnv: "MY_KEY" })))).message).toContain("Set MY_KEY (or put it into .env)");
});

test("[M77] an endpoint that is unreachable", async () => {
  const gone = await fakeProvider();
  await gone[Symbol.asyncDispose]();
  const refusedFault = await faultIn(hello(modelAt(gone, local)));
  expect(refusedFault).toMatchObject({ code: "model_unreachable", retry: "later" });
  expect(refusedFault.message).toMatch(
    /^Cannot reach 127\.0\.0\.1:\d+: the connection was refused \(ECONNREFUSED\)\. Nothing listens there/,
  );
  const nowhere = await faultIn(hello(modelAt({ url: "http://no-such-host.invalid/v1" }, openai)));
  expect(nowhere).toMatchObject({ code: "model_unreachable", retry: "later" });
});

test("[M60] an abort ends the request at once, with the given reason", async () => {
  await using fake = await fakeProvider();
  let release: (value?: unknown) => void = () => {};
  fake.reply({ parts: [{ say: "Hel" }, { hold: new Promise((resolve) => (release = resolve)) }, { say: "lo" }] });
  const stopping = new AbortController();
  const reason = new Error("stopped by a person");
  const chunks = modelAt(fake, local).stream(
    { system: [], messages: [user("hi")], tools: [], agent: "lead", course: 1, step: 1, dialog: "d", sessionId: undefined },
    stopping.signal,
  );
  const seen: string[] = [];
  await expect(async () => {
    for await (const { type } of chunks) {
      seen.push(type);
      if (type === "saying.chunk") stopping.abort(reason);
    }
  }).rejects.toBe(reason);
  expect(seen).toEqual(["saying.started", "saying.chunk"]);
  release();
});
