import { z } from "zod";
import { RefusalCode } from "../errors.ts";
import { QuestionView } from "../question.ts";

/** Every error code of a server: a refusal by the project, or one of the server's own. The set is closed, because clients switch on it. */
export const WireErrorCode = z
  .enum([
    ...RefusalCode.options,
    /** No token, or a wrong one. */
    "unauthorized",
    /** A link signs one browser in, once. */
    "link_used",
    /** The role does not allow it. */
    "forbidden",
    "wrong_origin",
    "method_not_allowed",
    "too_large",
    /** `Retry-After` says how long to wait. */
    "rate_limited",
    /** Too much was missed to be replayed: read the lists, then subscribe from the current `pos`. */
    "too_far_behind",
    /** The disk is full: nothing new is accepted, nothing is lost. */
    "log_full",
    /** A line of this dialog's log cannot be read; no other dialog is affected. */
    "log_corrupt",
    /** Temporary: the server is stopping, or its store must be reopened. */
    "unavailable",
    /** A model is unavailable or refused the request. */
    "model_failed",
    /** A bug in Colloquy. */
    "internal",
  ])
  .meta({ id: "ErrorCode" });
export type WireErrorCode = z.infer<typeof WireErrorCode>;

/** `message` is for people and may change. `question`: the current question, if it was no longer open. */
export const WireError = z
  .strictObject({
    error: z.strictObject({ code: WireErrorCode, message: z.string(), question: QuestionView.optional() }),
  })
  .meta({ id: "Error" });
export type WireError = z.infer<typeof WireError>;
