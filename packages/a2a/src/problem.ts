import { RequestMalformedError, TaskNotFoundError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { Refused } from "@colloquy/schema";

const MALFORMED = new Set(["bad_request", "empty_content", "bad_choice", "bad_answer", "question_not_found", "unknown_agent", "too_large"]);

/** What the project refuses, as the protocol's error. Our own failures stay what they are. */
export function protocolError({ code, message }: Pick<Refused, "code" | "message">): Error {
  const said = { message, metadata: { code } };
  if (code === "not_found") return new TaskNotFoundError(said);
  if (MALFORMED.has(code)) return new RequestMalformedError(said);
  if (code === "internal" || code === "log_corrupt" || code === "unavailable") return new Error(message);
  return new UnsupportedOperationError(said);
}

export const malformed = (message: string): Error => new RequestMalformedError(message);
