import { MockOtlpServer, normalizeMetrics, normalizeTrace } from "@elastic/mockotlpserver";
import { onTestFinished } from "vitest";

export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events?: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: string };
}

export interface SentMetric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly { readonly asDouble: number; readonly attributes: Record<string, unknown> }[] };
  readonly gauge?: { readonly dataPoints: readonly { readonly asDouble: number; readonly attributes: Record<string, unknown> }[] };
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Readonly<Record<string, unknown>> };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

interface MetricsRequest {
  readonly resourceMetrics: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly SentMetric[] }[] }[];
}

/** A real collector on this machine. One at a time in a process: it tells every listener of what any of them receives. */
export class Collector {
  url = "";
  readonly spans: SentSpan[] = [];
  readonly metrics: SentMetric[] = [];
  readonly resources: Readonly<Record<string, unknown>>[] = [];
  readonly headers: Readonly<Record<string, string>>[] = [];

  /** Each span once: after a crash some come again, under the same id. */
  distinct(): readonly SentSpan[] {
    return [...new Map(this.spans.map((span) => [span.spanId, span])).values()];
  }

  named(name: string): readonly SentSpan[] {
    return this.distinct().filter((span) => span.name === name);
  }
}

export async function startCollector(port = 0): Promise<Collector & { stop(): Promise<void> }> {
  const collector = new Collector();
  const server = new MockOtlpServer({
    services: ["http"],
    httpHostname: "127.0.0.1",
    httpPort: port,
    logLevel: "fatal",
    onRequest: ({ headers }) => collector.headers.push(headers),
    onTrace: (request) => {
      for (const { resource, scopeSpans } of (normalizeTrace(request) as TraceRequest).resourceSpans) {
        collector.resources.push(resource.attributes);
        for (const { spans } of scopeSpans) collector.spans.push(...spans);
      }
    },
    onMetrics: (request) => {
      for (const { scopeMetrics } of (normalizeMetrics(request) as MetricsRequest).resourceMetrics)
        for (const { metrics } of scopeMetrics) collector.metrics.push(...metrics);
    },
  });
  await server.start();
  collector.url = server.httpUrl.origin;
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    await server.close();
  };
  onTestFinished(stop);
  return Object.assign(collector, { stop });
}
