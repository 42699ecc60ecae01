import type { CallId, TreeEventOf } from "@colloquy/schema";
import type { Texts } from "../texts/texts.ts";

/** One of the agent's own open questions. */
export interface AskedQuestion {
  readonly call: CallId | undefined;
  readonly turn: number | undefined;
  readonly headline: string;
  readonly words: string;
  readonly text: string;
  readonly options: readonly string[];
  readonly isReused: boolean;
  readonly isForm: boolean;
}

export function askedQuestion({ call, turn, headline, text, options = [], form, reuses }: TreeEventOf<"question.asked">): AskedQuestion {
  // If no call contains the question's text, the answer repeats it.
  const words = call !== undefined || text === "" ? headline : `${headline}\n${text}`;
  return {
    call,
    turn,
    headline,
    words,
    text,
    options: options.map(({ label }) => label),
    isReused: reuses !== undefined,
    isForm: form !== undefined,
  };
}

/** The agent revised it. */
export const revised = (question: AskedQuestion, { headline, text, options = [] }: TreeEventOf<"question.revised">): AskedQuestion => ({
  ...question,
  headline,
  text,
  options: options.map(({ label }) => label),
});

/** What the agent is told when the question is closed. `otherwise`: what it said it would do if nobody answers in time. */
export function closingWords(event: TreeEventOf<"question.closed">, otherwise: string | undefined, texts: Texts): string {
  return {
    answered: () => texts.answered(event.by ?? texts.person, event.choice, event.content ?? ""),
    dismissed: () => texts.dismissed(event.by ?? texts.person, event.content ?? ""),
    withdrawn: () => texts.withdrawn(event.content ?? ""),
    expired: () => texts.questionExpired(otherwise),
  }[event.as]();
}
