import {
  type Call,
  decideCallEnd,
  decideCallStart,
  decideHeldCall,
  type CallRef,
  type CallResult,
  mayBegin,
  type Move,
  type Texts,
  turnAt,
  verdictOn,
} from "@colloquy/core";
import { isDocumentTool, isBuiltinTool } from "@colloquy/schema";
import { approvalOf, endRefused } from "./approved-in-vain.ts";
import { textAt } from "./call-card.ts";
import { runDocumentCall } from "./document-call.ts";
import { fingerprint } from "../documents/documents.ts";
import type { Flight } from "../engine/live-tree.ts";
import { readResult } from "../step/long-result.ts";
import { type DueCall, RunningCall, type Said } from "./running-call.ts";
import type { RunContext } from "../engine/run-context.ts";
import { judgingOf, wantsApproval } from "../step/step-calls.ts";
import { applyRan, judgeRan } from "./staged-call.ts";
import type { TeamMember } from "../team/team.ts";
import type { Tool } from "./tool.ts";

/** Runs the calls that may run now, side by side, and records each result as it arrives. */
export async function act(context: RunContext, { turn, calls }: ActMove, flight: Flight): Promise<void> {
  const { deps, ref, tree } = context;
  const member = deps.team().member(ref.agent);
  if (!member) return context.agentGone();
  const view = await context.view();
  await member.prepare?.(calls.filter((call) => approvalOf(tree, call)).map(({ tool }) => tool));
  await tree.settled;
  const running = calls.map(async (call) => {
    const at: CallRef = { dialog: ref.dialog, agent: ref.agent, turn: turn.id, call: call.id };
    const part = view.call(call.id);
    const said = { answers: view.formAnswers(call.id), asked: view.asked(call.id) };
    const ran = view.ran(call.id);
    const staging = member.tools.get(call.tool)?.staged ?? deps.staging;
    if (!part) return;
    if (call.ran && ran && staging) await applyRan({ context, at, call, part, staging }, ran);
    else await runCall(context, { at, call, part, said }, member, flight);
  });
  await Promise.all(running);
}

type ActMove = Extract<Move, { kind: "act" }>;

async function runCall(context: RunContext, due: DueCall, member: TeamMember, flight: Flight): Promise<void> {
  const { deps, rulebook, tree } = context;
  const { calls } = context.shared;
  const { at, call, part, said } = due;
  const words = rulebook.texts();
  const begun = calls.get(call.id);
  const problem = await problemNow(context, due, member.tools.get(call.tool));
  if (problem !== undefined && !call.started && !begun) {
    // A repeatable call doesn't log its start, so after a crash nobody knows whether it ran.
    const mayHaveRun = call.repeatable && call.kind === "effects" && (turnAt(tree.state, at)?.attempts ?? 0) > 0;
    if (!mayHaveRun) return endRefused({ context, at, call }, { outcome: "refused", output: problem }, problem);
    return end(context, at, { outcome: "unknown", output: `${words.outcomeUnknown(call.tool)}\n${problem}` });
  }
  if (call.tool === "read_result") return readResult(context, at, part);
  if (isDocumentTool(call.tool)) return runDocumentCall(context, due);
  if (isBuiltinTool(call.tool)) {
    await context.record((state) => decideHeldCall(state, at, part, rulebook.rules()));
    return;
  }
  // A dead process had started it: its progress is unknown.
  if (call.started && !begun) return end(context, at, cutShort(call, said, words));

  const staging = member.tools.get(call.tool)?.staged;
  await staging?.tryOut?.(deps.dir);
  const running = begun ?? (await begin(context, due, member));
  if (!running) return;
  // A call whose dialog was stopped or interrupted, or that was given up, before it started doesn't start now.
  if (!begun && (flight.abort.signal.aborted || !mayBegin(tree.state, at))) return;
  if (!call.repeatable && !call.started) {
    const isStaged = staging?.holdsAll(deps.dir) ?? false;
    const started = await context.record((state) => decideCallStart(state, at, isStaged));
    if (!started.ok) return;
  }
  if (!begun) context.tell({ type: "tool_start_evt", call: call.id, tool: call.tool, input: part.input }, 0);
  calls.set(call.id, running);
  flight.tools.set(call.id, { tool: call.tool, sinceMs: deps.clock.now() });
  const result = await running.next(context, flight.abort.signal, said);
  flight.tools.delete(call.id);
  // The turn waits for a person, and the call with it.
  if (result === "asked") return;
  calls.delete(call.id);
  if (!result) return;
  const { staged, ...ended } = result;
  if (staged && staging) {
    const ran = { ...ended, effects: staged.effects };
    await judgeRan({ context, at, call, part, staging }, ran, staged);
    return context.tell({ type: "tool_finish_evt", call: call.id, tool: call.tool, failed: false }, 0);
  }
  const changed = call.isChanged ? `${words.approvedWithChanges}${JSON.stringify(part.input)}\n` : "";
  const canUndo = result.outcome === undefined && member.tools.get(call.tool)?.undo !== undefined;
  await end(context, at, { ...ended, output: changed + ended.output, ...(canUndo && { undoable: true as const }) });
  context.tell({ type: "tool_finish_evt", call: call.id, tool: call.tool, failed: result.outcome !== undefined }, 0);
}

