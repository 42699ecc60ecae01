import { type AppliedCall, masked, type UndoResult } from "@colloquy/core";
import { type CallId, derivedId, isCall, type RootId, type TreeEvent } from "@colloquy/schema";
import type { ProjectContext } from "../engine/project-context.ts";
import { OutcomeUnknown, type Tool, type ToolOutput } from "./tool.ts";

const NOTHING = { conflicts: [], notes: [] };
/** What the log keeps of what a tool says. */
const MAX_CHARACTERS = 2_000;

/** Has a tool undo one of its calls. The caller has recorded, in this process, that a person wants it. */
export async function undoByTool(context: ProjectContext, rootId: RootId, applied: AppliedCall): Promise<UndoResult> {
  const { deps, closing } = context;
  const member = deps.team().member(applied.agent);
  await member?.prepare?.([applied.tool]);
  const tool = member?.tools.get(applied.tool);
  const made = await madeCall(context, rootId, applied);
  const input = made && (await tool?.parse(made.input));
  if (!tool?.undo || !made || !input?.ok) return { ...NOTHING, isGone: true };
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, closing]);
  const said = (output: ToolOutput) => masked(asText(output), deps.secrets()).slice(0, MAX_CHARACTERS).toWellFormed();
  try {
    const { dialog, agent, call, undoBy = "" } = applied;
    const undoing = tool.undo(input.value, {
      callId: derivedId(call, 1),
      signal,
      dialog: { rootId, selfId: dialog },
      agent,
      dir: deps.dir,
      undoes: { callId: call, output: made.output },
      by: undoBy,
    });
    return { ...NOTHING, output: said(await beforeLate(context, tool, Promise.resolve(undoing), abort)) };
  } catch (error) {
    const output = said(error instanceof Error ? error.message : String(error));
    return { ...NOTHING, output, ended: error instanceof OutcomeUnknown || signal.aborted ? "unknown" : "failed" };
  }
}

/** A tool that takes too long is told so, and no longer waited for. */
async function beforeLate({ deps }: ProjectContext, tool: Tool, undoing: Promise<ToolOutput>, abort: AbortController): Promise<ToolOutput> {
  const inTime = new AbortController();
  const late = deps.clock.sleep(tool.timeoutMs, inTime.signal).then(
    () => {
      abort.abort(new Error("too late"));
      throw new OutcomeUnknown(`It did not finish within ${tool.timeoutMs / 1000} s.`);
    },
    () => undoing,
  );
  try {
    return await Promise.race([undoing, late]);
  } finally {
    inTime.abort();
    late.catch(() => undefined); // the race has reported it
  }
}

/** The input that ran, which a person may have changed, and the result. */
async function madeCall({ deps }: ProjectContext, rootId: RootId, { call, byTool }: AppliedCall) {
  if (!byTool) return undefined;
  const lines = await deps.store.read(rootId, byTool.from - 1, byTool.to - byTool.from + 1);
  let made: { input: unknown; output: string } | undefined;
  for (const event of lines.flatMap((line) => line.events as readonly TreeEvent[]))
    made = { ...made, ...partOf(event, call) } as typeof made;
  return made && "input" in made && typeof made.output === "string" ? made : undefined;
}

function partOf(event: TreeEvent, call: CallId): { readonly input?: unknown; readonly output?: string } | undefined {
  if (event.type === "step.ended") {
    const part = event.parts.find((one) => isCall(one) && one.call === call);
    return part && isCall(part) ? { input: part.input } : undefined;
  }
  if (event.type === "question.closed" && (event.question as string) === call && event.arguments !== undefined)
    return { input: event.arguments };
  return event.type === "call.ended" && event.call === call ? { output: event.output } : undefined;
}

const asText = (output: ToolOutput): string => (typeof output === "string" ? output : output === undefined ? "" : JSON.stringify(output));
