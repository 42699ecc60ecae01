import type { Metric } from "./metric.ts";
import { metricsJson, type Resource, tracesJson } from "./otlp-json.ts";
import type { Span } from "./span.ts";

/** Where and how to send. */
export interface Target {
  /** The complete addresses. Absent: that signal is not sent. */
  readonly tracesUrl?: string | undefined;
  readonly metricsUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: "http/json" | "http/protobuf";
  readonly timeoutMs: number;
}

/** `later`: the collector is down or overloaded. `too_large`: send it in smaller pieces. `never`: it cannot accept this request. */
export type Verdict =
  | { readonly kind: "accepted"; readonly note?: string }
  | { readonly kind: "later" | "too_large" | "never"; readonly why: string; readonly afterMs?: number };

const MAX_REASON = 200;

/** Sends to a collector. Never throws: the verdict says what happened. */
export class Sender {
  readonly #target: Target;
  readonly #resource: Resource;

  constructor(target: Target, resource: Resource) {
    this.#target = target;
    this.#resource = resource;
  }

  /** For messages: without a password or query. */
  get place(): string {
    const url = new URL(this.#target.tracesUrl ?? this.#target.metricsUrl ?? "about:blank");
    return `${url.origin}${url.pathname}`;
  }

  async traces(spans: readonly Span[], signal?: AbortSignal): Promise<Verdict> {
    if (this.#target.protocol === "http/json") return this.#post(this.#target.tracesUrl, tracesJson(spans, this.#resource), signal);
    const { tracesProtobuf } = await import("./otlp-protobuf.ts");
    return this.#post(this.#target.tracesUrl, tracesProtobuf(spans, this.#resource), signal);
  }

  async metrics(metrics: readonly Metric[], signal?: AbortSignal): Promise<Verdict> {
    if (this.#target.protocol === "http/json") return this.#post(this.#target.metricsUrl, metricsJson(metrics, this.#resource), signal);
    const { metricsProtobuf } = await import("./otlp-protobuf.ts");
    return this.#post(this.#target.metricsUrl, metricsProtobuf(metrics, this.#resource), signal);
  }

  async #post(url: string | undefined, body: string | Uint8Array, signal: AbortSignal | undefined): Promise<Verdict> {
    if (url === undefined) return { kind: "accepted" };
    const { headers, protocol, timeoutMs } = this.#target;
    const inTime = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": protocol === "http/json" ? "application/json" : "application/x-protobuf" },
        body: body as NonNullable<RequestInit["body"]>,
        redirect: "error",
        signal: signal ? AbortSignal.any([signal, inTime]) : inTime,
      });
      const said = await response.text();
      return response.ok ? { kind: "accepted", ...partly(said) } : verdictOn(response, said);
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return { kind: "later", why: cause instanceof Error ? cause.message || cause.name : String(cause) };
    }
  }
}

/** A collector that accepted only a part must not be sent the rest again. */
function partly(said: string): { readonly note?: string } {
  try {
    const { partialSuccess } = JSON.parse(said) as { partialSuccess?: { errorMessage?: string } };
    return partialSuccess?.errorMessage ? { note: partialSuccess.errorMessage.slice(0, MAX_REASON) } : {};
  } catch {
    return {}; // protobuf, or nothing
  }
}

/**
 * Only a request that it cannot read is hopeless. A person can correct a wrong key or address, and until then
 * everything waits in the log.
 */
function verdictOn(response: Response, said: string): Verdict {
  const why = `${response.status} ${said.replaceAll(/[^\x20-\x7e]+/g, " ").slice(0, MAX_REASON)}`.trim();
  if (response.status === 413) return { kind: "too_large", why };
  if (response.status === 400) return { kind: "never", why };
  const after = Number(response.headers.get("retry-after"));
  return { kind: "later", why, ...(after > 0 && { afterMs: after * 1_000 }) };
}
