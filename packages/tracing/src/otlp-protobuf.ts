import type { Metric } from "./metric.ts";
import { CUMULATIVE, ERROR, KINDS, type Resource, SCOPE } from "./otlp-json.ts";
import type { Attributes, AttributeValue, Span } from "./span.ts";

// The few messages of opentelemetry-proto 1.x that are sent, by their field numbers.

/** A request to `/v1/traces`. */
export const tracesProtobuf = (spans: readonly Span[], resource: Resource): Uint8Array =>
  message([
    bytes(1, message([resourceField(resource), bytes(2, message([scope(resource), ...spans.map((span) => bytes(2, spanMessage(span)))]))])),
  ]);

/** A request to `/v1/metrics`. */
export const metricsProtobuf = (metrics: readonly Metric[], resource: Resource): Uint8Array =>
  message([
    bytes(
      1,
      message([resourceField(resource), bytes(2, message([scope(resource), ...metrics.map((one) => bytes(2, metricMessage(one)))]))]),
    ),
  ]);

const resourceField = ({ attributes }: Resource) => bytes(1, message(pairs(1, attributes)));
const scope = ({ version }: Resource) => bytes(1, message([text(1, SCOPE), text(2, version)]));

function spanMessage({ traceId, spanId, parentId, name, kind, startMs, endMs, attributes, events, links, isError }: Span): Uint8Array {
  return message([
    bytes(1, Buffer.from(traceId, "hex")),
    bytes(2, Buffer.from(spanId, "hex")),
    ...(parentId === undefined ? [] : [bytes(4, Buffer.from(parentId, "hex"))]),
    text(5, name),
    number(6, KINDS[kind]),
    nanos(7, startMs),
    nanos(8, endMs),
    ...pairs(9, attributes),
    ...events.map((event) => bytes(11, message([nanos(1, event.atMs), text(2, event.name), ...pairs(3, event.attributes)]))),
    ...links.map((link) =>
      bytes(13, message([bytes(1, Buffer.from(link.traceId ?? traceId, "hex")), bytes(2, Buffer.from(link.spanId, "hex"))])),
    ),
    bytes(15, isError ? number(3, ERROR) : EMPTY),
  ]);
}

function metricMessage({ name, help, unit, kind, samples, startMs, atMs }: Metric): Uint8Array {
  const points = samples.map(({ labels, value }) =>
    bytes(1, message([...(kind === "counter" ? [nanos(2, startMs)] : []), nanos(3, atMs), double(4, value), ...pairs(7, labels)])),
  );
  const what = kind === "counter" ? bytes(7, message([...points, number(2, CUMULATIVE), number(3, 1)])) : bytes(5, message(points));
  return message([text(1, name), text(2, help), text(3, unit), what]);
}

const pairs = (field: number, attributes: Attributes): readonly Uint8Array[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [bytes(field, message([text(1, key), bytes(2, valueMessage(value))]))],
  );

function valueMessage(value: AttributeValue): Uint8Array {
  if (typeof value === "string") return text(1, value);
  if (typeof value === "boolean") return number(2, value ? 1 : 0);
  if (typeof value === "number") return Number.isSafeInteger(value) ? number(3, value) : double(4, value);
  return bytes(5, message(value.map((one) => bytes(1, text(1, one)))));
}

const EMPTY = new Uint8Array();
const [VARINT, FIXED64, LENGTH] = [0, 1, 2];

const message = (fields: readonly Uint8Array[]): Uint8Array => Buffer.concat(fields);
const key = (field: number, wire: number): readonly number[] => varint(BigInt((field << 3) | wire));
const bytes = (field: number, content: Uint8Array): Uint8Array =>
  Buffer.concat([Uint8Array.from([...key(field, LENGTH), ...varint(BigInt(content.length))]), content]);
const text = (field: number, content: string): Uint8Array => bytes(field, Buffer.from(content));
/** Written even if it is the default: inside a value, a missing field would be a missing value. */
const number = (field: number, value: number): Uint8Array =>
  Uint8Array.from([...key(field, VARINT), ...varint(BigInt.asUintN(64, BigInt(value)))]);

function double(field: number, value: number): Uint8Array {
  const fixed = Buffer.alloc(8);
  fixed.writeDoubleLE(value);
  return Buffer.concat([Uint8Array.from(key(field, FIXED64)), fixed]);
}

function nanos(field: number, ms: number): Uint8Array {
  const fixed = Buffer.alloc(8);
  fixed.writeBigUInt64LE(BigInt(Math.round(ms)) * 1_000_000n);
  return Buffer.concat([Uint8Array.from(key(field, FIXED64)), fixed]);
}

function varint(value: bigint): readonly number[] {
  const made: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return [...made, Number(rest)];
    made.push(Number(rest & 0x7fn) | 0x80);
  }
}
