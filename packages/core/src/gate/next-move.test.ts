import { expect, test } from "vitest";
import { applyAll } from "../state/apply.ts";
import { decide } from "../commands/decide.ts";
import { nextMove } from "./next-move.ts";
import { accepted, AT, callPart, dialog, lead, rules, says, send, startedTree, step, verb } from "../testing.ts";
import { runOf, type Tree } from "../state/tree.ts";

const now = (tree: Tree) => {
  const run = runOf(tree, dialog, lead);
  return run ? nextMove(tree, run).kind : "rest";
};
const asked = () => accepted(startedTree(), step(startedTree(), [callPart(1)]));
const after = (tree: Tree, ...commands: Parameters<typeof decide>[1][]) =>
  commands.reduce((t, c) => accepted(t, decide(t, c, rules())), tree);

test.each([
  ["[G1] something unread and nothing open: thinks", startedTree(), "think"],
  ["[G1] everything is read and answered: idle", accepted(startedTree(), step(startedTree(), [says("hi")])), "rest"],
  ["[G2] an open call is run first", asked(), "act"],
  ["[G2] a message does not open the gate of a turn with an open call", after(asked(), send("hurry")), "act"],
  ["[G3] a stopped dialog waits", after(startedTree(), verb("stop")), "wait"],
  ["[G3] a message to a stopped dialog waits with it", after(startedTree(), verb("stop"), send("more")), "wait"],
  ["[G3] resumed, it continues", after(startedTree(), verb("stop"), send("more"), verb("resume")), "think"],
  ["[G4] a completed dialog is idle", after(startedTree(), verb("done")), "rest"],
  ["[G4] an archived dialog is idle", after(asked(), verb("archive")), "rest"],
])("%s", (_rule, tree, kind) => expect(now(tree)).toBe(kind));

test("[T1][T2] readers run at once; of the calls with effects only the first", () => {
  const parts = [callPart(1), callPart(2, { kind: "effects" }), callPart(3), callPart(4, { kind: "effects" })];
  const tree = accepted(startedTree(), step(startedTree(), parts));
  const run = runOf(tree, dialog, lead);
  const found = run && nextMove(tree, run);
  expect(found?.kind === "act" && found.calls.map((call) => call.id)).toEqual([parts[0], parts[1], parts[2]].map((part) => part?.call));
});

test("[T2] the next call with an effect runs when the previous one has its result", () => {
  const parts = [callPart(1, { kind: "effects" }), callPart(2, { kind: "effects" })];
  const tree = accepted(startedTree(), step(startedTree(), parts));
  const turn = runOf(tree, dialog, lead)?.turns[0]?.id ?? 0;
  const ended = applyAll(tree, [{ type: "call.ended", dialog, course: 1, agent: lead, turn, call: callPart(1).call, output: "ok" }], AT);
  const run = runOf(ended, dialog, lead);
  const found = run && nextMove(ended, run);
  expect(found?.kind === "act" && found.calls.map((call) => call.id)).toEqual([callPart(2).call]);
});