/** `undefined`: the call already has its result, or its dialog was stopped. */
async function begin(context: RunContext, due: DueCall, member: TeamMember): Promise<RunningCall | undefined> {
  const { deps, ref, rulebook, tree, writer } = context;
  const { at, call, part } = due;
  const words = rulebook.texts();
  const refuse = async (output: string): Promise<undefined> => {
    await end(context, at, { outcome: "refused", output });
    return undefined;
  };
  const tool = member.tools.get(call.tool);
  if (!tool) {
    const why = member.absent?.(call.tool);
    // A person has approved this very call: it waits until the tool is available again.
    const waits = why === undefined || approvalOf(tree, call) !== undefined;
    if (waits) await writer.halt({ ...ref, turn: at.turn }, "tool_gone", [words.toolGone(call.tool), why].filter(Boolean).join(" "));
    else await refuse(words.toolAbsent(call.tool, why));
    return undefined;
  }
  const input = await tool.parse(part.input);
  if (!input.ok) return refuse(words.badInput(call.tool, input.problems));

  // The need for approval may have changed since the step was judged, by new settings or a missing sandbox.
  const verdict = verdictOn(part, rulebook.actRules(tree.state), tool.class, judgingOf(tool, deps.dir));
  if (wantsApproval(tool, input.value, verdict) !== false && !isAllowed(context, due)) return refuse(words.approvalNeeded(call.tool));
  return new RunningCall(context, due, { tool, input: input.value }, (result) => giveUp(context, due, result));
}

/** The call ended while it waited for a person. Its question needs no answer, unless the call can be made again with it. */
async function giveUp(context: RunContext, { at, call }: DueCall, result: CallResult): Promise<void> {
  context.shared.calls.delete(call.id);
  if (!call.repeatable) await end(context, at, result);
}

/** On a layer it had no effect. Otherwise its effect is unknown; the agent is told what it asked people, and whether they answered. */
function cutShort(call: Call, { asked }: Said, words: Texts): CallResult {
  if (call.isStaged) return { outcome: "error", output: words.nothingKept(call.tool, "crashed") };
  const lines = asked.map(({ headline, answer }) =>
    words.hadAsked(headline, answer === undefined || answer.action === "cancel" ? words.noAnswer : words.keptAnswer(answer.action)),
  );
  return { outcome: "unknown", output: [words.outcomeUnknown(call.tool), ...lines].join("\n") };
}

/** Settings may have become stricter since the step was judged, and a file may differ from the one that a person was shown. */
async function problemNow(context: RunContext, due: DueCall, tool: Tool | undefined): Promise<string | undefined> {
  const { deps, rulebook, tree } = context;
  const { call, part } = due;
  const texts = rulebook.texts();
  const { verdict, pattern } = verdictOn(part, rulebook.actRules(tree.state), tool?.class, judgingOf(tool, deps.dir));
  if (verdict === "deny") return texts.forbidden(call.tool, pattern ?? call.tool);
  const approval = approvalOf(tree, call);
  if (verdict === "ask" && !isAllowed(context, due)) return texts.approvalNeeded(call.tool);
  if (call.isChanged) return undefined;
  for (const [path, shown] of Object.entries(approval?.basis ?? {})) {
    const now = await textAt(deps.dir, path);
    if ((now === undefined ? "" : fingerprint(now)) !== shown) return texts.changedSinceApproved(path);
  }
  return undefined;
}

/** A person approved this very call, or calls like it. */
function isAllowed({ rulebook, ref, tree }: RunContext, { call, part }: DueCall): boolean {
  return approvalOf(tree, call) !== undefined || rulebook.grantFor(tree.state, ref, part) !== undefined;
}

async function end(context: RunContext, at: CallRef, result: CallResult): Promise<void> {
  const { deps, rulebook } = context;
  await context.record((tree) => decideCallEnd(tree, at, { result, question: deps.newId() }, rulebook.rules()));
}
