import { hostname } from "node:os";
import { Refused, type TracingConfig, VARIABLE } from "@colloquy/schema";
import type { Target } from "@colloquy/tracing";
import type { Environment } from "../open/environment.ts";

/** Which signals are sent, where, and under which service name. */
export interface TracingSettings {
  readonly target: Target;
  /** Describes the sender, besides its version. */
  readonly resource: Readonly<Record<string, string>>;
  readonly content: boolean;
  readonly metricsMs: number;
  /** Of metrics: the keys for traces are not for their collector. */
  readonly metricsHeaders: Readonly<Record<string, string>>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_METRICS_MS = 60_000;

/** From `tracing:` and the standard variables, settings first. Undefined: tracing is off. Throws `Refused` for values that mean nothing. */
export function tracingSettings(config: TracingConfig | undefined, env: Environment): TracingSettings | undefined {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return undefined;
  const base = filledIn(config?.url, env) ?? given(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
  const tracesUrl = isNone(env.OTEL_TRACES_EXPORTER) ? undefined : urlOf(config?.url, base, env, "traces");
  const metricsUrl = isNone(env.OTEL_METRICS_EXPORTER) ? undefined : urlOf(config?.url, base, env, "metrics");
  if (tracesUrl === undefined && metricsUrl === undefined) return undefined;
  const shared = pairsIn(env, "OTEL_EXPORTER_OTLP_HEADERS");
  const configured = Object.fromEntries(Object.entries(config?.headers ?? {}).map(([name, value]) => [name, filledIn(value, env) ?? ""]));
  const headers = { ...shared, ...pairsIn(env, "OTEL_EXPORTER_OTLP_TRACES_HEADERS"), ...configured };
  const described = pairsIn(env, "OTEL_RESOURCE_ATTRIBUTES");
  return {
    target: {
      tracesUrl,
      metricsUrl,
      headers,
      protocol: protocolOf(env),
      timeoutMs: milliseconds(env, "OTEL_EXPORTER_OTLP_TIMEOUT") ?? DEFAULT_TIMEOUT_MS,
    },
    resource: {
      "host.name": hostname(),
      ...described,
      "service.name": config?.service ?? given(env, "OTEL_SERVICE_NAME") ?? described["service.name"] ?? "colloquy",
      "telemetry.sdk.name": "colloquy",
      "telemetry.sdk.language": "nodejs",
    },
    content: config?.content ?? false,
    metricsMs: milliseconds(env, "OTEL_METRIC_EXPORT_INTERVAL") ?? DEFAULT_METRICS_MS,
    metricsHeaders: { ...shared, ...pairsIn(env, "OTEL_EXPORTER_OTLP_METRICS_HEADERS"), ...configured },
  };
}

/** A signal's own variable is its complete address; to the base, the path is added. */
function urlOf(configured: string | undefined, base: string | undefined, env: Environment, signal: "traces" | "metrics") {
  const own = configured === undefined ? given(env, `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`) : undefined;
  const url = own ?? (base === undefined ? undefined : `${base.replace(/\/+$/, "")}/v1/${signal}`);
  if (url === undefined) return undefined;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
    throw badSetting(
      `${configured === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "tracing.url"}: "${url}" must begin with http:// or https://.`,
    );
  return url;
}

function protocolOf(env: Environment): Target["protocol"] {
  const protocol = given(env, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? given(env, "OTEL_EXPORTER_OTLP_PROTOCOL") ?? "http/json";
  if (protocol === "http/json" || protocol === "http/protobuf") return protocol;
  throw badSetting(`OTEL_EXPORTER_OTLP_PROTOCOL: "${protocol}" is not supported. Valid: http/json, http/protobuf.`);
}

function milliseconds(env: Environment, name: string): number | undefined {
  const text = given(env, name);
  if (text === undefined) return undefined;
  const ms = Number(text);
  if (Number.isFinite(ms) && ms > 0) return ms;
  throw badSetting(`${name}: "${text}" must be a number of milliseconds above 0.`);
}

/** `name=value,name=value`, each value percent-encoded. */
function pairsIn(env: Environment, name: string): Record<string, string> {
  const pairs = (given(env, name) ?? "").split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw badSetting(`${name} must be name=value, separated by commas.`);
      return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim(), name)];
    }),
  );
}

function decoded(text: string, name: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badSetting(`${name} has a value that is not percent-encoded.`);
  }
}

const given = (env: Environment, name: string): string | undefined => env[name]?.trim() || undefined;
const isNone = (exporter: string | undefined): boolean => exporter?.trim().toLowerCase() === "none";

function filledIn(text: string | undefined, env: Environment): string | undefined {
  return text?.replaceAll(VARIABLE, (_, name: string) => {
    const value = given(env, name);
    if (value === undefined) throw badSetting(`tracing needs ${name}, which is not set in the environment or in .env.`);
    return value;
  });
}

const badSetting = (message: string) => new Refused({ code: "bad_config", message });
