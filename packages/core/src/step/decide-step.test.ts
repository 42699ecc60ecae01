import { expect, test } from "vitest";
import { decide } from "../commands/decide.ts";
import { decideCallEnd, decideHeldCall } from "./decide-call.ts";
import { decideExpiry } from "../commands/decide-question.ts";
import { decideStep } from "./decide-step.ts";
import { decideAttempt, decideHalt } from "./interrupted-step.ts";
import { DialogId, QuestionId } from "@colloquy/schema";
import { accepted, callId, callPart, coder, dialog, lead, rules, says, send, startedTree, step, stepResult, verb } from "../testing.ts";
import { texts } from "../texts/texts.ts";
import { mainDialog, runOf, type Tree } from "../state/tree.ts";

const turnOf = (tree: Tree) => runOf(tree, dialog, lead)?.turns[0];
const refOf = (tree: Tree, nth = 1) => ({ dialog, agent: lead, turn: turnOf(tree)?.id ?? 0, step: nth });
const result = stepResult({ parts: [says("x")], seen: 2 });

test("[S1] a step without calls ends the turn", () => {
  const decision = step(startedTree(), [says("Hi.")]);
  expect(decision.ok && decision.events).toMatchObject([{ type: "step.ended", ends: true }]);
  expect(accepted(startedTree(), decision).ready.size).toBe(0);
});

test("[S3] a message that arrives during the step keeps the turn open", () => {
  const tree = startedTree();
  const heard = accepted(tree, decide(tree, send("wait, also …"), rules()));
  const decision = step(heard, [says("Hi.")], { seen: tree.seq });
  expect(decision.ok && decision.events[0]).not.toHaveProperty("ends");
  expect(turnOf(accepted(heard, decision))?.queue).toEqual([tree.seq + 1]);
});

test("[S4] a stale step is refused", () => {
  const tree = startedTree();
  const taken = accepted(tree, step(tree, [callPart(1)]));
  expect(decideStep(taken, refOf(tree, 1), result, rules())).toMatchObject({ refusal: { code: "stale_step" } });
  expect(decideStep(tree, refOf(tree, 2), result, rules())).toMatchObject({ refusal: { code: "stale_step" } });
  expect(decideStep(tree, { ...refOf(tree), turn: 99 }, result, rules())).toMatchObject({ refusal: { code: "stale_step" } });
});

test("[D6] a generation that ends after a stop is not recorded", () => {
  const stopped = accepted(startedTree(), decide(startedTree(), verb("stop"), rules()));
  expect(decideStep(stopped, refOf(stopped), result, rules())).toMatchObject({ refusal: { code: "stopped" } });
});

test("[S5] after an empty step the agent is reminded once, then the turn ends", () => {
  const first = step(startedTree(), []);
  expect(first.ok && first.events.map((event) => event.type)).toEqual(["step.ended", "note.added"]);
  const told = accepted(startedTree(), first);
  expect(told.ready.size).toBe(1);
  const second = step(told, [{ thinking: "hm" }]);
  expect(second.ok && second.events).toMatchObject([{ type: "step.ended", ends: true }]);
});

test("[S6] the step limit is a question, and agreeing to it allows as many again", () => {
  let tree = startedTree();
  const takeOne = (nth: number) => {
    tree = accepted(tree, step(tree, [callPart(nth)], {}, { stepsPerTurn: 2 }));
    tree = accepted(
      tree,
      decideCallEnd(
        tree,
        { ...refOf(tree), call: callPart(nth).call },
        { result: { output: `${nth}` }, question: callId(800 + nth) },
        rules(),
      ),
    );
  };
  takeOne(1);
  expect(tree.openQuestions.size).toBe(0);
  takeOne(2);
  const [question] = [...tree.questions.values()];
  expect(question).toMatchObject({
    kind: "limit",
    limit: "stepsPerTurn",
    options: [{ label: "+50" }, { label: "+200" }, { label: "Stop" }],
  });
  expect(tree.ready.size).toBe(0);
  tree = accepted(tree, decide(tree, { type: "answer", question: question?.id ?? ("" as never), by: "anna", choice: ["+50"] }, rules()));
  expect(turnOf(tree)?.unattended).toBe(2 - 50);
  expect(tree.ready.size).toBe(1);
});

test("[S6] a step that ends its turn does not ask about the limit", () => {
  expect(step(startedTree(), [says("done")], {}, { stepsPerTurn: 1 })).toMatchObject({ events: [{ ends: true }] });
});

