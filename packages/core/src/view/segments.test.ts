import { expect, test } from "vitest";
import { Segments } from "./segments.ts";
import { callPart } from "../testing.ts";

test("[W1] segments alternate and keep their order, with calls between them", () => {
  const segments = new Segments();
  segments.start("thinking");
  segments.chunk("thinking", "hm");
  segments.finish("thinking", { signature: "s" });
  segments.start("saying");
  expect([segments.chunk("saying", "Let "), segments.chunk("saying", "me")]).toEqual([0, 4]);
  segments.finish("saying", undefined);
  segments.call(callPart(1));
  segments.start("thinking");
  segments.finish("thinking", undefined);
  expect(segments.end()).toEqual([{ thinking: "hm", opaque: { signature: "s" } }, { saying: "Let me" }, callPart(1)]);
});

test.each([
  ["a segment inside another", (s: Segments) => (s.start("thinking"), s.start("saying"))],
  ["a chunk outside of its segment", (s: Segments) => s.chunk("saying", "x")],
  ["a chunk of the other kind", (s: Segments) => (s.start("thinking"), s.chunk("saying", "x"))],
  ["a finish without a start", (s: Segments) => s.finish("saying", undefined)],
  ["a call inside a segment", (s: Segments) => (s.start("saying"), s.call(callPart(1)))],
  ["an end inside a segment", (s: Segments) => (s.start("saying"), s.end())],
])("[W2] %s is out of order", (_what, play) => {
  expect(() => play(new Segments())).toThrow(expect.objectContaining({ code: "model_malformed", retry: "later" }));
});
