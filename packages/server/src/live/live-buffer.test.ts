import type { LiveEvent, RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { SoFar } from "./live-buffer.ts";

const rootId = "0190a0b0c0d000000000000000000001" as RootId;
const event = (agent: string, type: string, more: object = {}): LiveEvent =>
  ({ type, dialog: { rootId, selfId: rootId }, agent, course: 1, genseq: 1, ...more }) as unknown as LiveEvent;
const typesIn = (soFar: SoFar) => soFar.of(rootId).map(({ type }) => type);

test("[W7] chunks of a generation whose start was missed are dropped", () => {
  const soFar = new SoFar();
  expect(soFar.hear(event("lead", "saying_chunk_evt", { offset: 3, text: "x" }))).toBe(false);
  expect(soFar.hear(event("lead", "tool_start_evt"))).toBe(true);
  expect(soFar.hear(event("lead", "generating_start_evt"))).toBe(true);
  expect(soFar.hear(event("lead", "saying_start_evt"))).toBe(true);
  expect(typesIn(soFar)).toEqual(["generating_start_evt", "saying_start_evt"]);
});

test("[W7] the end of one agent's generation leaves another's open", () => {
  const soFar = new SoFar();
  for (const agent of ["lead", "coder"]) soFar.hear(event(agent, "generating_start_evt"));
  soFar.hear(event("coder", "saying_start_evt"));
  soFar.recorded(rootId, rootId, "lead");
  expect(typesIn(soFar)).toEqual(["generating_start_evt", "saying_start_evt"]);
  expect(soFar.hear(event("coder", "saying_chunk_evt", { offset: 0, text: "x" }))).toBe(true);
  soFar.recorded(rootId, rootId, "coder");
  expect(typesIn(soFar)).toEqual([]);
});

test("[W7] a retry is forgotten when its dialog is stopped, and a generation of it goes on", () => {
  const soFar = new SoFar();
  soFar.hear(event("lead", "retry_evt", { message: "overloaded", attempt: 1, pauseMs: 1_000 }));
  soFar.hear(event("coder", "generating_start_evt"));
  soFar.ended(rootId, "another");
  expect(typesIn(soFar)).toEqual(["retry_evt", "generating_start_evt"]);
  soFar.ended(rootId, rootId);
  expect(typesIn(soFar)).toEqual(["generating_start_evt"]);
});
