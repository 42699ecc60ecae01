import type { ModelMessage, Part } from "@colloquy/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type FakeRequest, fakeProvider } from "../../testing/src/fake-provider.ts";
import { ask, call, called, listDir, listIn, modelAt, other, result, said, user } from "./support.ts";

// Each provider's documented requirements, checked on real requests for random histories.

type Json = Readonly<Record<string, unknown>>;
const DIGITS = ["a", "b", "c", "d"];
const ok = { parts: [{ say: "ok" }] };

const anyPart = (opaque: unknown): fc.Arbitrary<Part> =>
  fc.oneof(
    fc.constantFrom("", " ", "words").map((saying): Part => ({ saying })),
    fc.boolean().map((isSigned): Part => ({ thinking: "Hm.", ...(isSigned && { opaque }) })),
    fc.constantFrom(...DIGITS).map((digit) => called(call(digit), "list_dir", { path: digit })),
  );

/** A history as a view may give it: each call once, results anywhere or missing, several voices in any order. */
const anyHistory = (model: string, opaque: unknown): fc.Arbitrary<readonly ModelMessage[]> =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom("hi", "", "and?").map(user),
        fc.constantFrom("[Coder]: done", "[System]: a notice", "=== NEW INTERACTION ===").map(other),
        fc
          .tuple(fc.array(anyPart(opaque), { maxLength: 3 }), fc.constantFrom(model, "another/model"))
          .map(([parts, by]) => said(by, ...parts)),
        fc.constantFrom(...DIGITS).map((digit) => result(call(digit), digit === "a" ? "" : `result ${digit}`)),
      ),
      { maxLength: 10 },
    )
    .map(eachCallOnce);

function eachCallOnce(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const made = new Set<string>();
  return messages.map((message) => {
    if (message.role !== "assistant") return message;
    return { ...message, parts: message.parts.filter((part) => !("call" in part) || (!made.has(part.call) && made.add(part.call))) };
  });
}

const textsOf = (content: unknown): readonly string[] =>
  typeof content === "string" ? [content] : (content as readonly Json[]).flatMap(({ text }) => (typeof text === "string" ? [text] : []));

/** Neighbours differ. */
function alternates(roles: readonly unknown[]): void {
  roles.forEach((role, at) => expect(role).not.toBe(roles[at + 1]));
}

const dialects = {
  anthropic: {
    config: { provider: "anthropic", id: "claude-opus-5-5" },
    opaque: { anthropic: { signature: "c2ln" } },
    check: (request: FakeRequest): void => {
      const messages = listIn<{ role: string; content: readonly Json[] }>(request, "messages");
      expect(messages[0]?.role).toBe("user");
      expect(messages.at(-1)?.role).toBe("user");
      alternates(messages.map(({ role }) => role));
      for (const { role } of messages) expect(["user", "assistant"]).toContain(role);
      messages.forEach(({ role, content }, at) => {
        expect(content.length).toBeGreaterThan(0);
        for (const text of textsOf(content)) expect(text.trim()).not.toBe("");
        const uses = content.filter(({ type }) => type === "tool_use").map(({ id }) => id);
        const next = role === "assistant" ? (messages[at + 1]?.content ?? []) : [];
        const results = next.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id);
        expect(results).toEqual(uses);
        // Results come before anything else in their message.
        expect(next.slice(0, results.length).every(({ type }) => type === "tool_result")).toBe(true);
        for (const block of content) if (block.type === "thinking") expect(block.signature).toBe("c2ln");
      });
      const marks = JSON.stringify(request.body).match(/"cache_control"/g) ?? [];
      expect(marks.length).toBeLessThanOrEqual(4);
      expect(listIn<Json>(request, "system").every(({ cache_control }) => cache_control !== undefined)).toBe(true);
    },
  },
  openai: {
    config: { provider: "openai", id: "gpt-5.5" },
    opaque: { openai: { itemId: "rs_1", reasoningEncryptedContent: "enc" } },
    check: (request: FakeRequest): void => {
      const input = listIn<Json>(request, "input");
      const head = input.findIndex(({ role }) => role !== "developer");
      expect(input.slice(Math.max(0, head)).some(({ role }) => role === "developer" || role === "system") && head >= 0).toBe(false);
      const calls = input.filter(({ type }) => type === "function_call").map(({ call_id }) => call_id);
      const outputs = input.filter(({ type }) => type === "function_call_output").map(({ call_id }) => call_id);
      expect(outputs).toEqual(calls);
      expect(new Set(calls).size).toBe(calls.length);
      // Nobody else speaks between a call and its output.
      for (const id of calls) {
        const [made, answered] = ["function_call", "function_call_output"].map((kind) =>
          input.findIndex(({ type, call_id }) => type === kind && call_id === id),
        );
        expect(input.slice(made, answered).some(({ role }) => role === "user")).toBe(false);
      }
      for (const { type, content, encrypted_content } of input) {
        if (type === "reasoning") expect(encrypted_content).toBe("enc");
        if (content !== undefined) for (const text of textsOf(content)) expect(text.trim()).not.toBe("");
      }
      expect(request.body).toMatchObject({ store: false, prompt_cache_key: expect.any(String) });
    },
  },
  compatible: {
    config: { provider: "openai-compatible", id: "qwen" },
    opaque: { any: 1 },
    check: (request: FakeRequest): void => {
      const messages = listIn<Json>(request, "messages");
      expect(messages[0]?.role).toBe("system");
      const history = messages.slice(1);
      expect(history.some(({ role }) => role === "system")).toBe(false);
      expect(history[0]?.role).toBe("user");
      expect(history.at(-1)?.role).not.toBe("assistant");
      // Consecutive results belong to one step. A person's words and others' are separate messages.
      alternates(history.map(({ role, tool_call_id }, at) => tool_call_id ?? (role === "user" ? `${role} ${at}` : role)));
      history.forEach((message, at) => {
        const calls = (message.tool_calls ?? []) as readonly Json[];
        const behind = history.slice(at + 1, at + 1 + calls.length);
        expect(behind.map(({ role, tool_call_id }) => [role, tool_call_id])).toEqual(calls.map(({ id }) => ["tool", id]));
        if (message.role === "user") expect(typeof message.content === "string" && message.content.trim() !== "").toBe(true);
      });
      const results = history.filter(({ role }) => role === "tool").length;
      expect(results).toBe(history.flatMap(({ tool_calls }) => (tool_calls ?? []) as readonly Json[]).length);
    },
  },
} as const;

