import { type Call, decideCallEnd, decideCallStart, decideHeldCall, type CallRef, type CallResult, verdictOn } from "@colloquy/core";
import { type CallPart, isDocumentTool, isHouseTool } from "@colloquy/schema";
import { textAt } from "./call-card.ts";
import { runDocumentCall } from "./document-call.ts";
import { fingerprint } from "./documents.ts";
import type { Engine } from "./engine.ts";
import { isGranted } from "./grants.ts";
import type { Flight, LiveTree } from "./live-tree.ts";
import { masked } from "./masked.ts";
import { cutResult, readResult } from "./long-result.ts";
import type { RunRef } from "./run-ref.ts";
import type { TeamMember } from "./team.ts";
import type { Tool, ToolOutput } from "./tool.ts";

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
  await tree.settled;
  const running = calls.map(async (call) => {
    const callRef: CallRef = { dialog: ref.dialog, agent: ref.agent, turn, call: call.id };
    const part = view.call(call.id);
    if (part) await runCall(engine, tree, ref, callRef, call, part, member, flight);
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
  member: TeamMember,
  flight: Flight,
): Promise<void> {
  const words = engine.texts();
  const problem = await problemNow(engine, tree, ref, call, part, member.tools.get(call.tool));
  if (problem !== undefined && !call.started) return end(engine, ref, callRef, { outcome: "refused", output: problem });
  if (call.tool === "read_result") return readResult(engine, ref, callRef, part);
  if (isDocumentTool(call.tool)) return runDocumentCall(engine, tree, ref, callRef, part, call.isChanged);
  if (isHouseTool(call.tool)) {
    await engine.record(ref.rootId, (state) => decideHeldCall(state, callRef, part, engine.rules()));
    return;
  }
  // It was begun by a process that is gone: nobody knows how far it came.
  if (call.started) return end(engine, ref, callRef, { outcome: "unknown", output: words.outcomeUnknown(call.tool) });

  const tool = member.tools.get(call.tool);
  if (!tool) return engine.halt(ref, "tool_gone", words.toolGone(call.tool));
  const input = await tool.parse(part.input);
  if (!input.ok) return end(engine, ref, callRef, { outcome: "refused", output: words.badInput(call.tool, input.problems) });

  // Whether a person must agree can have changed since the step was judged: settings, or a machine without a sandbox.
  if (tool.approval(input.value) !== false && !isAllowed(engine, tree, ref, call, part))
    return end(engine, ref, callRef, { outcome: "refused", output: words.approvalNeeded(call.tool) });

  if (!call.repeatable) {
    const started = await engine.record(ref.rootId, (state) => decideCallStart(state, callRef));
    if (!started.ok) return;
  }
  engine.tell(tree, ref, { type: "tool_start_evt", call: call.id, tool: call.tool, input: part.input }, 0);
  flight.tools.set(call.id, { tool: call.tool, sinceMs: engine.deps.clock.now() });
  const result = await perform(engine, tree, ref, tool, input.value, call, flight.abort.signal);
  flight.tools.delete(call.id);
  if (!result) return;
  const changed = call.isChanged ? `${words.approvedWithChanges}${JSON.stringify(part.input)}\n` : "";
  await end(engine, ref, callRef, { ...result, output: changed + result.output });
  engine.tell(tree, ref, { type: "tool_finish_evt", call: call.id, tool: call.tool, failed: result.outcome !== undefined }, 0);
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
  const texts = engine.texts();
  const { verdict, pattern } = verdictOn(part, engine.actRules(tree.state), tool?.class);
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

const approvalOf = ({ state }: LiveTree, call: Call) =>
  [...state.questions.values()].find(
    (question) => question.call === call.id && question.kind === "approval" && question.status === "answered",
  );

/** By a person's word on this very call, or on calls like it. */
function isAllowed(engine: Engine, tree: LiveTree, ref: RunRef, call: Call, part: CallPart): boolean {
  return approvalOf(tree, call) !== undefined || isGranted(engine.grants(), ref, part, engine.deps.clock.now());
}

/** `undefined`: we are shutting down, and a call that may be repeated will be. */
async function perform(
  engine: Engine,
  tree: LiveTree,
  ref: RunRef,
  tool: Tool,
  input: unknown,
  call: Call,
  signal: AbortSignal,
): Promise<CallResult | undefined> {
  const words = engine.texts();
  const startedAt = engine.deps.clock.now();
  const timeout = AbortSignal.timeout(tool.timeoutMs);
  const took = () => ({ ms: engine.deps.clock.now() - startedAt });
  const clean = (text: string) => masked(text, engine.deps.secrets());
  try {
    const output = await tool.run(input, {
      callId: call.id,
      signal: AbortSignal.any([signal, timeout]),
      dialog: { rootId: ref.rootId, selfId: ref.dialog },
      agent: ref.agent,
      dir: engine.deps.dir,
      log: (text) => engine.tell(tree, ref, { type: "tool_log_evt", call: call.id, tool: call.tool, text: clean(text) }, 0),
      blob: async (name, content) => {
        const kept = blobName(call.id, name);
        await engine.deps.store.putBlob(ref.rootId, kept, typeof content === "string" ? Buffer.from(content, "utf8") : content);
        return kept;
      },
    });
    return { ...(await cutResult(engine, ref, call.id, clean(asText(output)))), ...took() };
  } catch (error) {
    if (engine.isClosing && signal.aborted) return undefined;
    if (signal.aborted) return { outcome: "unknown", output: words.stoppedWhileRunning(call.tool), ...took() };
    if (timeout.aborted) return { outcome: "unknown", output: words.timedOut(call.tool, tool.timeoutMs / 1000), ...took() };
    const message = clean(error instanceof Error ? error.message : String(error));
    return { outcome: "error", ...(await cutResult(engine, ref, call.id, message)), ...took() };
  }
}

/** A name is no path: whatever else it holds, it stays in the tree's folder. */
const blobName = (call: string, name: string): string => `${call}-${name.replace(/[^\w.-]+/g, "_").slice(-100)}`;

const asText = (output: ToolOutput): string => (typeof output === "string" ? output : output === undefined ? "" : JSON.stringify(output));

async function end(engine: Engine, ref: RunRef, callRef: CallRef, result: CallResult): Promise<void> {
  await engine.record(ref.rootId, (tree) => decideCallEnd(tree, callRef, result, engine.deps.newId(), engine.rules()));
}
