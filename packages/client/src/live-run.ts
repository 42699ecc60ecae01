import type { DialogId, LiveEvent, TreeEvent } from "@colloquy/schema";

export interface LiveSegment {
  readonly kind: "thinking" | "saying";
  readonly text: string;
  readonly isFinished: boolean;
}

export interface LiveTool {
  readonly call: string;
  readonly tool: string;
  readonly input: unknown;
  /** What it has said meanwhile. */
  readonly log: string;
}

/** What one agent is doing in one dialog right now. */
export interface LiveRun {
  readonly selfId: DialogId;
  readonly agent: string;
  readonly course: number;
  readonly genseq: number;
  readonly isGenerating: boolean;
  readonly segments: readonly LiveSegment[];
  readonly tools: readonly LiveTool[];
  /** The model failed; it is tried again after the pause. */
  readonly retry?: { readonly message: string; readonly attempt: number; readonly pauseMs: number };
}

/** Of what a tool says meanwhile, the end is kept. */
const MAX_LOG_CHARACTERS = 64 * 1024;

/** By dialog and agent. */
export type LiveRuns = ReadonlyMap<string, LiveRun>;

const put = (runs: LiveRuns, key: string, run: LiveRun): LiveRuns => {
  const changed = new Map(runs);
  const isIdle = !run.isGenerating && run.segments.length === 0 && run.tools.length === 0 && !run.retry;
  if (isIdle) changed.delete(key);
  else changed.set(key, run);
  return changed;
};

/** Folds what is heard live. Pure: the same events give the same runs. */
export function hearLive(runs: LiveRuns, event: LiveEvent): LiveRuns {
  const key = `${event.dialog.selfId}/${event.agent}`;
  const place = { selfId: event.dialog.selfId, agent: event.agent, course: event.course, genseq: event.genseq };
  const known = runs.get(key);
  const { retry: _, ...run }: LiveRun = { isGenerating: false, segments: [], tools: [], ...known, ...place };
  switch (event.type) {
    case "generating_start_evt":
      return put(runs, key, { ...run, isGenerating: true, segments: [] });
    case "thinking_start_evt":
    case "saying_start_evt": {
      const kind = event.type === "saying_start_evt" ? ("saying" as const) : ("thinking" as const);
      return put(runs, key, { ...run, isGenerating: true, segments: [...run.segments, { kind, text: "", isFinished: false }] });
    }
    case "thinking_chunk_evt":
    case "saying_chunk_evt":
      return put(runs, key, {
        ...run,
        segments: changeLast(run.segments, (last) => ({ ...last, text: last.text.slice(0, event.offset) + event.text })),
      });
    case "thinking_finish_evt":
    case "saying_finish_evt":
      return put(runs, key, { ...run, segments: changeLast(run.segments, (last) => ({ ...last, isFinished: true })) });
    case "generating_finish_evt":
      // The words stay until they are recorded, so that nothing flickers.
      return put(runs, key, { ...run, isGenerating: false });
    case "stream_error_evt":
      return put(runs, key, { ...run, isGenerating: false, segments: [] });
    case "retry_evt": {
      const { message, attempt, pauseMs } = event;
      return put(runs, key, { ...run, isGenerating: false, segments: [], retry: { message, attempt, pauseMs } });
    }
    case "tool_start_evt": {
      const { call, tool, input } = event;
      return put(runs, key, { ...run, tools: [...run.tools.filter((one) => one.call !== call), { call, tool, input, log: "" }] });
    }
    case "tool_log_evt":
      return put(runs, key, {
        ...run,
        tools: run.tools.map((one) => (one.call === event.call ? { ...one, log: (one.log + event.text).slice(-MAX_LOG_CHARACTERS) } : one)),
      });
    case "tool_finish_evt":
      return put(runs, key, { ...run, tools: run.tools.filter((one) => one.call !== event.call) });
  }
}

/** What is recorded supersedes what was heard. */
export function supersede(runs: LiveRuns, event: TreeEvent): LiveRuns {
  if (runs.size === 0) return runs;
  const isStep = event.type === "step.ended" || event.type === "step.cut";
  const isEnd = event.type === "turn.ended" || event.type === "dialog.stopped" || event.type === "course.started";
  // One that waits on its layer is not at work.
  const endedCall = event.type === "call.ended" || event.type === "call.ran" ? event.call : undefined;
  if (!isStep && !isEnd && endedCall === undefined) return runs;
  let left = runs;
  for (const [key, run] of runs) {
    if (run.selfId !== event.dialog) continue;
    const { retry: _, ...bare } = run;
    if (endedCall !== undefined) left = put(left, key, { ...run, tools: run.tools.filter(({ call }) => call !== endedCall) });
    else if (isEnd || !("agent" in event) || event.agent === run.agent)
      left = put(left, key, { ...bare, isGenerating: false, segments: [] });
  }
  return left;
}

function changeLast<Item>(items: readonly Item[], change: (last: Item) => Item): readonly Item[] {
  const last = items.at(-1);
  return last === undefined ? items : [...items.slice(0, -1), change(last)];
}
