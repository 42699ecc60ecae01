import type { z } from "zod";
import { Fault, Refused, type WireError, type WireErrorCode } from "@colloquy/schema";

/** Refuses to read the log of a dialog that is known to be damaged. */
export function demandWhole(dialogs: { damageOf(rootId: string): string | undefined }, rootId: string): void {
  const damage = dialogs.damageOf(rootId);
  if (damage !== undefined) throw new Refused({ code: "log_corrupt", message: damage });
}

export const notFound = (what: string): Refused => new Refused({ code: "not_found", message: what });

/** Converts any error into a response. Our own bugs go to `report`, not to the client. */
export function problemOf(error: unknown, report: (error: unknown) => void): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof Fault) return new Refused({ code: codeOfFault(error), message: error.message });
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  if (typeof status === "number" && status >= 400 && status < 500)
    return new Refused({ code: "bad_request", message: (error as Error).message.slice(0, 300) });
  report(error);
  return new Refused({ code: "internal", message: "Something went wrong inside the server. See its output." });
}

function codeOfFault({ code }: Fault): WireErrorCode {
  if (code === "log_full" || code === "log_corrupt") return code;
  return code.startsWith("model_") || code === "script_ended" ? "model_failed" : "unavailable";
}

export const errorBody = ({ code, message, question }: Refused): WireError => ({
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

/** Parses input by its schema. Refuses invalid input and names the fields. */
export function read<Schema extends z.ZodType>(schema: Schema, given: unknown, what: string): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const texts = [...new Set(parsed.error.issues.slice(0, MAX_ISSUES).flatMap(issueTexts))].slice(0, MAX_ISSUES);
  throw new Refused({ code: "bad_request", message: `${what}: ${texts.map(shortened).join("; ")}.` });
}

/** The most problems that one refusal lists. */
const MAX_ISSUES = 8;
const MAX_ISSUE_LENGTH = 300;
const shortened = (text: string): string => (text.length > MAX_ISSUE_LENGTH ? `${text.slice(0, MAX_ISSUE_LENGTH)}…` : text);

function issueTexts(issue: z.core.$ZodIssue): readonly string[] {
  const at = issue.path.map(String).join(".");
  const field = at === "" ? "" : `${at}: `;
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, MAX_ISSUES).map((key) => `unknown field "${at === "" ? key : `${at}.${key}`}"`);
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    // The closest variant of a union gives the most useful message.
    const nearest = issue.errors.toSorted((a, b) => a.length - b.length)[0] ?? [];
    return nearest.flatMap((inner) => issueTexts({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue));
  }
  return [`${field}${issue.message}`];
}
