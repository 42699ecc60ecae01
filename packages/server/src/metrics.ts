import { Status } from "@colloquy/schema";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Figure } from "@colloquy/library";
import type { ServedProject } from "./served-project.ts";

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

export type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

/** The server's own figures. */
export interface ServerState {
  readonly sockets: number;
  readonly bufferedBytes: number;
  readonly requests: ReadonlyMap<number, number>;
  readonly loopDelay: LoopDelay;
}

/** All figures in Prometheus' text format. */
export function metricsText(all: readonly Figure[]): string {
  const lines = all.flatMap(({ name, kind, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${kind}`,
    ...samples.map(([labels, value]) => `${name}${labelText(labels)} ${value}`),
  ]);
  return `${lines.join("\n")}\n`;
}

/** Measures how late the event loop is. */
export const newLoopDelay = (): LoopDelay => monitorEventLoopDelay({ resolution: 10 });

/** Sends a project's figures to its collector, if its settings name one. Returns a function that sends the last ones and ends it. */
export async function sendFigures(
  { project }: ServedProject,
  read: (loopDelay: LoopDelay) => readonly Figure[],
): Promise<() => Promise<void>> {
  // Its own, because reading begins a new measurement.
  const loopDelay = newLoopDelay();
  const stop = await project.sendMetrics(() => read(loopDelay));
  if (!stop) return async () => undefined;
  loopDelay.enable();
  return async () => {
    await stop();
    loopDelay.disable();
  };
}

/** The cost depends on what is open, not on the project's history. */
export function figures(
  projects: readonly ServedProject[],
  { sockets, bufferedBytes, requests, loopDelay }: ServerState,
  nowMs: number,
): readonly Figure[] {
  const all: Figure[] = [];
  const metric = (name: string, kind: Figure["kind"], help: string, samples: readonly Sample[]) =>
    all.push({ name: `colloquy_${name}`, kind, help, samples });
  // Read once: there may be very many.
  const entries = new Map(projects.map((one) => [one, one.project.dialogs.asking()]));
  const asking = (one: ServedProject) => entries.get(one) ?? [];
  const each = (value: (one: ServedProject) => number): readonly Sample[] => projects.map((one) => [{ project: one.id }, value(one)]);

  metric(
    "trees",
    "gauge",
    "Trees by status.",
    projects.flatMap(({ id, project }) => Status.options.map((status): Sample => [{ project: id, status }, project.dialogs.count(status)])),
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
    each((one) => asking(one).filter(({ questions }) => questions !== undefined).length),
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
  const AGES = [
    ["under 1h", 3_600_000],
    ["1h to 1d", 86_400_000],
    ["1d to 1w", 604_800_000],
    ["over 1w", Infinity],
  ] as const;
  metric(
    "questions_open_by_age",
    "gauge",
    "Open questions by how long they have been waiting.",
    projects.flatMap((one) => {
      const ages = asking(one).flatMap((entry) => entry.questions?.map(({ askedAt }) => nowMs - Date.parse(askedAt)) ?? []);
      return AGES.map(([age, most], nth): Sample => {
        const least = AGES[nth - 1]?.[1] ?? -Infinity;
        return [{ project: one.id, age }, ages.filter((ms) => ms >= least && ms < most).length];
      });
    }),
  );
  metric(
    "calls_unsettled",
    "gauge",
    "Calls whose outcome nobody knows.",
    each((one) => asking(one).reduce((sum, { unsettled = [] }) => sum + unsettled.length, 0)),
  );
  const checked = (value: (report: ReturnType<ServedProject["project"]["healthReport"]>) => number) =>
    each(({ project }) => value(project.healthReport()));
  metric(
    "health_trees_checked",
    "gauge",
    "Trees that the background check has read.",
    checked(({ trees }) => trees),
  );
  metric(
    "health_findings",
    "gauge",
    "What it found and is still there.",
    checked(({ findings }) => findings.length),
  );
  metric(
    "registry_sessions",
    "gauge",
    "Sessions in the registries of the trees that were checked.",
    checked(({ sessions }) => sessions),
  );
  metric(
    "store_bytes",
    "gauge",
    "The size of the store when the last check began; 0 until then.",
    checked(({ bytes = 0 }) => bytes),
  );
  const counters = [
    ["dialogs_created_total", "Main dialogs that were created.", "dialogsCreated"],
    ["side_dialogs_created_total", "Side dialogs that were created.", "sideDialogsCreated"],
    ["sessions_registered_total", "Sessions that were registered.", "sessionsRegistered"],
    ["dialogs_completed_total", "Main and side dialogs that were completed.", "dialogsCompleted"],
    ["side_dialogs_completed_total", "Side dialogs that were completed.", "sideDialogsCompleted"],
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
    "store_nodes",
    "gauge",
    "Processes that share the store, this one included.",
    each(({ project }) => project.health().nodes ?? 1),
  );
  type Sending = NonNullable<ReturnType<ServedProject["project"]["tracing"]>>;
  const traced = (value: (state: Sending) => number): readonly Sample[] =>
    projects.flatMap(({ id, project }) => {
      const state = project.tracing();
      return state ? [[{ project: id }, value(state)] as const] : [];
    });
  metric(
    "trace_spans_sent_total",
    "counter",
    "Spans that the collector accepted.",
    traced(({ sentSpans }) => sentSpans),
  );
  metric(
    "trace_commits_behind",
    "gauge",
    "Commits whose spans the collector has not accepted yet.",
    traced(({ behind }) => behind),
  );
  metric(
    "trace_failing",
    "gauge",
    "1 while traces cannot be sent.",
    traced(({ failing }) => (failing === undefined ? 0 : 1)),
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
      // NaN before the first measurement.
      loopDelay.count === 0 ? 0 : loopDelay.percentile(percentile) / 1e9,
    ]),
  );
  metric("memory_bytes", "gauge", "Memory of the process.", [[{}, process.memoryUsage.rss()]]);
  loopDelay.reset();
  return all;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, "_")}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
