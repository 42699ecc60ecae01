import type { ModelMessage } from "@colloquy/schema";
import { messageTokens } from "../step/message-size.ts";
import type { News } from "./standstill-news.ts";

/** Something to be shown, to one turn or (without a turn) to the next one. */
export interface Pending {
  readonly seq: number;
  /** Its position among what is shown with it. */
  readonly place: number;
  readonly turn: number | undefined;
  readonly message: ModelMessage;
  /** Words to this agent, which it is to answer; what people and other agents said to others; what the system says. */
  readonly kind: "trigger" | "said" | "notice";
  /** Who said it. */
  readonly who?: string;
  /** Its number among the dialog's messages that this view knows. */
  readonly nth?: number;
  readonly news?: News | undefined;
}

/** The first message of a course precedes everything that was unread when it began. */
const OPENING = 0;

/** What an agent is still to be shown. */
export class PendingMessages {
  #all: Pending[] = [];

  add(pending: Pending): void {
    this.#all.push(pending);
  }

  /** Takes out what is due, in display order. */
  take(isDue: (one: Pending) => boolean): readonly Pending[] {
    const due = this.#all.filter(isDue).toSorted((a, b) => a.place - b.place || a.seq - b.seq);
    this.#all = this.#all.filter((one) => !isDue(one));
    return due;
  }

  /** The turn is over; the next one reads what it had not read. */
  leave(turn: number): void {
    // A note that introduces a message is useless after it.
    const kept = this.#all.filter((one) => one.turn !== turn || one.place === one.seq);
    this.#all = kept.map((one) => (one.turn === turn ? { ...one, turn: undefined } : one));
  }

  keep(isKept: (one: Pending) => boolean): void {
    this.#all = this.#all.filter(isKept);
  }

  open(text: string): void {
    this.#all.unshift({ seq: OPENING, place: OPENING, kind: "notice", turn: undefined, message: { role: "user", text } });
  }

  seqs(): ReadonlySet<number> {
    return new Set(this.#all.map((one) => one.seq));
  }

  texts(): ReadonlySet<string> {
    return new Set(this.#all.map(({ message }) => ("text" in message ? message.text : "")));
  }

  /** Estimated tokens of what this turn is to be shown. */
  tokens(turn: number): number {
    const mine = this.#all.filter((one) => one.turn === undefined || one.turn === turn);
    return mine.reduce((sum, { message }) => sum + messageTokens(message), 0);
  }
}