test("[S7] tokens, cost and time of the tree are limits, and nothing thinks while a person is asked", () => {
  const usage = { input: 900, output: 100 };
  const spent = step(startedTree(), [callPart(1)], { usage }, { tokensPerTree: 1000 });
  expect(spent.ok && spent.events.at(-1)).toMatchObject({ type: "question.asked", limit: "tokensPerTree" });
  let tree = accepted(startedTree(), spent);
  tree = accepted(
    tree,
    decideCallEnd(tree, { ...refOf(tree), call: callPart(1).call }, { result: { output: "x" }, question: callId(801) }, rules()),
  );
  expect(tree.ready.size).toBe(0);
  const [id] = [...tree.openQuestions.keys()];
  const question = id as never;
  expect(decide(tree, { type: "answer", question, by: "anna", content: "as much as you like" }, rules())).toMatchObject({
    refusal: { code: "bad_choice" },
  });
  const raised = accepted(tree, decide(tree, { type: "answer", question, by: "anna", choice: [0] }, rules()));
  expect(raised.raised.tokensPerTree).toBe(1_000_000);
  expect(raised.ready.size).toBe(1);
  const stopped = accepted(tree, decide(tree, { type: "answer", question, by: "anna", choice: ["Stop"] }, rules()));
  expect(mainDialog(stopped)?.stopped?.reason.code).toBe("limit");
  const costly = step(startedTree(), [callPart(1)], { cost: 2 }, { costPerTree: 1.5 });
  expect(costly.ok && costly.events.at(-1)).toMatchObject({ limit: "costPerTree" });
  const slow = step(startedTree(), [callPart(1)], { ms: 61_000 }, { wallTimePerTree: "1m" });
  expect(slow.ok && slow.events.at(-1)).toMatchObject({ limit: "wallTimePerTree" });
});

test("[C5][C6] attempts are counted; the third is alone, and after that the dialog stops", () => {
  let tree = startedTree();
  for (const alone of [false, false, true]) {
    const decision = decideAttempt(tree, refOf(tree), callId(700), rules());
    expect(decision.ok && decision.events).toMatchObject([{ type: "step.attempted", ...(alone && { alone }) }]);
    tree = accepted(tree, decision);
  }
  const last = decideAttempt(tree, refOf(tree), callId(700), rules());
  expect(last.ok && last.events).toMatchObject([
    { type: "dialog.stopped", reason: { code: "crashed_repeatedly" } },
    { type: "question.asked", kind: "fault" },
  ]);
});

test("[C5] a step that ends clears the count", () => {
  let tree = startedTree();
  tree = accepted(tree, decideAttempt(tree, refOf(tree), callId(700), rules()));
  tree = accepted(tree, step(tree, [callPart(1)]));
  expect(turnOf(tree)?.attempts).toBe(0);
});

test("[T9][T10][T11] repeating a call with the same result adds a note, then stops the dialog, unless the tool polls", () => {
  const repeat = (polls: boolean) => {
    let tree = startedTree();
    const seen: string[] = [];
    for (let nth = 1; nth <= 4; nth++) {
      tree = accepted(tree, step(tree, [callPart(nth, { polls })]));
      const decision = decideCallEnd(
        tree,
        { ...refOf(tree), call: callPart(nth).call },
        { result: { output: "same" }, question: callId(800 + nth) },
        rules(),
      );
      if (decision.ok) seen.push(...decision.events.slice(1).map((event) => `${nth} ${event.type}`));
      tree = accepted(tree, decision);
    }
    return seen;
  };
  expect(repeat(false)).toEqual(["3 note.added", "4 dialog.stopped", "4 question.asked"]);
  expect(repeat(true)).toEqual([]);
});

test("[T3] a refused call gets its result in the same commit", () => {
  const decision = step(startedTree(), [callPart(1), callPart(2)], { refused: new Map([[callPart(1).call as string, "no such thing"]]) });
  expect(decision.ok && decision.events).toMatchObject([
    { type: "step.ended" },
    { type: "call.ended", outcome: "refused", output: "no such thing" },
  ]);
  expect(turnOf(accepted(startedTree(), decision))?.calls).toHaveLength(1);
});

const house = (nth: number, tool: string, input: object) => callPart(nth, { tool, input, kind: "house" });
const questionOf = (tree: Tree) => [...tree.questions.values()].find((one) => one.status === "open")?.id ?? QuestionId.parse(callId(0));

test("[OQ6][A43] questions that are unreadable or already answered block mark_done and tools that create something", () => {
  const tree = startedTree();
  const decision = step(tree, [says('{"open_questions": [oops'), house(1, "mark_done", {})]);
  expect(decision.ok && decision.events.find((event) => event.type === "call.ended")).toMatchObject({
    call: callId(1),
    outcome: "refused",
  });
  const told = accepted(tree, decision);
  expect(mainDialog(told)?.status).toBe("running");
  expect(told.ready.size).toBe(1);
  const creating = step(tree, [says('{"open_questions": [oops'), house(2, "create_task", { title: "More" })]);
  expect(creating.ok && creating.project).toBeUndefined();
});

test("[OQ11] questions of a truncated reply are asked when the agent continues with calls", () => {
  const tree = startedTree();
  const cut = accepted(tree, step(tree, [says('{"open_questions":["Which?"]} And so')], { finish: "length" }));
  expect(cut.questions.size).toBe(0);
  const words = { ends: [], last: "", cut: '{"open_questions":["Which?"]} And so', told: [] };
  const asked = accepted(cut, step(cut, [says("on."), callPart(1)], { words }));
  expect([...asked.questions.values()]).toMatchObject([{ headline: "Which?", status: "open" }]);
});

