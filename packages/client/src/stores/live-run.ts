import { type AgentId, type DialogId, type LiveEvent, runKey, type TreeEvent } from "@colloquy/schema";

export interface LiveSegment {
  readonly kind: "thinking" | "saying";
  readonly text: string;
  readonly isFinished: boolean;
}

export interface LiveTool {
  readonly call: string;
  readonly tool: string;
  readonly input: unknown;
  /** Its output so far. */
  readonly log: string;
  /** In milliseconds, by this program's clock. */
  readonly startedAt: number;
}

/** What one agent is doing in one dialog right now. */
export interface LiveRun {
  readonly selfId: DialogId;
  readonly agent: string;
  readonly course: number;
  readonly genseq: number;
  readonly isGenerating: boolean;
  /** When the generation started, in milliseconds, by this program's clock. */
  readonly startedAt: number;
  readonly segments: readonly LiveSegment[];
  readonly tools: readonly LiveTool[];
  /** The model failed; it is retried after the pause. */
  readonly retry?: { readonly message: string; readonly attempt: number; readonly pauseMs: number };
}

/** Only the end of a tool's live output is kept. */
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

/** Folds live events. Pure: the same events give the same runs. */
export function hearLive(runs: LiveRuns, event: LiveEvent, now: number): LiveRuns {
  const key = runKey(event.dialog.selfId, event.agent);
  const place = { selfId: event.dialog.selfId, agent: event.agent, course: event.course, genseq: event.genseq };
  const known = runs.get(key);
  const { retry: _, ...run }: LiveRun = { isGenerating: false, segments: [], tools: [], startedAt: now, ...known, ...place };
  switch (event.type) {
    case "generating_start_evt":
      return put(runs, key, { ...run, isGenerating: true, startedAt: now, segments: [] });
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
      // The text stays until it is recorded, to avoid flicker.
      return put(runs, key, { ...run, isGenerating: false });
    case "stream_error_evt":
      return put(runs, key, { ...run, isGenerating: false, segments: [] });
    case "retry_evt": {
      const { message, attempt, pauseMs } = event;
      return put(runs, key, { ...run, isGenerating: false, segments: [], retry: { message, attempt, pauseMs } });
    }
    case "tool_start_evt": {
      const { call, tool, input } = event;
      return put(runs, key, {
        ...run,
        tools: [...run.tools.filter((one) => one.call !== call), { call, tool, input, log: "", startedAt: now }],
      });
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

/** Recorded events replace live ones. */
export function supersede(runs: LiveRuns, event: TreeEvent): LiveRuns {
  if (runs.size === 0) return runs;
  // A limit is asked about before a step: the agent waits for the answer, and retries nothing meanwhile.
  const isLimit = event.type === "question.asked" && event.limit !== undefined;
  const isStep = event.type === "step.ended" || event.type === "step.cut" || isLimit;
  const isEnd = event.type === "turn.ended" || event.type === "dialog.stopped" || event.type === "course.started";
  // One that waits on its layer, or for a person whom it asks, is not at work.
  const isCallEnd = event.type === "call.ended" || event.type === "call.ran" || event.type === "question.asked";
  const endedCall = isCallEnd ? event.call : undefined;
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

/** What an agent is doing in a dialog right now, for `dialogView`. */
export const atWorkIn = (runs: LiveRuns, now: number) => (dialog: DialogId, agent: AgentId) => {
  const run = runs.get(runKey(dialog, agent));
  const tool = run?.tools.at(-1);
  if (!run || (!run.isGenerating && !tool)) return undefined;
  const sinceMs = tool?.startedAt ?? run.startedAt;
  return { tool: tool?.tool, sinceMs, activeMs: Math.max(0, now - sinceMs) };
};

/** The same for runs that `atWorkIn` treats alike: growing text doesn't change it. */
export const workKey = (runs: LiveRuns): string =>
  [...runs].map(([key, { isGenerating, tools }]) => `${key} ${isGenerating} ${tools.map(({ call }) => call).join(",")}`).join("; ");
