import { Fault, type FaultCode } from "@colloquy/schema";
import { type Complaint, complaintOf } from "./complaint.ts";
import { didYouMean } from "../catalog/did-you-mean.ts";
import { retryAfterMs } from "./retry-after.ts";
import { masked } from "./secret.ts";

/** The other side, as named in messages. */
export interface Endpoint {
  /** `openai`, `anthropic`, or the host of a custom endpoint. */
  readonly label: string;
  readonly host: string;
  readonly model: string;
  readonly keyEnv: string | undefined;
  readonly key: string | undefined;
  readonly knownModels: readonly string[];
}

/**
 * Classifies an error of the AI SDK or of the network: retry later, or stop with an instruction for a person. The message doesn't name
 * the dialog, which the runtime adds. The SDK's error is not kept as cause: it contains the request.
 */
export function faultOf(error: unknown, endpoint: Endpoint, nowMs: number): unknown {
  if (error instanceof Fault) return error;
  const complaint = complaintOf(error);
  return complaint ? faultFor(complaint, endpoint, nowMs) : error;
}

function faultFor(complaint: Complaint, endpoint: Endpoint, nowMs: number): Fault {
  const { status, network } = complaint;
  const { label, model } = endpoint;
  const said = [status, masked(complaint.message, endpoint.key)].filter(Boolean).join(": ") || "no reason given";
  const stop = (code: FaultCode, text: string) => new Fault(code, "never", text);
  const retry = (code: FaultCode, text: string) => {
    const wait = retryAfterMs(complaint.headers, nowMs);
    return new Fault(code, "later", text, wait === undefined ? {} : { retryAfterMs: wait });
  };

  if (network !== undefined) return retry("model_unreachable", unreachableText(endpoint, network));
  if (isNoCredit(complaint)) return stop("model_no_credit", noCreditText(complaint, label));
  if (isWrongKey(complaint)) return stop("model_wrong_key", wrongKeyText(endpoint, status === 403 ? said : String(status ?? 401)));
  if (isUnknownModel(complaint)) return stop("model_unknown", unknownModelText(endpoint));
  if (isTooLong(complaint)) return stop("model_context_too_long", tooLongText(model, said));
  if (isOverloaded(complaint))
    return retry("model_overloaded", `${label} ${status === 429 ? "asks for fewer requests" : "is overloaded"} (${said}).`);
  if (status === 404)
    return stop("model_unknown", `${label} answers, but not at this address (404). Check baseURL, which mostly ends with /v1.`);
  if (isRefused(complaint)) return stop("model_refused", `${label} refused the request (${said}).`);
  return retry("model_malformed", `${label} sent an answer that cannot be read (${said}).`);
}

const has = ({ kinds }: Complaint, pattern: RegExp): boolean => kinds.some((kind) => pattern.test(kind));

const isNoCredit = (complaint: Complaint): boolean =>
  complaint.status === 402 ||
  has(complaint, /insufficient_quota|billing|no_credit/) ||
  /credit balance is too low/i.test(complaint.message);

const isWrongKey = (complaint: Complaint): boolean =>
  complaint.status === 401 || complaint.status === 403 || has(complaint, /^(authentication_error|permission_error|invalid_api_key)$/);

const isUnknownModel = (complaint: Complaint): boolean =>
  has(complaint, /^model_not_found$/) ||
  (complaint.status === 404 && /model/i.test(complaint.message)) ||
  (complaint.status === 400 && /(invalid|unknown|no such) model|model .*(not found|does not exist)/i.test(complaint.message));

const isTooLong = (complaint: Complaint): boolean =>
  complaint.status === 413 ||
  has(complaint, /context_length_exceeded|request_too_large/) ||
  (complaint.status !== 429 &&
    /prompt is too long|context (length|window|size)|maximum context|too many (input )?tokens/i.test(complaint.message));

const isOverloaded = (complaint: Complaint): boolean =>
  (complaint.status !== undefined && (complaint.status >= 500 || [408, 409, 425, 429].includes(complaint.status))) ||
  has(complaint, /^(overloaded_error|overloaded|rate_limit_error|rate_limit_exceeded|api_error|server_error|timeout_error)$/);

const isRefused = (complaint: Complaint): boolean =>
  (complaint.status !== undefined && complaint.status >= 400) || has(complaint, /^invalid_request_error$/);

function noCreditText({ status, kinds }: Complaint, label: string): string {
  const reason = [status, kinds.find((kind) => /quota|billing|credit/.test(kind))].filter(Boolean).join(" ");
  return `${label} says the quota is used up (${reason}). This does not pass by waiting. Add credit there, or give the agent another model.`;
}

const unknownModelText = ({ label, model, knownModels }: Endpoint): string =>
  `${label} has no model "${model}".${didYouMean(model, knownModels)} colloquy models lists them.`;

const tooLongText = (model: string, said: string): string =>
  `This dialog has become too long for ${model} (${said}). Give the agent a model with a larger context window, or continue in a new dialog.`;

function wrongKeyText({ label, keyEnv, key }: Endpoint, status: string): string {
  if (keyEnv === undefined)
    return `${label} wants a key (${status}). Name the variable that holds it: apiKeyEnv of this model in colloquy.yaml.`;
  if (key === undefined) return `${label} wants a key (${status}). Set ${keyEnv} (or put it into .env).`;
  return `${label} refused the key in ${keyEnv} (${status}).`;
}

function unreachableText({ label, host }: Endpoint, network: string): string {
  const place = label === host ? label : `${label} (${host})`;
  const hint =
    /^(127\.|localhost|\[::1\])/.test(host) && network === "ECONNREFUSED" ? " Nothing listens there: is the model's server running?" : "";
  return `Cannot reach ${place}: ${NETWORK_WORDS[network] ?? network}.${hint}`;
}

const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused (ECONNREFUSED)",
  ECONNRESET: "the connection was cut (ECONNRESET)",
  UND_ERR_SOCKET: "the connection was cut",
  ENOTFOUND: "there is no such host (ENOTFOUND)",
  EAI_AGAIN: "names cannot be looked up (EAI_AGAIN)",
  ETIMEDOUT: "no answer in time (ETIMEDOUT)",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time (connect)",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time (headers)",
  UND_ERR_BODY_TIMEOUT: "the answer stopped coming",
};
