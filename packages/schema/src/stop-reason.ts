import { z } from "zod";

/** Why a dialog is stopped until somebody resumes it. */
export const StopCode = z.enum([
  "person",
  "cascade",
  "limit",
  "repeated_call",
  "crashed_repeatedly",
  "agent_gone",
  "tool_gone",
  "definition_changed",
  "no_key",
  "wrong_key",
  "no_credit",
  "unknown_model",
  "context_too_long",
  "model_refused",
  "model_unreachable",
  "script_ended",
  "bad_output",
  "output_cut",
  "bug",
]);
export type StopCode = z.infer<typeof StopCode>;

/** `message` says what happened, why, and what to do; it is for people. */
export const StopReason = z.object({ code: StopCode, message: z.string() });
export type StopReason = z.infer<typeof StopReason>;
