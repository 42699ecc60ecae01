import type { FollowerClock, Metric } from "@colloquy/tracing";
import { version } from "../version.ts";
import type { TracingSettings } from "./tracing-settings.ts";

/** A figure with its values, one for each set of labels. */
export interface Figure {
  readonly name: string;
  readonly kind: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

export interface MetricsPlace {
  /** The figures of this moment. */
  readonly read: () => readonly Figure[];
  /** A test's clock. */
  readonly clock: FollowerClock | undefined;
  readonly report: (message: string) => void;
}

/** How long the last figures may take when the server stops. */
const LAST_MS = 2_000;
/** The longest that a timer waits. */
const MAX_INTERVAL_MS = 2 ** 31 - 1;

/** Sends figures at an interval. Returns a function that sends them once more and ends it. */
export async function sendMetrics(
  settings: TracingSettings,
  { read, clock = quietClock, report }: MetricsPlace,
): Promise<() => Promise<void>> {
  const { target, resource, metricsMs, metricsHeaders } = settings;
  const { Sender } = await import("@colloquy/tracing");
  const described = { attributes: { ...resource, "service.version": version() }, version: version() };
  const sender = new Sender({ ...target, headers: metricsHeaders, tracesUrl: undefined }, described);
  const startMs = clock.now();
  const stop = new AbortController();
  let isFailing = false;
  const send = async (signal: AbortSignal) => {
    const atMs = clock.now();
    const verdict = await sender.metrics(
      read().map((figure) => metricOf(figure, startMs, atMs)),
      signal,
    );
    if (signal.aborted) return;
    if (verdict.kind === "accepted") {
      if (isFailing) report(`Metrics are sent to ${sender.place} again.`);
    } else if (!isFailing)
      report(
        `Metrics cannot be sent to ${sender.place}: ${verdict.why}. Newer ones are tried later; OTEL_METRICS_EXPORTER=none sends none.`,
      );
    isFailing = verdict.kind !== "accepted";
  };
  const run = async () => {
    while (!stop.signal.aborted) {
      await clock.sleep(Math.min(metricsMs, MAX_INTERVAL_MS), stop.signal).catch(() => undefined); // stopping
      if (!stop.signal.aborted) await send(stop.signal);
    }
  };
  const running = run();
  return async () => {
    stop.abort();
    await running;
    await send(AbortSignal.timeout(LAST_MS));
  };
}

const metricOf = ({ name, kind, help, samples }: Figure, startMs: number, atMs: number): Metric => ({
  name,
  help,
  kind,
  unit: name.includes("_seconds") ? "s" : name.includes("_bytes") ? "By" : "1",
  samples: samples.map(([labels, value]) => ({ labels, value })),
  startMs,
  atMs,
});

/** Keeps no process alive: what was not sent is in the log, or outdated. */
const quietClock: FollowerClock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      }, ms).unref();
      signal.addEventListener("abort", stop, { once: true });
    }),
};
