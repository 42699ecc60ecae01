import type { monitorEventLoopDelay } from "node:perf_hooks";
import type { ServedProject } from "./served-project.ts";

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

/** What the server itself knows. */
export interface ServerState {
  readonly sockets: number;
  readonly bufferedBytes: number;
  readonly requests: ReadonlyMap<number, number>;
  readonly loopDelay: ReturnType<typeof monitorEventLoopDelay>;
}

/** All figures, as Prometheus reads them. Costs what is open, not what was ever done. */
export function metricsText(
  projects: readonly ServedProject[],
  { sockets, bufferedBytes, requests, loopDelay }: ServerState,
  nowMs: number,
): string {
  const lines: string[] = [];
  const metric = (name: string, type: "counter" | "gauge", help: string, samples: readonly Sample[]) => {
    lines.push(`# HELP colloquy_${name} ${help}`, `# TYPE colloquy_${name} ${type}`);
    for (const [labels, value] of samples) lines.push(`colloquy_${name}${labelText(labels)} ${value}`);
  };
  // There may be very many: they are read once.
  const entries = new Map(projects.map((one) => [one, one.project.dialogs.asking()]));
  const asking = (one: ServedProject) => entries.get(one) ?? [];
  const each = (value: (one: ServedProject) => number): readonly Sample[] => projects.map((one) => [{ project: one.id }, value(one)]);

  metric(
    "trees",
    "gauge",
    "Trees by status.",
    projects.flatMap(({ id, project }) =>
      (["running", "completed", "archived"] as const).map((status): Sample => [{ project: id, status }, project.dialogs.count(status)]),
    ),
  );
  metric(
    "trees_working",
    "gauge",
    "Trees with work to do.",
    each(({ project }) => project.dialogs.atWork()),
  );
  metric(
    "trees_asking",
    "gauge",
    "Trees in which a question to a person is open.",
    each((one) => asking(one).length),
  );
  metric(
    "questions_open",
    "gauge",
    "Open questions.",
    each(({ project }) => project.questions.count()),
  );
  metric(
    "question_oldest_seconds",
    "gauge",
    "How long the oldest open question has been waiting.",
    each((one) => {
      const asked = asking(one).flatMap((entry) => entry.questions?.map(({ askedAt }) => Date.parse(askedAt)) ?? []);
      return (nowMs - asked.reduce((oldest, at) => Math.min(oldest, at), nowMs)) / 1_000;
    }),
  );
  const counters = [
    ["dialogs_created_total", "Main dialogs that were created.", "dialogsCreated"],
    ["side_dialogs_created_total", "Side dialogs that were created.", "sideDialogsCreated"],
    ["sessions_registered_total", "Sessions that were registered.", "sessionsRegistered"],
    ["dialogs_completed_total", "Main and side dialogs that were completed.", "dialogsCompleted"],
    ["questions_asked_total", "Questions to people.", "questionsAsked"],
    ["questions_closed_total", "Questions that were answered, dismissed, withdrawn or have expired.", "questionsClosed"],
    ["model_calls_total", "Calls of models, also those that failed.", "modelCalls"],
    ["model_faults_total", "Calls of models that failed.", "modelFaults"],
    ["tool_calls_total", "Calls of tools that have a result.", "toolCalls"],
    ["steps_total", "Steps that were recorded.", "steps"],
    ["input_tokens_total", "Tokens that models read.", "inputTokens"],
    ["cached_tokens_total", "The share of them that came from a cache.", "cachedTokens"],
    ["output_tokens_total", "Tokens that models wrote.", "outputTokens"],
    ["cost_dollars_total", "What they cost, where the price is known.", "cost"],
  ] as const;
  for (const [name, help, key] of counters)
    metric(
      name,
      "counter",
      help,
      each(({ meter }) => meter[key]),
    );
  metric(
    "step_seconds_total",
    "counter",
    "Time with a step in flight.",
    each(({ meter }) => meter.stepMs / 1_000),
  );
  metric(
    "commits_total",
    "counter",
    "Commits to the log.",
    each(({ project }) => project.health().commits),
  );
  metric(
    "commit_seconds_total",
    "counter",
    "How long they took, together.",
    each(({ project }) => project.health().commitMs / 1_000),
  );
  metric(
    "syncs_total",
    "counter",
    "Writes that were synced; commits share them.",
    each(({ project }) => project.health().syncs),
  );
  metric(
    "sync_seconds_total",
    "counter",
    "How long they took, together.",
    each(({ project }) => project.health().syncMs / 1_000),
  );
  metric(
    "store_refusing",
    "gauge",
    "1 while nothing new is accepted.",
    each(({ project }) => (project.health().refusing === undefined ? 0 : 1)),
  );
  metric(
    "subscriptions",
    "gauge",
    "Trees and projects that are watched, by each reader.",
    each(({ hub }) => hub.readers),
  );
  metric("sockets", "gauge", "Open WebSockets.", [[{}, sockets]]);
  metric("socket_buffered_bytes", "gauge", "Bytes that wait for readers.", [[{}, bufferedBytes]]);
  metric(
    "http_requests_total",
    "counter",
    "Requests to the API by the status of the answer.",
    [...requests].map(([status, count]) => [{ status: String(status) }, count]),
  );
  metric(
    "event_loop_delay_seconds",
    "gauge",
    "How late the event loop was since the last look.",
    ([50, 99, 100] as const).map((percentile) => [
      { quantile: String(percentile / 100) },
      // Before the first measurement there is nothing to tell.
      loopDelay.count === 0 ? 0 : loopDelay.percentile(percentile) / 1e9,
    ]),
  );
  metric("memory_bytes", "gauge", "Memory of the process.", [[{}, process.memoryUsage.rss()]]);
  loopDelay.reset();
  return `${lines.join("\n")}\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, "_")}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