/** The lead asked a coder, whose last step exceeds the tree's budget, and is still waiting for a reviewer. */
function spentBelow(): Tree {
  const tree = startedTree();
  const asks = [
    house(11, "tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Build it" }),
    house(12, "tellaskSessionless", { targetAgentId: "reviewer", tellaskContent: "Read it" }),
  ];
  const asked = accepted(tree, step(tree, asks));
  const below = DialogId.parse(callId(11));
  const turn = runOf(asked, below, coder)?.turns[0]?.id ?? 0;
  const spent = stepResult({ parts: [says("Built.")], seen: asked.seq, cost: 9 });
  return accepted(asked, decideStep(asked, { dialog: below, agent: coder, turn, step: 1 }, spent, rules({ costPerTree: 5 })));
}

test("[S7] if a finished dialog reached the limit, resuming the main dialog resumes the tree", () => {
  const tree = spentBelow();
  const stopped = accepted(
    tree,
    decide(tree, { type: "answer", question: questionOf(tree), by: "anna", choice: [texts.en.stopChoice] }, rules()),
  );
  const states = (of: Tree) => [...of.dialogs.values()].map((one) => (one.stopped ? "stopped" : one.status)).toSorted();
  expect(states(stopped)).toEqual(["completed", "stopped", "stopped"]);
  const resumed = accepted(stopped, decide(stopped, verb("resume"), rules()));
  expect(states(resumed)).toEqual(["completed", "running", "running"]);
});

test("[S7] if a person had stopped the tree before, resuming it still resumes all of it", () => {
  const tree = spentBelow();
  const by = "anna";
  const before = accepted(tree, decide(tree, { type: "stop", dialog, by, tree: true }, rules()));
  const stopped = accepted(
    before,
    decide(before, { type: "answer", question: questionOf(before), by, choice: [texts.en.stopChoice] }, rules()),
  );
  const resumed = accepted(stopped, decide(stopped, verb("resume"), rules()));
  expect([...resumed.dialogs.values()].filter((one) => one.stopped)).toEqual([]);
});

test("[D6] a held built-in call is not decided while its dialog is stopped", () => {
  const tree = startedTree();
  const asks = [11, 12].map((nth) => house(nth, "tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Build it" }));
  const held = accepted(tree, step(tree, asks, {}, { openAsks: 1 }));
  const free = accepted(
    held,
    decide(held, { type: "answer", question: questionOf(held), by: "anna", choice: ["+16"] }, rules({ openAsks: 1 })),
  );
  const stopped = accepted(free, decide(free, verb("stop"), rules()));
  const ref = { dialog, agent: lead, turn: turnOf(stopped)?.id ?? 0, call: callId(12) };
  const again = (of: Tree) => decideHeldCall(of, ref, house(12, "tellaskSessionless", asks[1]?.input as object), rules({ openAsks: 1 }));
  expect(again(held)).toMatchObject({ refusal: { code: "call_not_open" } });
  expect(again(stopped)).toMatchObject({ refusal: { code: "stopped" } });
  expect(again(free)).toMatchObject({ ok: true });
});

test("[Q12] the reply in a question's thread comes from the agent that asked, even if it was only mentioned", () => {
  const tree = startedTree();
  const heard = accepted(tree, decide(tree, send("@coder which one?"), rules()));
  const asks = runOf(heard, dialog, coder)?.turns[0]?.id ?? 0;
  const parts = [house(1, "askHuman", { tellaskContent: "A or B?" })];
  const at = { dialog, agent: coder, turn: asks, step: 1 };
  const asked = accepted(heard, decideStep(heard, at, stepResult({ parts, seen: heard.seq }), rules()));
  const back = accepted(asked, decide(asked, { type: "ask_back", question: questionOf(asked), by: "anna", content: "Why?" }, rules()));
  const thread = runOf(back, dialog, coder)?.turns.at(-1)?.id ?? 0;
  const said = stepResult({ parts: [says("Because.")], seen: back.seq });
  const replied = accepted(back, decideStep(back, { dialog, agent: coder, turn: thread, step: 1 }, said, rules()));
  expect(replied.questions.get(questionOf(replied))?.thread.map((one) => one.by)).toEqual(["anna", coder]);
});

test("[A37] ending an assignment ends a dialog that a fault stopped, and withdraws the question about the fault", () => {
  const tree = startedTree();
  const delegations = [{ recipient: "coder", prompt: "Build it" }];
  const asked = accepted(tree, step(tree, [house(11, "delegate", { delegations, wait: "all", deadline: "1h" })]));
  const below = [...asked.dialogs.values()].find((one) => one.side)?.id ?? dialog;
  const reason = { code: "model_unreachable", message: "no" } as const;
  const halted = accepted(asked, decideHalt(asked, { asker: { dialog: below, agent: coder }, reason, question: callId(700) }, rules()));
  const question = questionOf(halted);
  const late = accepted(halted, decideExpiry(halted, rules({}, 4_000_000)), 4_000_000);
  expect(late.dialogs.get(below)?.status).toBe("completed");
  expect(late.questions.get(question)?.status).toBe("withdrawn");
});
