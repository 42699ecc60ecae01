import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { expect, test } from "vitest";
import { thinkTagsAsReasoning } from "./think-tags.ts";

async function* stream(pieces: readonly string[]): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "text-start", id: "0" };
  for (const delta of pieces) yield { type: "text-delta", id: "0", delta };
  yield { type: "text-end", id: "0" };
}

async function told(pieces: readonly string[]): Promise<{ readonly thinking: string; readonly saying: string; readonly shape: string }> {
  let [thinking, saying, shape] = ["", "", ""];
  for await (const part of thinkTagsAsReasoning(stream(pieces))) {
    if (part.type === "reasoning-delta") thinking += part.delta;
    else if (part.type === "text-delta") saying += part.delta;
    else shape += ` ${part.type}`;
  }
  return { thinking, saying, shape: shape.trim() };
}

const BOTH = "reasoning-start reasoning-end text-start text-end";

test.each([
  ["in one piece", ["<think>hm</think>\n\nyes"], { thinking: "hm", saying: "yes", shape: BOTH }],
  ["with space before it", ["\n<think>\nhm</think>yes"], { thinking: "hm", saying: "yes", shape: BOTH }],
  ["never closed", ["<think>hm"], { thinking: "hm", saying: "", shape: BOTH }],
  ["later in the text", ["a <think>b</think>"], { thinking: "", saying: "a <think>b</think>", shape: "text-start text-end" }],
  ["only begun", ["<thi"], { thinking: "", saying: "<thi", shape: "text-start text-end" }],
  ["not there", [""], { thinking: "", saying: "", shape: "text-start text-end" }],
])("[M42] a think tag %s", async (_case, pieces, expected) => {
  expect(await told(pieces)).toEqual(expected);
});

test("[M42] the tag is found however the text is chunked", async () => {
  const whole = "<think>a < b </th c</think>so <b>";
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: whole.length })), async (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      expect(await told(at.slice(1).map((end, index) => whole.slice(at[index], end)))).toEqual({
        thinking: "a < b </th c",
        saying: "so <b>",
        shape: BOTH,
      });
    }),
  );
});
