import {
  type Call,
  decideCallEnd,
  decideCallStart,
  decideHeldCall,
  type CallRef,
  type CallResult,
  mayBegin,
  type Texts,
  turnAt,
  verdictOn,
} from "@colloquy/core";
import { type CallPart, isDocumentTool, isBuiltinTool } from "@colloquy/schema";
import { textAt } from "./call-card.ts";
import { runDocumentCall } from "./document-call.ts";
import { fingerprint } from "../documents/documents.ts";
import type { Engine } from "../engine/engine.ts";
import type { Flight, LiveTree } from "../engine/live-tree.ts";
import { readResult } from "../step/long-result.ts";
import { RunningCall, type Said } from "./running-call.ts";
import type { RunRef } from "../engine/run-ref.ts";
import { judgingOf, wantsApproval } from "../step/step-calls.ts";
import { applyRan, judgeRan } from "./staged-call.ts";
import type { TeamMember } from "../team/team.ts";
import type { Tool } from "./tool.ts";

/** Runs the calls that may be run now, side by side, and records each result as it comes. */
export async function act(
  engine: Engine,
  tree: LiveTree,
  ref: RunRef,
  turn: number,
  calls: readonly Call[],
  flight: Flight,
): Promise<void> {
  const member = engine.deps.team().member(ref.agent);
  if (!member) return engine.agentGone(ref);
  const view = await tree.view(engine.deps.store, ref);
  await member.prepare?.(calls.filter((call) => approvalOf(tree, call)).map(({ tool }) => tool));
  await tree.settled;
  const running = calls.map(async (call) => {
    const callRef: CallRef = { dialog: ref.dialog, agent: ref.agent, turn, call: call.id };
    const part = view.call(call.id);
    const said = { answers: view.formAnswers(call.id), asked: view.asked(call.id) };
    const ran = view.ran(call.id);
    const staging = member.tools.get(call.tool)?.staged ?? engine.deps.staging;
    if (!part) return;
    if (call.ran && ran && staging) await applyRan({ engine, tree, ref, at: callRef, call, part, staging }, ran);
    else await runCall(engine, tree, ref, callRef, call, part, said, member, flight);
  });
  await Promise.all(running);
}

async function runCall(
  engine: Engine,
  tree: LiveTree,
  ref: RunRef,
  callRef: CallRef,
  call: Call,
  part: CallPart,
  said: Said,
  member: TeamMember,
  flight: Flight,
): Promise<void> {
  const words = engine.rulebook.texts();
  const begun = engine.calls.get(call.id);
  const problem = await problemNow(engine, tree, ref, call, part, member.tools.get(call.tool));
  if (problem !== undefined && !call.started && !begun) {
    // What may be repeated leaves no trace of its beginning: after a crash nobody knows.
    const mayHaveRun = call.repeatable && call.kind === "effects" && (turnAt(tree.state, callRef)?.attempts ?? 0) > 0;
    if (!mayHaveRun) return end(engine, ref, callRef, { outcome: "refused", output: problem });
    return end(engine, ref, callRef, { outcome: "unknown", output: `${words.outcomeUnknown(call.tool)}\n${problem}` });
  }
  if (call.tool === "read_result") return readResult(engine, ref, callRef, part);
  if (isDocumentTool(call.tool)) return runDocumentCall(engine, tree, ref, callRef, part, call.isChanged);
  if (isBuiltinTool(call.tool)) {
    await engine.writer.record(ref.rootId, (state) => decideHeldCall(state, callRef, part, engine.rulebook.rules()));
    return;
  }
  // It was begun by a process that is gone: nobody knows how far it came.
  if (call.started && !begun) return end(engine, ref, callRef, cutShort(call, said, words));

  const staging = member.tools.get(call.tool)?.staged;
  await staging?.tryOut?.(engine.deps.dir);
  const running = begun ?? (await begin(engine, tree, ref, callRef, call, part, member));
  if (!running) return;
  // What has not begun when it is stopped, broken off or given up does not begin.
  if (!begun && (flight.abort.signal.aborted || !mayBegin(tree.state, callRef))) return;
  if (!call.repeatable && !call.started) {
    const isStaged = staging?.holdsAll(engine.deps.dir) ?? false;
    const started = await engine.writer.record(ref.rootId, (state) => decideCallStart(state, callRef, isStaged));
    if (!started.ok) return;
  }
  if (!begun) engine.tell(tree, ref, { type: "tool_start_evt", call: call.id, tool: call.tool, input: part.input }, 0);
  engine.calls.set(call.id, running);
  flight.tools.set(call.id, { tool: call.tool, sinceMs: engine.deps.clock.now() });
  const result = await running.next(tree, flight.abort.signal, said);
  flight.tools.delete(call.id);
  // The turn waits for a person, and the call with it.
  if (result === "asked") return;
  engine.calls.delete(call.id);
  if (!result) return;
  const { staged, ...ended } = result;
  if (staged && staging) {
    const ran = { ...ended, effects: staged.effects };
    await judgeRan({ engine, tree, ref, at: callRef, call, part, staging }, ran, staged);
    return engine.tell(tree, ref, { type: "tool_finish_evt", call: call.id, tool: call.tool, failed: false }, 0);
  }
  const changed = call.isChanged ? `${words.approvedWithChanges}${JSON.stringify(part.input)}\n` : "";
  await end(engine, ref, callRef, { ...ended, output: changed + ended.output });
  engine.tell(tree, ref, { type: "tool_finish_evt", call: call.id, tool: call.tool, failed: result.outcome !== undefined }, 0);
}

