import { expect, test } from "vitest";
import { applyAll } from "../state/apply.ts";
import { decide } from "./decide.ts";
import { accepted, AT, callPart, coder, dialog, lead, reviewer, rules, says, send, startedTree, step } from "../testing.ts";
import { runOf } from "../state/tree.ts";

const typesOf = (decision: ReturnType<typeof decide>) => (decision.ok ? decision.events.map((event) => event.type) : []);

test("[J35] an interrupt breaks off calls that have not started, except a recorded change and calls that wait for a person", () => {
  const tree = startedTree();
  const calls = [callPart(1, { kind: "effects", tool: "change_mind" }), callPart(2, { kind: "effects" }), callPart(3)];
  const acting = accepted(tree, step(tree, calls));
  const change = {
    type: "document.changed",
    dialog,
    course: 1,
    agent: lead,
    turn: 2,
    call: callPart(1).call,
    path: "p",
    from: "",
    to: "x",
  } as const;
  const recorded = applyAll(acting, [change], AT);
  const decision = decide(recorded, send("Stop", { interrupt: true }), rules());
  const ended = decision.ok ? decision.events.flatMap((event) => (event.type === "call.ended" ? [event.call] : [])) : [];
  expect(ended).toEqual([callPart(2).call, callPart(3).call]);
});

test("[C11][J35] the first repeatable call with effects may have been running, so nothing claims that it was not run", () => {
  const tree = startedTree();
  const calls = [1, 2].map((nth) => callPart(nth, { kind: "effects", repeatable: true }));
  const acting = accepted(tree, step(tree, calls));
  const decision = decide(acting, send("Stop", { interrupt: true }), rules());
  const outcomes = decision.ok ? decision.events.flatMap((event) => (event.type === "call.ended" ? [event.outcome] : [])) : [];
  expect(outcomes).toEqual(["unknown", "refused"]);
});

test("[J6] [J37] turns open in the order of the mentions, and only busy agents acknowledge", () => {
  const tree = startedTree();
  const decision = decide(tree, send("Both", { mentions: ["reviewer", "lead", "coder"] }), rules());
  expect(typesOf(decision)).toEqual(["message.added", "message.acknowledged"]);
  const after = accepted(tree, decision);
  const turnOf = (agent: typeof lead) => runOf(after, dialog, agent)?.turns[0];
  expect(turnOf(reviewer)?.followsTurn).toBeUndefined();
  expect(turnOf(coder)?.followsTurn).toEqual({ agent: lead, turn: 2 });
  expect([...after.ready.keys()].toSorted()).toEqual([`${dialog}/lead`, `${dialog}/reviewer`]);
});

test("[J3] [J37] a message for the history joins no turn, and nobody acknowledges it", () => {
  const tree = startedTree();
  const decision = decide(tree, send("Kept", { mentions: [] }), rules());
  expect(decision).toMatchObject({ events: [{ type: "message.added", to: [] }] });
  expect(runOf(accepted(tree, decision), dialog, lead)?.turns[0]?.queue).toEqual([2]);
  expect(typesOf(decide(accepted(tree, step(tree, [says("Hi.")])), send("Next"), rules()))).toEqual(["message.added"]);
});
