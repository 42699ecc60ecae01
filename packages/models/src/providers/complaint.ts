import { isRecord } from "./sdk-prompt.ts";

/** A provider's error in one form, whether a failed response, an error within a stream, or a broken connection. */
export interface Complaint {
  readonly status: number | undefined;
  /** The provider's own names for the error: `type` and `code`. */
  readonly kinds: readonly string[];
  readonly message: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The system's code for a network failure, such as ECONNREFUSED. */
  readonly network: string | undefined;
}

const NETWORK = /^(?:E[A-Z]{3,}|UND_ERR_\w+|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/;

/** Undefined if the error is our own. */
export function complaintOf(error: unknown): Complaint | undefined {
  const network = networkCode(error);
  if (network === undefined && isOurs(error)) return undefined;
  const own = isRecord(error) || error instanceof Error ? (error as Readonly<Record<string, unknown>>) : {};
  const said = [own, bodyOf(own.data), bodyOf(own.responseBody), bodyOf(own.cause)].flatMap((body) => [
    body,
    ...(isRecord(body.error) ? [body.error] : []),
  ]);
  const status = [own.statusCode, own.status].find((value) => typeof value === "number") as number | undefined;
  const kinds = said.flatMap(({ type, code }) => [type, code]).filter((kind) => typeof kind === "string" && kind !== "error") as string[];
  const message = said.map((body) => body.message).findLast((text) => typeof text === "string" && text !== "") as string | undefined;
  const headers = isRecord(own.responseHeaders) ? (own.responseHeaders as Readonly<Record<string, string>>) : undefined;
  return { status, kinds, message: message ?? (typeof error === "string" ? error : ""), headers, network };
}

/** Errors that no provider can cause: a bug, a missing library, a prompt that the SDK rejects. */
const isOurs = (error: unknown): boolean =>
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof RangeError ||
  (error instanceof Error &&
    (/^(Bug|AI_(Unsupported|InvalidPrompt|InvalidArgument))/.test(error.name) ||
      ("code" in error && String(error.code).startsWith("ERR_"))));

function bodyOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value instanceof Error) return value as unknown as Readonly<Record<string, unknown>>;
  if (isRecord(value)) return value;
  if (typeof value !== "string") return {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? (typeof parsed.error === "string" ? { message: parsed.error } : parsed) : {};
  } catch {
    return {}; // a proxy's error page: the status says enough
  }
}

function networkCode(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    const { code, name, message } = at as Error & { readonly code?: unknown };
    if (name === "Cut") return "the connection was cut";
    if (typeof code === "string" && NETWORK.test(code)) return code;
    if (name === "TimeoutError") return "ETIMEDOUT";
    // undici's message for a connection that broke within a response.
    if (at instanceof TypeError && (message === "terminated" || message === "fetch failed") && at.cause === undefined)
      return "the connection was cut";
  }
  return undefined;
}
