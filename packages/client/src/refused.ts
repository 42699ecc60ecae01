import type { QuestionView, WireErrorCode } from "@colloquy/schema";

interface Told {
  readonly code: WireErrorCode;
  readonly message: string;
  /** What became of the question, where it was no longer open. */
  readonly question?: QuestionView | undefined;
}

/** The server said no. `code` is one of a closed set; the message is for people. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly code: WireErrorCode;
  readonly question: QuestionView | undefined;
  /** When the server said how long to wait. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, message, question }: Told, retryAfterMs?: number) {
    super(message);
    this.code = code;
    this.question = question;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came. Whether it had an effect is not known: the same `msgId` again has the effect of one. */
export class Disconnected extends Error {
  override readonly name = "Disconnected";
}
