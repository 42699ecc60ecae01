import type { LiveEvent, RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { SoFar } from "./live-buffer.ts";

const rootId = "0190a0b0c0d000000000000000000001" as RootId;
const event = (agent: string, type: string, more: object = {}): LiveEvent =>
  ({ type, dialog: { rootId, selfId: rootId }, agent, course: 1, genseq: 1, ...more }) as unknown as LiveEvent;
const typesIn = (soFar: SoFar) => soFar.of(rootId).map(({ type }) => type);

test("[W7] of a generation whose beginning was not heard nobody is told a piece", () => {
  const soFar = new SoFar();
  expect(soFar.hear(event("lead", "saying_chunk_evt", { offset: 3, text: "x" }))).toBe(false);
  expect(soFar.hear(event("lead", "tool_start_evt"))).toBe(true);
  expect(soFar.hear(event("lead", "generating_start_evt"))).toBe(true);
  expect(soFar.hear(event("lead", "saying_start_evt"))).toBe(true);
  expect(typesIn(soFar)).toEqual(["generating_start_evt", "saying_start_evt"]);
});

test("[W7] what one agent has said to its end ends nothing of another's", () => {
  const soFar = new SoFar();
  for (const agent of ["lead", "coder"]) soFar.hear(event(agent, "generating_start_evt"));
  soFar.hear(event("coder", "saying_start_evt"));
  soFar.recorded(rootId, rootId, "lead");
  expect(typesIn(soFar)).toEqual(["generating_start_evt", "saying_start_evt"]);
  expect(soFar.hear(event("coder", "saying_chunk_evt", { offset: 0, text: "x" }))).toBe(true);
  soFar.recorded(rootId, rootId, "coder");
  expect(typesIn(soFar)).toEqual([]);
});
