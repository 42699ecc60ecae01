import { z } from "zod";
import { RefusalCode } from "../errors.ts";
import { QuestionView } from "../question.ts";

/** Every code that a server answers with: a refusal of the project, or one of the server's own. Closed: clients switch on it. */
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
    /** Too much was missed to send it again: read the lists, then subscribe from the present `pos`. */
    "too_far_behind",
    /** No room on the disk: nothing new is accepted, nothing is lost. */
    "log_full",
    /** A line of this dialog's log cannot be read; no other dialog is affected. */
    "log_corrupt",
    /** Not now: the server is about to stop, or its store has to be opened again. */
    "unavailable",
    /** A model cannot be had or refused. */
    "model_failed",
    /** Our own mistake. */
    "internal",
  ])
  .meta({ id: "ErrorCode" });
export type WireErrorCode = z.infer<typeof WireErrorCode>;

/** `message` is for people and may change. `question`: what became of the question, where one was no longer open. */
export const WireError = z
  .strictObject({
    error: z.strictObject({ code: WireErrorCode, message: z.string(), question: QuestionView.optional() }),
  })
  .meta({ id: "Error" });
export type WireError = z.infer<typeof WireError>;