/** `undefined`: it has its result already, or its dialog stands still. */
async function begin(
  engine: Engine,
  tree: LiveTree,
  ref: RunRef,
  callRef: CallRef,
  call: Call,
  part: CallPart,
  member: TeamMember,
): Promise<RunningCall | undefined> {
  const words = engine.rulebook.texts();
  const refuse = async (output: string): Promise<undefined> => {
    await end(engine, ref, callRef, { outcome: "refused", output });
    return undefined;
  };
  const tool = member.tools.get(call.tool);
  if (!tool) {
    const why = member.absent?.(call.tool);
    // A person has agreed to this very call: it waits until the tool is back.
    const waits = why === undefined || approvalOf(tree, call) !== undefined;
    if (waits)
      await engine.writer.halt({ ...ref, turn: callRef.turn }, "tool_gone", [words.toolGone(call.tool), why].filter(Boolean).join(" "));
    else await refuse(words.toolAbsent(call.tool, why));
    return undefined;
  }
  const input = await tool.parse(part.input);
  if (!input.ok) return refuse(words.badInput(call.tool, input.problems));

  // Whether a person must agree can have changed since the step was judged: settings, or a machine without a sandbox.
  const verdict = verdictOn(part, engine.rulebook.actRules(tree.state), tool.class, judgingOf(tool, engine.deps.dir));
  if (wantsApproval(tool, input.value, verdict) !== false && !isAllowed(engine, tree, ref, call, part))
    return refuse(words.approvalNeeded(call.tool));
  return new RunningCall(engine, ref, callRef, call, tool, input.value, (result) => giveUp(engine, ref, callRef, call, result));
}

/** It ended while it waited for a person. Whom it asked need not answer, unless the call can be made again with the answer. */
async function giveUp(engine: Engine, ref: RunRef, callRef: CallRef, call: Call, result: CallResult): Promise<void> {
  engine.calls.delete(call.id);
  if (!call.repeatable) await end(engine, ref, callRef, result);
}

/** On its layer it had no effect. Otherwise nobody knows; what it had asked people is not lost on the agent. */
function cutShort(call: Call, { asked }: Said, words: Texts): CallResult {
  if (call.isStaged) return { outcome: "error", output: words.nothingKept(call.tool, "crashed") };
  const lines = asked.map(({ headline, answer }) =>
    words.hadAsked(headline, answer === undefined || answer.action === "cancel" ? words.noAnswer : words.keptAnswer(answer.action)),
  );
  return { outcome: "unknown", output: [words.outcomeUnknown(call.tool), ...lines].join("\n") };
}

/** Settings may have become stricter since the step was judged, and a file may not be what a person was shown. */
async function problemNow(
  engine: Engine,
  tree: LiveTree,
  ref: RunRef,
  call: Call,
  part: CallPart,
  tool: Tool | undefined,
): Promise<string | undefined> {
  const texts = engine.rulebook.texts();
  const { verdict, pattern } = verdictOn(part, engine.rulebook.actRules(tree.state), tool?.class, judgingOf(tool, engine.deps.dir));
  if (verdict === "deny") return texts.forbidden(call.tool, pattern ?? call.tool);
  const approval = approvalOf(tree, call);
  if (verdict === "ask" && !isAllowed(engine, tree, ref, call, part)) return texts.approvalNeeded(call.tool);
  if (call.isChanged) return undefined;
  for (const [path, shown] of Object.entries(approval?.basis ?? {})) {
    const now = await textAt(engine.deps.dir, path);
    if ((now === undefined ? "" : fingerprint(now)) !== shown) return texts.changedSinceApproved(path);
  }
  return undefined;
}

/** An approval is named by its call. */
function approvalOf({ state }: LiveTree, call: Call) {
  const question = state.questions.get(call.id);
  return question?.kind === "approval" && question.status === "answered" ? question : undefined;
}

/** By a person's word on this very call, or on calls like it. */
function isAllowed(engine: Engine, tree: LiveTree, ref: RunRef, call: Call, part: CallPart): boolean {
  return approvalOf(tree, call) !== undefined || engine.rulebook.grantFor(ref, part) !== undefined;
}

async function end(engine: Engine, ref: RunRef, callRef: CallRef, result: CallResult): Promise<void> {
  await engine.writer.record(ref.rootId, (tree) => decideCallEnd(tree, callRef, result, engine.deps.newId(), engine.rulebook.rules()));
}
