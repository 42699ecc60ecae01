import type { LiveEvent, TreeEvent } from "@colloquy/schema";
import { expect, test } from "vitest";
import { atWorkIn, hearLive, supersede } from "./live-run.ts";

const place = { dialog: { rootId: "d1", selfId: "d1" }, agent: "lead", course: 1, genseq: 1 };
const started = { type: "tool_start_evt", ...place, call: "c1", tool: "pay", input: {} } as unknown as LiveEvent;
const recorded = (event: object) => ({ dialog: "d1", agent: "lead", ...event }) as unknown as TreeEvent;

test.each([
  ["has its result", recorded({ type: "call.ended", call: "c1" })],
  ["waits on its layer", recorded({ type: "call.ran", call: "c1" })],
  ["asks a person", recorded({ type: "question.asked", call: "c1", question: "q1" })],
])("[CL8] a tool is not shown at work any more once it %s", (_what, event) => {
  const runs = hearLive(new Map(), started, 5);
  expect(atWorkIn(runs, 9)("d1" as never, "lead" as never)).toMatchObject({ tool: "pay", activeMs: 4 });
  expect(supersede(runs, event)).toEqual(new Map());
});

test("[CL8] another question, or another call's end, leaves a running tool in place", () => {
  const runs = hearLive(new Map(), started, 5);
  for (const event of [recorded({ type: "question.asked", question: "q1" }), recorded({ type: "call.ended", call: "c2" })])
    expect(supersede(runs, event).size).toBe(1);
});

test("[CL32] a question about a limit ends the pause before a retry; other questions don't", () => {
  const retrying = hearLive(
    new Map(),
    { type: "retry_evt", ...place, message: "busy", attempt: 2, pauseMs: 500 } as unknown as LiveEvent,
    5,
  );
  expect(retrying.size).toBe(1);
  expect(supersede(retrying, recorded({ type: "question.asked", question: "q1", limit: "costPerTree" }))).toEqual(new Map());
  expect(supersede(retrying, recorded({ type: "question.asked", question: "q1" })).size).toBe(1);
});
