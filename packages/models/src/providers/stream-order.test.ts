import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { collect, faultIn } from "../../test/support.ts";
import type { ModelChunk } from "../port.ts";
import { chunksInOrder, Cut } from "./stream-order.ts";

type StreamPart = LanguageModelV4StreamPart;

async function* from<One>(...all: One[]): AsyncGenerator<One> {
  yield* all;
}
const options = { toolName: (name: string) => name, mustAnswer: false, from: "fake" };
const chunks = (...parts: StreamPart[]) => collect(chunksInOrder(from(...parts), options));
const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
const finish = (unified: "stop" | "error" | "interrupted" | "content-filter" = "stop"): StreamPart => ({
  type: "finish",
  finishReason: { unified, raw: unified },
  usage: { inputTokens: none, outputTokens: { total: undefined, text: undefined, reasoning: undefined } },
});
const text = (id: string, delta: string): StreamPart[] => [
  { type: "text-start", id },
  { type: "text-delta", id, delta },
  { type: "text-end", id },
];
const call: StreamPart = { type: "tool-call", toolCallId: "1", toolName: "t", input: "{}" };
const types = (all: readonly ModelChunk[]) => all.map(({ type }) => type);

test("[M50] [M55] segments never overlap, even with a repeated id", async () => {
  const all = await chunks(
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "hm" },
    { type: "reasoning-end", id: "0" },
    ...text("0", "a"),
    ...text("0", "b"),
    finish(),
  );
  expect(types(all)).toEqual([
    "thinking.started",
    "thinking.chunk",
    "thinking.finished",
    "saying.started",
    "saying.chunk",
    "saying.finished",
    "saying.started",
    "saying.chunk",
    "saying.finished",
    "finished",
  ]);
});

test("[M51] a call within a segment waits for its end", async () => {
  const all = await chunks(
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "a" },
    call,
    { type: "text-delta", id: "0", delta: "b" },
    { type: "text-end", id: "0" },
    finish(),
  );
  expect(types(all)).toEqual(["saying.started", "saying.chunk", "saying.chunk", "saying.finished", "call", "finished"]);
});

test.each<[string, StreamPart[]]>([
  [
    "[M52] a segment that begins within another",
    [
      { type: "text-start", id: "0" },
      { type: "reasoning-start", id: "1" },
    ],
  ],
  ["[M53] words for a segment that is closed", [...text("0", "a"), { type: "text-delta", id: "0", delta: "b" }]],
  [
    "[M53] words for another segment than the open one",
    [
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "1", delta: "b" },
    ],
  ],
  ["[M53] an end of a segment that is not open", [{ type: "reasoning-end", id: "0" }]],
  ["[M54] an answer that ends within a segment", [{ type: "text-start", id: "0" }, finish()]],
  ["[M54] an end by an error without a name", [...text("0", "a"), finish("error")]],
])("%s is malformed, to be tried again", async (_rule, parts) => {
  expect(await faultIn(chunks(...parts))).toMatchObject({ code: "model_malformed", retry: "later" });
});

test("[M56] a call's input is parsed; an empty one is an empty object; an unparsable one is passed on as text", async () => {
  const inputs = ['{"a":1}', "", "{oops"].map((input): StreamPart => ({ ...(call as Extract<StreamPart, { type: "tool-call" }>), input }));
  expect((await chunks(...inputs, finish())).slice(0, 3)).toEqual([
    { type: "call", tool: "t", input: { a: 1 } },
    { type: "call", tool: "t", input: {} },
    { type: "call", tool: "t", input: undefined, raw: "{oops" },
  ]);
});

test("[M58] a stream that ends early is a broken connection", async () => {
  await expect(chunks(...text("0", "a"))).rejects.toThrow(Cut);
  await expect(chunks(...text("0", "a"), finish("interrupted"))).rejects.toThrow(Cut);
});

test("[M61] an empty text makes no segment; an empty thought that the provider wants back does", async () => {
  const opaque = { anthropic: { signature: "s" } };
  const all = await chunks(
    { type: "text-start", id: "0" },
    { type: "text-end", id: "0" },
    { type: "reasoning-start", id: "1" },
    { type: "reasoning-delta", id: "1", delta: "", providerMetadata: opaque },
    { type: "reasoning-end", id: "1" },
    finish(),
  );
  expect(all.slice(0, 2)).toEqual([{ type: "thinking.started" }, { type: "thinking.finished", opaque }]);
  expect(types(all)).toHaveLength(3);
});

test("[M62] an answer withheld by the provider is a refusal", async () => {
  expect(await faultIn(chunks(finish("content-filter")))).toMatchObject({ code: "model_refused", retry: "never" });
});
