import type { Metric } from "./metric.ts";
import type { Attributes, AttributeValue, Span } from "./span.ts";

/** Who sends: the service's name and what else describes it. */
export interface Resource {
  readonly attributes: Attributes;
  /** Of Colloquy. */
  readonly version: string;
}

export const SCOPE = "colloquy";
export const KINDS = { internal: 1, client: 3 } as const;
export const ERROR = 2;
export const CUMULATIVE = 2;

/** A request to `/v1/traces`. */
export const tracesJson = (spans: readonly Span[], { attributes, version }: Resource): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: pairs(attributes) },
        scopeSpans: [{ scope: { name: SCOPE, version }, spans: spans.map(spanJson) }],
      },
    ],
  });

/** A request to `/v1/metrics`. */
export const metricsJson = (metrics: readonly Metric[], { attributes, version }: Resource): string =>
  JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: pairs(attributes) },
        scopeMetrics: [{ scope: { name: SCOPE, version }, metrics: metrics.map(metricJson) }],
      },
    ],
  });

const spanJson = ({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, events, links, isError }: Span) => ({
  traceId,
  spanId,
  ...(parentId !== undefined && { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanos(startMs),
  endTimeUnixNano: nanos(endMs),
  attributes: pairs(attributes),
  ...(events.length > 0 && {
    events: events.map((event) => ({ timeUnixNano: nanos(event.atMs), name: event.name, attributes: pairs(event.attributes) })),
  }),
  ...(links.length > 0 && { links: links.map((link) => ({ traceId: link.traceId ?? traceId, spanId: link.spanId })) }),
  status: isError ? { code: ERROR } : {},
});

const metricJson = ({ name, help, unit, kind, samples, startMs, atMs }: Metric) => {
  const dataPoints = samples.map(({ labels, value }) => ({
    attributes: pairs(labels),
    ...(kind === "counter" && { startTimeUnixNano: nanos(startMs) }),
    timeUnixNano: nanos(atMs),
    asDouble: value,
  }));
  const what =
    kind === "counter" ? { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } } : { gauge: { dataPoints } };
  return { name, description: help, unit, ...what };
};

const nanos = (ms: number): string => `${Math.round(ms)}000000`;

function pairs(attributes: Attributes): readonly { readonly key: string; readonly value: unknown }[] {
  const given: { key: string; value: unknown }[] = [];
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined) given.push({ key, value: valueJson(value) });
  }
  return given;
}

function valueJson(value: AttributeValue): unknown {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
