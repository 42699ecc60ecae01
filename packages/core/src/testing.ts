import { AgentId, CallId, type CallPart, type Command, DialogId, LimitsConfig, type Part, RootId, type TreeEvent } from "@colloquy/schema";
import { applyAll } from "./state/apply.ts";
import type { Decision } from "./state/decision.ts";
import { decideStep } from "./step/decide-step.ts";
import type { StepResult } from "./step/step-result.ts";
import type { Rules } from "./prompt/rules.ts";
import { decideCreation, emptyProject } from "./state/project.ts";
import { noSections } from "./tasks/section.ts";
import { noTasks } from "./tasks/task.ts";
import { texts } from "./texts/texts.ts";
import { emptyTree, runOf, type Tree } from "./state/tree.ts";

export const rootId = RootId.parse("0".repeat(31) + "1");
export const dialog = DialogId.parse(rootId);
export const lead = AgentId.parse("lead");
export const coder = AgentId.parse("coder");
export const reviewer = AgentId.parse("reviewer");
export const AT = 1_000;

export const callId = (nth: number): CallId => CallId.parse(nth.toString(16).padStart(32, "0"));

/** A tree with one message in it. */
export function startedTree(content = "Hello"): Tree {
  const made = decideCreation(emptyProject(), { content, by: "anna" }, { rootId, agent: lead, team: rules().team });
  if (made.kind !== "made") throw new Error(made.kind);
  return applyAll(emptyTree(rootId), made.tree, AT);
}

export function accepted(tree: Tree, decision: Decision<TreeEvent>, at = AT): Tree {
  if (!decision.ok) throw new Error(decision.refusal.message);
  return applyAll(tree, decision.events, at);
}

export const send = (content: string, over: Partial<Extract<Command, { type: "send" }>> = {}): Command => ({
  type: "send",
  dialog,
  by: "anna",
  content,
  ...over,
});

export const verb = (type: "stop" | "resume" | "done" | "archive", msgId?: string): Command => ({
  type,
  dialog,
  by: "anna",
  ...(msgId !== undefined && { msgId }),
});

export const callPart = (nth: number, over: Partial<CallPart> = {}): CallPart => ({
  call: callId(nth),
  tool: "look",
  input: {},
  kind: "reads",
  ...over,
});

export const rules = (limits: object = {}, at = AT): Rules => ({
  at,
  limits: LimitsConfig.parse(limits),
  texts: texts.en,
  team: {
    ids: () => [lead, coder, reviewer],
    nameOf: (agent) => agent,
    fbrEffort: () => 1,
    hasBusyModel: () => false,
    roomOf: () => undefined,
  },
  tasks: noTasks,
  sections: noSections,
  atWork: () => undefined,
});

/** The fields that every step result has. */
export const stepResult = (over: Partial<StepResult> = {}): StepResult => ({
  parts: [],
  refused: new Map(),
  approvals: new Map(),
  words: { ends: [], last: "", cut: "", told: [] },
  newId: () => (900 + (over.seen ?? 0)).toString(16).padStart(32, "0"),
  seen: 0,
  index: 1,
  gen: 1,
  ms: 5,
  ...over,
});

/** Takes the next step of the only turn, which has seen everything. */
export function step(tree: Tree, parts: readonly Part[], over: Partial<StepResult> = {}, limits: object = {}): Decision<TreeEvent> {
  const turn = runOf(tree, dialog, lead)?.turns[0];
  if (!turn) throw new Error("no open turn");
  const ref = { dialog, agent: lead, turn: turn.id, step: turn.steps + 1 };
  return decideStep(tree, ref, stepResult({ parts, seen: tree.seq, ...over }), rules(limits));
}

export const says = (text: string): Part => ({ saying: text });
