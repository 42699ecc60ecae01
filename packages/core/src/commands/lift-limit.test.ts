import { type CallPart, DialogId, type TreeEvent } from "@colloquy/schema";
import { expect, test } from "vitest";
import { decideLift } from "./decide-lift.ts";
import { decide } from "./decide.ts";
import { decideHeldCall } from "../step/decide-call.ts";
import { decideStep } from "../step/decide-step.ts";
import type { Decision } from "../state/decision.ts";
import { accepted, callId, callPart, coder, dialog, lead, rules, says, startedTree, step, stepResult } from "../testing.ts";
import { runOf, type Tree } from "../state/tree.ts";

const ask = (nth: number, targetAgentId = "coder"): CallPart =>
  callPart(nth, { tool: "tellaskSessionless", kind: "house", input: { targetAgentId, tellaskContent: "Build it" } });
const delegation = (nth: number, many: number): CallPart =>
  callPart(nth, {
    tool: "delegate",
    kind: "house",
    input: { delegations: Array.from({ length: many }, () => ({ recipient: "coder", prompt: "Build it", phase: "plan" })) },
  });
const openOf = (tree: Tree) => [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []);
const happened = (decision: Decision<TreeEvent>): readonly string[] =>
  decision.ok
    ? decision.events.map((event) => (event.type === "question.closed" ? `${event.as}: ${event.content}` : event.type))
    : ["refused"];
const heldCalls = (tree: Tree) => runOf(tree, dialog, lead)?.turns[0]?.calls.flatMap((call) => (call.held === undefined ? [] : call.id));

/** The coder that serves this ask answers it. */
function answered(tree: Tree, nth: number, limits: object): Decision<TreeEvent> {
  const below = DialogId.parse(callId(nth));
  const turn = runOf(tree, below, coder)?.turns[0]?.id ?? 0;
  const ref = { dialog: below, agent: coder, turn, step: 1 };
  return decideStep(tree, ref, stepResult({ parts: [says("Built.")], seen: tree.seq }), rules(limits));
}

test("[S18] an answered ask releases the next held call, and the last release withdraws the question", () => {
  const limits = { openAsks: 1 };
  const tree = startedTree();
  const held = accepted(tree, step(tree, [ask(11), ask(12), ask(13)], {}, limits));
  expect(openOf(held)).toMatchObject([{ limit: "openAsks", needs: 1 }]);
  expect(heldCalls(held)).toEqual([callId(12), callId(13)]);

  const first = answered(held, 11, limits);
  expect(happened(first)).toContain("call.released");
  const one = accepted(held, first);
  expect(heldCalls(one)).toEqual([callId(13)]);
  const ref = { dialog, agent: lead, turn: runOf(one, dialog, lead)?.turns[0]?.id ?? 0, call: callId(12) };
  const asked = accepted(one, decideHeldCall(one, ref, ask(12), rules(limits)));
  expect([...asked.asks.keys()]).toHaveLength(1);
  expect(openOf(asked)).toHaveLength(1);

  const second = answered(asked, 12, limits);
  expect(happened(second).at(-1)).toBe("withdrawn: No decision is needed: limits.openAsks has room again (0 of 1). Work continues.");
  const two = accepted(asked, second);
  expect(heldCalls(two)).toEqual([]);
  expect(openOf(two)).toEqual([]);
});

test("[S18] a call that opens more asks than there is room for does not block the others", () => {
  const limits = { openAsks: 2 };
  const tree = startedTree();
  const held = accepted(tree, step(tree, [ask(11), ask(12), delegation(13, 3), ask(14)], {}, limits));
  expect(heldCalls(held)).toEqual([callId(13), callId(14)]);
  const one = accepted(held, answered(held, 11, limits));
  expect(heldCalls(one)).toEqual([callId(13)]);
  // A released call is not stopped with the others.
  const { id } = openOf(one)[0] ?? { id: "" };
  const stopped = decide(one, { type: "answer", question: id as never, by: "anna", choice: ["Stop"] }, rules(limits));
  expect(stopped).toMatchObject({ events: [{ type: "question.closed" }, { type: "call.ended", call: callId(13), outcome: "refused" }] });
});

test("[S17] a raised limit releases each call that fits, and the rest keep waiting", () => {
  const tree = startedTree();
  const limits = { openAsks: 1, costPerTree: 5 };
  const held = accepted(tree, step(tree, [ask(11), ask(12), delegation(13, 2)], { cost: 6 }, limits));
  expect(openOf(held).map(({ limit }) => limit)).toEqual(["openAsks", "costPerTree"]);
  const lift = (of: Tree, now: object) => decideLift(of, undefined, rules(now));
  expect(happened(lift(held, limits))).toEqual([]);
  const cost = lift(held, { ...limits, costPerTree: 10 });
  expect(happened(cost)).toEqual(["withdrawn: No decision is needed: limits.costPerTree has room again (6.00 of 10.00). Work continues."]);
  expect(happened(lift(held, { ...limits, openAsks: 2 }))).toEqual(["call.released"]);
  expect(happened(lift(held, { openAsks: 4 }))).toHaveLength(2);
  expect(openOf(accepted(held, lift(held, { openAsks: 4 })))).toEqual([]);
});

test("[S17] a higher step limit withdraws the question, a person's message does not", () => {
  const limits = { stepsPerTurn: 1 };
  const tree = startedTree();
  const note = callPart(11, { tool: "add_reminder", kind: "house", input: { content: "x" } });
  const held = accepted(tree, step(tree, [note], {}, limits));
  expect(held.ready.size).toBe(0);
  const told = accepted(held, decide(held, { type: "send", dialog, by: "anna", content: "Well?" }, rules(limits)));
  expect(happened(decideLift(told, undefined, rules(limits)))).toEqual([]);
  const lifted = accepted(told, decideLift(told, undefined, rules({ stepsPerTurn: 2 })));
  expect(openOf(lifted)).toEqual([]);
  expect(lifted.ready.size).toBe(1);
});
