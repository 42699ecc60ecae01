import { expect, test } from "vitest";
import { decide } from "./decide.ts";
import { decideCallEnd } from "./decide-call.ts";
import { decideAttempt, decideStep } from "./decide-step.ts";
import { accepted, callPart, dialog, lead, rules, says, send, startedTree, step, verb } from "./testing.ts";
import { texts } from "./texts.ts";
import { mainDialog, runOf, type Tree } from "./tree.ts";

const turnOf = (tree: Tree) => runOf(tree, dialog, lead)?.turns[0];
const refOf = (tree: Tree, nth = 1) => ({ dialog, agent: lead, turn: turnOf(tree)?.id ?? 0, step: nth });
const result = { parts: [says("x")], refused: new Map(), seen: 2, index: 1, gen: 1, ms: 1 };

test("[S1] a step without calls ends the turn", () => {
  const decision = step(startedTree(), [says("Hi.")]);
  expect(decision.ok && decision.events).toMatchObject([{ type: "step.ended", ends: true }]);
  expect(accepted(startedTree(), decision).ready.size).toBe(0);
});

test("[S3] a message that came meanwhile keeps the turn open", () => {
  const tree = startedTree();
  const heard = accepted(tree, decide(tree, send("wait, also …")));
  const decision = step(heard, [says("Hi.")], { seen: tree.seq });
  expect(decision.ok && decision.events[0]).not.toHaveProperty("ends");
  expect(turnOf(accepted(heard, decision))?.queue).toEqual([heard.seq]);
});

test("[S4] a step that is over is refused", () => {
  const tree = startedTree();
  const taken = accepted(tree, step(tree, [callPart(1)]));
  expect(decideStep(taken, refOf(tree, 1), result, rules())).toMatchObject({ refusal: { code: "stale_step" } });
  expect(decideStep(tree, refOf(tree, 2), result, rules())).toMatchObject({ refusal: { code: "stale_step" } });
  expect(decideStep(tree, { ...refOf(tree), turn: 99 }, result, rules())).toMatchObject({ refusal: { code: "stale_step" } });
});

test("[D6] a generation that ends after a stop is not recorded", () => {
  const stopped = accepted(startedTree(), decide(startedTree(), verb("stop")));
  expect(decideStep(stopped, refOf(stopped), result, rules())).toMatchObject({ refusal: { code: "stopped" } });
});

test("[S5] an empty step is told once, then the turn ends", () => {
  const first = step(startedTree(), []);
  expect(first.ok && first.events.map((event) => event.type)).toEqual(["step.ended", "note.added"]);
  const told = accepted(startedTree(), first);
  expect(told.ready.size).toBe(1);
  const second = step(told, [{ thinking: "hm" }]);
  expect(second.ok && second.events).toMatchObject([{ type: "step.ended", ends: true }]);
});

test("[S6] the step limit stops the dialog, and resuming allows as many again", () => {
  let tree = startedTree();
  const takeOne = (nth: number) => {
    tree = accepted(tree, step(tree, [callPart(nth)], {}, { stepsPerTurn: 2 }));
    const ended = decideCallEnd(tree, { ...refOf(tree), call: callPart(nth).call }, { output: `${nth}` }, texts.en);
    tree = accepted(tree, ended);
  };
  takeOne(1);
  expect(mainDialog(tree)?.stopped).toBeUndefined();
  takeOne(2);
  expect(mainDialog(tree)?.stopped?.reason.code).toBe("step_limit");
  tree = accepted(tree, decide(tree, verb("resume")));
  expect(turnOf(tree)?.unattended).toBe(0);
  expect(tree.ready.size).toBe(1);
});

test("[S6] a step that ends its turn does not stop for the limit", () => {
  expect(step(startedTree(), [says("done")], {}, { stepsPerTurn: 1 })).toMatchObject({ events: [{ ends: true }] });
});

test("[S7] tokens and cost of the tree are limits, renewed by resuming", () => {
  const usage = { input: 900, output: 100 };
  const spent = step(startedTree(), [callPart(1)], { usage }, { tokensPerTree: 1000 });
  expect(spent.ok && spent.events.at(-1)).toMatchObject({ type: "dialog.stopped", reason: { code: "token_limit" } });
  const stopped = accepted(startedTree(), spent);
  expect(accepted(stopped, decide(stopped, verb("resume"))).spent).toMatchObject({ tokens: 1000, agreedTokens: 1000 });
  const costly = step(startedTree(), [callPart(1)], { cost: 2 }, { costPerTree: 1.5 });
  expect(costly.ok && costly.events.at(-1)).toMatchObject({ reason: { code: "cost_limit" } });
});

test("[C5][C6] attempts are counted; the third is alone, and after that the dialog stops", () => {
  let tree = startedTree();
  for (const alone of [false, false, true]) {
    const decision = decideAttempt(tree, refOf(tree), texts.en);
    expect(decision.ok && decision.events).toMatchObject([{ type: "step.attempted", ...(alone && { alone }) }]);
    tree = accepted(tree, decision);
  }
  const last = decideAttempt(tree, refOf(tree), texts.en);
  expect(last.ok && last.events).toMatchObject([{ type: "dialog.stopped", reason: { code: "crashed_repeatedly" } }]);
});

test("[C5] a step that ends clears the count", () => {
  let tree = startedTree();
  tree = accepted(tree, decideAttempt(tree, refOf(tree), texts.en));
  tree = accepted(tree, step(tree, [callPart(1)]));
  expect(turnOf(tree)?.attempts).toBe(0);
});

test("[T9][T10][T11] the same call with the same result: a note, then a stop, unless the tool polls", () => {
  const repeat = (polls: boolean) => {
    let tree = startedTree();
    const seen: string[] = [];
    for (let nth = 1; nth <= 4; nth++) {
      tree = accepted(tree, step(tree, [callPart(nth, { polls })]));
      const decision = decideCallEnd(tree, { ...refOf(tree), call: callPart(nth).call }, { output: "same" }, texts.en);
      if (decision.ok) seen.push(...decision.events.slice(1).map((event) => `${nth} ${event.type}`));
      tree = accepted(tree, decision);
    }
    return seen;
  };
  expect(repeat(false)).toEqual(["3 note.added", "4 dialog.stopped"]);
  expect(repeat(true)).toEqual([]);
});

test("[T3] a refused call has its result in the same commit", () => {
  const decision = step(startedTree(), [callPart(1), callPart(2)], { refused: new Map([[callPart(1).call as string, "no such thing"]]) });
  expect(decision.ok && decision.events).toMatchObject([{ type: "step.ended" }, { type: "call.ended", outcome: "refused", output: "no such thing" }]);
  expect(turnOf(accepted(startedTree(), decision))?.calls).toHaveLength(1);
});
