import type { z } from "zod";
import { Fault, type QuestionView, Refused, type WireError, type WireErrorCode } from "@colloquy/schema";

/** A "no" of the server's own, or of the project, as it goes over the wire. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: WireErrorCode;
  readonly question: QuestionView | undefined;
  /** Seconds, for `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(code: WireErrorCode, message: string, more: { readonly question?: QuestionView; readonly retryAfter?: number } = {}) {
    super(message);
    this.code = code;
    this.question = more.question;
    this.retryAfter = more.retryAfter;
  }
}

/** For who would read the whole log: one that is known to be damaged is refused at once. */
export function demandWhole(dialogs: { damageOf(rootId: string): string | undefined }, rootId: string): void {
  const damage = dialogs.damageOf(rootId);
  if (damage !== undefined) throw new Problem("log_corrupt", damage);
}

export const notFound = (what: string): Problem => new Problem("not_found", what);

/** What any error means to a client. A mistake of our own is told to `report`, and not to the client. */
export function problemOf(error: unknown, report: (error: unknown) => void): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Refused) return new Problem(error.code, error.message);
  if (error instanceof Fault) return new Problem(codeOfFault(error), error.message);
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  if (typeof status === "number" && status >= 400 && status < 500)
    return new Problem("bad_request", (error as Error).message.slice(0, 300));
  report(error);
  return new Problem("internal", "Something went wrong inside the server. Its output says more.");
}

function codeOfFault({ code }: Fault): WireErrorCode {
  if (code === "log_full" || code === "log_corrupt") return code;
  return code.startsWith("model_") || code === "script_ended" ? "model_failed" : "unavailable";
}

export const errorBody = ({ code, message, question }: Problem): WireError => ({
  error: { code, message, ...(question && { question }) },
});

export const STATUS: Readonly<Record<WireErrorCode, number>> = {
  bad_request: 400,
  empty_content: 400,
  bad_choice: 400,
  bad_answer: 400,
  unauthorized: 401,
  link_used: 401,
  forbidden: 403,
  wrong_origin: 403,
  not_found: 404,
  question_not_found: 404,
  unknown_agent: 404,
  method_not_allowed: 405,
  ambiguous: 409,
  msg_id_reused: 409,
  stale_step: 409,
  not_running: 409,
  stopped: 409,
  not_stopped: 409,
  archived: 409,
  call_not_open: 409,
  ask_not_open: 409,
  question_not_open: 409,
  question_changed: 409,
  not_an_approval: 409,
  is_an_approval: 409,
  not_a_side_dialog: 409,
  dead: 409,
  circle: 409,
  document_changed: 409,
  undo_conflict: 409,
  not_undoable: 409,
  task_closed: 409,
  nothing_to_do: 409,
  phase_not_allowed: 409,
  exists_already: 409,
  bad_config: 409,
  too_far_behind: 410,
  too_large: 413,
  locked: 423,
  rate_limited: 429,
  internal: 500,
  log_corrupt: 500,
  model_failed: 502,
  unavailable: 503,
  log_full: 507,
};

/** Reads what came in by its schema. What does not fit is refused with the names of the fields. */
export function read<Schema extends z.ZodType>(schema: Schema, given: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const texts = [...new Set(parsed.error.issues.slice(0, MAX_ISSUES).flatMap(issueTexts))].slice(0, MAX_ISSUES);
  throw new Problem("bad_request", `${what}: ${texts.map(shortened).join("; ")}.`);
}

/** Enough to see what is wrong. */
const MAX_ISSUES = 8;
const MAX_ISSUE_LENGTH = 300;
const shortened = (text: string): string => (text.length > MAX_ISSUE_LENGTH ? `${text.slice(0, MAX_ISSUE_LENGTH)}…` : text);

function issueTexts(issue: z.core.$ZodIssue): readonly string[] {
  const at = issue.path.map(String).join(".");
  const field = at === "" ? "" : `${at}: `;
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, MAX_ISSUES).map((key) => `unknown field "${at === "" ? key : `${at}.${key}`}"`);
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The form that comes nearest says best what is wrong.
    const nearest = issue.errors.toSorted((a, b) => a.length - b.length)[0] ?? [];
    return nearest.flatMap((inner) => issueTexts({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue));
  }
  return [`${field}${issue.message}`];
}
