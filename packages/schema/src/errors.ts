import { z } from "zod";

/** Every reason for a refusal. The set is closed, because clients switch on it. */
export const RefusalCode = z.enum([
  "bad_request",
  "not_found",
  "ambiguous",
  "unknown_agent",
  "empty_content",
  "too_large",
  "msg_id_reused",
  "stale_step",
  "not_running",
  "stopped",
  "not_stopped",
  "archived",
  "call_not_open",
  "ask_not_open",
  "question_not_found",
  "question_not_open",
  "question_changed",
  "not_an_approval",
  "is_an_approval",
  "bad_choice",
  "bad_answer",
  "not_a_side_dialog",
  "dead",
  "circle",
  "document_changed",
  "undo_conflict",
  "not_undoable",
  "task_closed",
  "phase_not_allowed",
  "nothing_to_do",
  "exists_already",
  "bad_config",
  "locked",
]);
export type RefusalCode = z.infer<typeof RefusalCode>;

/** A legal "no", returned as a value. The message is for people. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
}

export type FaultCode =
  | "log_conflict" // another writer was first: decide again
  | "log_unavailable" // not known whether the commit is durable: reopen
  | "log_full" // no room; nothing new is accepted
  | "log_corrupt" // a line cannot be read: that tree stops
  | "store_locked" // another process has the project
  | "store_readonly" // or a right is missing
  | "store_unreachable" // no connection to the database: wrong address, user or password
  | "store_unfit" // the server is too old, or the data is of a newer Colloquy
  | "model_overloaded"
  | "model_unreachable"
  | "model_malformed" // broke the order of the stream, or sent what cannot be read
  | "model_no_key"
  | "model_wrong_key"
  | "model_no_credit"
  | "model_unknown"
  | "model_context_too_long"
  | "model_refused"
  | "script_ended"
  | "agent_unknown"; // this process does not know the agent; another one may

/** The outside world failed. Thrown; the layer that owns the retry decides by `retry`. The message says what to do. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  readonly retry: "never" | "now" | "later";
  /** Set if the other side said how long to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(code: FaultCode, retry: Fault["retry"], message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retry = retry;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** We made a mistake. Only the outermost frame catches it, and stops that one dialog. */
export class Bug extends Error {
  override readonly name = "Bug";
}

export function unreachable(value: never): never {
  throw new Bug(`Unhandled case: ${JSON.stringify(value)}`);
}