test.each(Object.entries(dialects))(
  "[M11] whatever an agent is shown, a request to %s keeps its rules",
  async (_, { config, opaque, check }) => {
    await using fake = await fakeProvider();
    const model = modelAt(fake, config);
    await fc.assert(
      fc.asyncProperty(anyHistory(model.name, opaque), async (history) => {
        fake.reply(ok);
        await ask(model, history, { tools: [listDir] });
        const sent = fake.requests.at(-1);
        expect(sent).toBeDefined();
        if (sent) check(sent);
      }),
      { numRuns: 150 },
    );
  },
);

test.each(Object.entries(dialects))("[M13] %s: a later request has the earlier one as its beginning", async (_, { config }) => {
  await using fake = await fakeProvider();
  fake.reply(ok, ok);
  const model = modelAt(fake, config);
  const history = [user("hi"), said(model.name, { saying: "I look." }, called(call("a"), "list_dir")), result(call("a"), "x.ts")];
  await ask(model, history, { tools: [listDir] });
  await ask(model, [...history, said(model.name, { saying: "Done." }), other("[Coder]: and I"), user("thanks")], { tools: [listDir] });
  const field = config.provider === "openai" ? "input" : "messages";
  const [first, second] = fake.requests.map((request) =>
    listIn<Json>(request, field).map((one) => JSON.stringify(one).replaceAll(/,"cache_control":\{[^}]*\}/g, "")),
  );
  expect(second?.slice(0, first?.length)).toEqual(first);
});

const PICTURE = Uint8Array.from(Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
const BASE64 = Buffer.from(PICTURE).toString("base64");

test.each(Object.entries(dialects))("[M12] %s: an image follows its text", async (_, { config }) => {
  await using fake = await fakeProvider();
  fake.reply(ok);
  const shown: ModelMessage = {
    role: "user",
    text: "What is this?",
    images: [
      { name: "a.png", mediaType: "image/png", bytes: PICTURE.length },
      { name: "gone.png", mediaType: "image/png", bytes: 1 },
    ],
  };
  await ask(modelAt(fake, config), [shown], { images: new Map([["a.png", PICTURE]]) });
  const body = JSON.stringify(fake.requests[0]?.body);
  expect(body).toContain("What is this?");
  expect(body.indexOf(BASE64)).toBeGreaterThan(body.indexOf("What is this?"));
  expect(body).toContain("The image gone.png is gone.");
});
