import type { QuestionView } from "./question.ts";
import type { WireErrorCode } from "./wire/wire-error.ts";

/** The facts of a refusal. */
interface Why {
  readonly code: WireErrorCode;
  /** For people; it may change. */
  readonly message: string;
  /** The current question, if it was no longer open. */
  readonly question?: QuestionView | undefined;
  /** How long to wait before trying again. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * A refusal as an error: the library, the client and the server throw it. `code` is one of a closed set. The class has no type parameter,
 * because `instanceof` would turn it into `any`.
 */
export class Refused extends Error implements Why {
  override readonly name = "Refused";
  readonly code: WireErrorCode;
  readonly question: QuestionView | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, question, retryAfterMs }: Why) {
    super(message);
    this.code = code;
    this.question = question;
    this.retryAfterMs = retryAfterMs;
  }
}
